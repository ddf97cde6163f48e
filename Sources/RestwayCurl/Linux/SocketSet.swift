import CCurl
import CLinux
import Glibc
import RestwayHTTP

/// The sockets and wake-ups that the driving thread waits for, in one epoll set.
///
/// libcurl releases a socket after each exchange and takes it again with the next. A socket that
/// `open` made stays in the set while its connection is idle, because the server may close it then.
/// Nothing changes in the set between exchanges unless the idle socket becomes readable. The socket
/// is removed if the connection ends, or when it is closed. Sockets that libcurl opens by itself
/// (for its resolver) are removed when they are released, because their closing is not reported.
final class SocketSet {
    /// The protocol of a connection.
    enum Kind {
        /// One exchange at a time. No byte may come between exchanges. The session tickets of TLS
        /// come before the first answer and are read with it.
        case http1
        /// Exchanges share the connection, and frames may come at any time.
        case http2
        /// One of the two.
        case unknown
    }

    private struct Slot {
        /// The events that libcurl waits for; 0 if it has released the socket.
        var wanted: UInt32 = 0
        /// The events that the set watches; 0 if the socket is not in the set.
        var actual: UInt32 = 0
        /// Whether `open` made the socket, so that `close` will end it.
        var isOurs = false
        /// Whether the socket is a Unix-domain socket.
        var isUnix = false
        /// Whether the socket carries a stream of bytes. That of HTTP/3 carries packets.
        var isStream = true
        var kind = Kind.unknown
        /// The ends of the connection, once a request was sent on it.
        var ends: ConnectionEnds?
        /// The exchange that was sent last on a connection of HTTP/1.1.
        var user: ExchangeID?
        /// How often libcurl has read a record of this idle connection, and more bytes were there.
        var recordsRead = 0
        /// Whether libcurl has released the socket only because an exchange is paused.
        var isPaused = false

        /// Whether the exchange of a connection of HTTP/1.1 goes on.
        var isUsed: Bool { wanted != 0 || isPaused }
    }

    private static let eventsMax = 128
    private static let strayReadsMax = 64
    /// How many records of frames are read from an idle connection, which is then ended. A record
    /// of TLS has 16 KiB at most, so they have 16 MiB: more than the buffers of both kernels hold
    /// when a large answer is left (`tcp_rmem`, `tcp_wmem`).
    private static let recordsMax = 1_024
    /// The events of a socket from which bytes are read, or which is idle.
    static let readable = EPOLLIN.rawValue | EPOLLRDHUP.rawValue
    static let writable = EPOLLOUT.rawValue
    static let failed = EPOLLERR.rawValue
    static let ended = EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue

    /// The descriptor of the set. A test reads what it watches.
    let epoll: Int32
    private let wakeUps: Int32
    private let timer: Int32
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: eventsMax)
    /// The slots by descriptor.
    private var slots: [Slot] = []
    /// The descriptors of the connections.
    private var descriptors: [ConnectionEnds: Int32] = [:]
    /// How many exchanges are paused. The bytes of a paused exchange wait in its socket.
    var pausedExchanges = 0

    /// Creates a set; nil if the system has no descriptor left.
    init?(wakeUps: Int32, timer: Int32) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        self.wakeUps = wakeUps
        self.timer = timer
        // These two descriptors are edge-triggered, so they need not be read.
        let events = EPOLLIN.rawValue | EPOLLET.rawValue
        guard epoll >= 0, control(EPOLL_CTL_ADD, wakeUps, events),
            control(EPOLL_CTL_ADD, timer, events)
        else { return nil }
    }

    deinit {
        if epoll >= 0 { Glibc.close(epoll) }
        events.deallocate()
    }

    // MARK: Calls from libcurl

    func open(_ address: UnsafePointer<curl_sockaddr>, kind: Kind) -> Int32 {
        let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(
            address.pointee.family, address.pointee.socktype | flags, address.pointee.protocol)
        guard descriptor >= 0 else { return CURL_SOCKET_BAD }
        makeRoom(descriptor)
        slots[Int(descriptor)] = Slot(
            isOurs: true, isUnix: address.pointee.family == AF_UNIX,
            isStream: address.pointee.socktype == Int32(SOCK_STREAM.rawValue), kind: kind)
        return descriptor
    }

    func close(_ descriptor: Int32) -> Int32 {
        if slots.indices.contains(Int(descriptor)) {
            // The kernel would not remove it if a forked child still holds the same socket.
            if slots[Int(descriptor)].actual != 0 { control(EPOLL_CTL_DEL, descriptor, 0) }
            if let ends = slots[Int(descriptor)].ends { descriptors[ends] = nil }
            slots[Int(descriptor)] = Slot()
        }
        return Glibc.close(descriptor)
    }

    /// - Parameters:
    ///   - what: One of CURL_POLL_*.
    ///   - isPaused: Whether libcurl releases a readable socket only because the exchange is
    ///     paused.
    func watch(_ descriptor: Int32, _ what: Int32, isPaused: Bool) {
        makeRoom(descriptor)
        let index = Int(descriptor)
        slots[index].wanted =
            switch what {
            case CURL_POLL_IN: Self.readable
            case CURL_POLL_OUT: Self.writable
            case CURL_POLL_INOUT: Self.readable | Self.writable
            default: 0
            }
        slots[index].isPaused = isPaused
        let isIdle = !slots[index].isUsed && slots[index].isOurs
        apply(index, wanted: isIdle ? Self.readable : slots[index].wanted)
    }

    // MARK: Connections

    /// Notes that the first request is sent on a connection.
    ///
    /// - Parameter opened: The sockets that were opened for the exchange. All but one may have been
    ///   closed.
    func made(_ ends: ConnectionEnds, kind: Kind, by user: ExchangeID, opened: [Int32]) {
        let found = opened.first { descriptor in
            let slot = slots[Int(descriptor)]
            return slot.isOurs && slot.ends == nil
                && Self.localPort(of: descriptor) == ends.localPort
        }
        guard let found else { return }
        slots[Int(found)].ends = ends
        slots[Int(found)].kind = slots[Int(found)].isStream ? kind : .http2
        slots[Int(found)].user = user
        descriptors[ends] = found
    }

    /// Returns why the next request must not be sent on a connection that was made for an earlier
    /// one; `nil` if it may.
    ///
    /// - Parameters:
    ///   - ends: `nil` for a connection to a Unix-domain socket.
    ///   - isSecure: Whether the origin uses TLS.
    ///   - holdsBytes: Whether bytes of the connection were received that nobody has read.
    func obstacle(
        on ends: ConnectionEnds?, for user: ExchangeID, isSecure: Bool, holdsBytes: Bool
    ) -> PlaceOnConnection.Obstacle? {
        // All connections of the transport go to the same Unix-domain socket. If one of them has
        // ended, libcurl may have chosen it.
        guard let ends else { return retireUnix() || holdsBytes ? .unread : nil }
        guard let descriptor = descriptors[ends] else { return nil }
        let slot = slots[Int(descriptor)]
        switch slot.kind {
        case .http1:
            if isSecure, slot.isUsed, slot.user != user { return .busy }
            slots[Int(descriptor)].user = user
        case .http2, .unknown:
            // Frames come at any time while other exchanges use the connection. libcurl reads one
            // record of an idle connection before it chooses it, and ends the connection if the
            // record answers a stream that is not open.
            if slot.wanted != 0 || pausedExchanges > 0 { return nil }
        }
        guard slot.isStream, holdsBytes || Self.isReadable(descriptor) else {
            slots[Int(descriptor)].recordsRead = 0
            return nil
        }
        if slot.kind == .http2, !holdsBytes, slot.recordsRead < Self.recordsMax {
            switch Self.next(on: descriptor, isSecure: isSecure) {
            case .whole:
                slots[Int(descriptor)].recordsRead += 1
                return .moreFrames
            case .begun: return nil
            case .end: break
            }
        }
        retire(descriptor)
        return .unread
    }

    /// The unread bytes of a connection of HTTP/2.
    private enum UnreadFrames {
        /// A whole record of TLS, or bytes without TLS.
        case whole
        /// A record whose end has not come yet. libcurl would give up the connection if it tried to
        /// read it now.
        case begun
        case end
    }

    private static func next(on descriptor: Int32, isSecure: Bool) -> UnreadFrames {
        // RFC 8446, section 5.1: the type, the version, and the length of what follows.
        var header: [UInt8] = [0, 0, 0, 0, 0]
        let flags = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)
        let count = recv(descriptor, &header, header.count, flags)
        guard count > 0 else { return .end }
        guard isSecure else { return .whole }
        guard count == header.count else { return .begun }
        var waiting: Int32 = 0
        guard ioctl(descriptor, UInt(FIONREAD), &waiting) == 0 else { return .end }
        let length = Int32(header[3]) << 8 | Int32(header[4])
        return waiting < Int32(header.count) + length ? .begun : .whole
    }

    /// Ends the idle connections to the Unix-domain socket on which bytes, or the end, have come.
    private func retireUnix() -> Bool {
        var hasRetired = false
        for (index, slot) in slots.enumerated() where slot.isOurs && slot.isUnix && !slot.isUsed {
            guard Self.isReadable(Int32(index)) else { continue }
            retire(Int32(index))
            hasRetired = true
        }
        return hasRetired
    }

    /// Whether bytes, the end of the connection, or an error can be read at once.
    private static func isReadable(_ descriptor: Int32) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, 0) > 0
    }

    private static func localPort(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &address) { bytes in
            let pointer = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            guard getsockname(descriptor, pointer, &length) == 0 else { return nil }
            // The port stands at the same place in addresses of IPv4 and of IPv6.
            return UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
        }
    }

    // MARK: The loop

    /// Waits and reports each event: the descriptor and a set of EPOLL* bits. Wake-ups are left
    /// out, because the inbox holds their commands.
    ///
    /// - Parameter maySleep: Whether the thread waits until an event occurs.
    func wait(
        maySleep: Bool, timerFired: () -> Void,
        _ body: (_ descriptor: Int32, _ events: UInt32) -> Void
    ) {
        let count = epoll_wait(epoll, events, Int32(Self.eventsMax), maySleep ? -1 : 0)
        // The count is negative if a debugger interrupts; then no event has occurred.
        for index in 0..<max(0, Int(count)) {
            let descriptor = events[index].data.fd
            if descriptor == wakeUps { continue }
            if descriptor == timer {
                timerFired()
                continue
            }
            if slots[Int(descriptor)].wanted == 0 {
                cameWhileIdle(events[index].events, descriptor)
            } else {
                body(descriptor, events[index].events)
            }
        }
    }

    /// Bytes, or the end, have come on an idle connection.
    private func cameWhileIdle(_ events: UInt32, _ descriptor: Int32) {
        let index = Int(descriptor)
        // libcurl has released or closed the socket, or has read the bytes, since the event came.
        guard slots[index].actual != 0, Self.isReadable(descriptor) else { return }
        if events & Self.ended == 0, slots[index].kind != .http1 {
            // libcurl reads the frames when it looks for a connection. Until then, only the end of
            // the connection matters.
            return apply(index, wanted: EPOLLRDHUP.rawValue)
        }
        apply(index, wanted: 0)
        retire(descriptor)
    }

    /// Makes sure that libcurl finds this idle connection dead when it looks for a connection to
    /// reuse.
    ///
    /// libcurl accepts a connection that was reset or has unread bytes. The unread bytes, which
    /// answer no request, would be taken for the answer to the next request. In TLS, the alert
    /// close_notify is unread when the server has ended the connection.
    private func retire(_ descriptor: Int32) {
        let slot = slots[Int(descriptor)]
        guard slot.isOurs, slot.kind == .http1 || pausedExchanges == 0 else { return }
        var stray = [UInt8](repeating: 0, count: 4 << 10)
        // This limits the bytes that are read. The connection's end discards the rest.
        for _ in 0..<Self.strayReadsMax {
            guard recv(descriptor, &stray, stray.count, Int32(MSG_DONTWAIT)) > 0 else { break }
        }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Makes the set watch a socket for `wanted`; 0 removes it.
    private func apply(_ index: Int, wanted: UInt32) {
        let actual = slots[index].actual
        guard wanted != actual else { return }
        slots[index].actual = wanted
        let descriptor = Int32(index)
        if wanted == 0 {
            control(EPOLL_CTL_DEL, descriptor, 0)
        } else if actual == 0 {
            control(EPOLL_CTL_ADD, descriptor, wanted)
        } else if !control(EPOLL_CTL_MOD, descriptor, wanted) {
            // The socket was closed and opened again without notice.
            control(EPOLL_CTL_ADD, descriptor, wanted)
        }
    }

    @discardableResult
    private func control(_ operation: Int32, _ descriptor: Int32, _ events: UInt32) -> Bool {
        var event = epoll_event()
        event.events = events
        event.data.fd = descriptor
        return epoll_ctl(epoll, operation, descriptor, &event) == 0
    }

    private func makeRoom(_ descriptor: Int32) {
        while slots.count <= Int(descriptor) { slots.append(Slot()) }
    }
}
