import CCurl
import CLinux
import Glibc

/// The sockets and wake-ups that the driving thread waits for, in one epoll set.
///
/// libcurl releases a socket after each exchange and takes it again with the next. A socket that
/// `open` made stays in the set while its connection is idle, because the server may close it then.
/// It is removed if that happens, or when it is closed. Sockets that libcurl opens by itself (for
/// its resolver) are removed when they are released, because their closing is not reported.
final class SocketSet {
    private struct Slot {
        /// The events that libcurl waits for; 0 if it has released the socket.
        var wanted: UInt32 = 0
        /// The events that the set watches; 0 if the socket is not in the set.
        var actual: UInt32 = 0
        /// Whether `open` made the socket, so that `close` will end it.
        var isOurs = false
        /// Whether messages may come between exchanges: those of TLS and of HTTP/2. In plain
        /// HTTP/1 none do.
        var isTalkative = false

        /// The events that matter while the connection is idle. They do not include that the socket
        /// is writable, because an idle socket is always writable. Over TLS, the server may send
        /// messages such as session tickets, so bytes that arrive do not show that the server has
        /// ended the connection.
        var idleEvents: UInt32 { isTalkative ? EPOLLRDHUP.rawValue : EPOLLIN.rawValue }
    }

    private static let eventsMax = 128
    private static let strayReadsMax = 64
    static let readable = EPOLLIN.rawValue
    static let writable = EPOLLOUT.rawValue
    static let failed = EPOLLERR.rawValue
    static let ended = EPOLLHUP.rawValue | EPOLLERR.rawValue

    private let epoll: Int32
    private let wakeUps: Int32
    private let timer: Int32
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: eventsMax)
    /// The slots by descriptor.
    private var slots: [Slot] = []
    /// The exchanges on the connections.
    var uses = ConnectionUses()
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

    func open(_ address: UnsafePointer<curl_sockaddr>, isTalkative: Bool) -> Int32 {
        let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(
            address.pointee.family, address.pointee.socktype | flags, address.pointee.protocol)
        guard descriptor >= 0 else { return CURL_SOCKET_BAD }
        makeRoom(descriptor)
        slots[Int(descriptor)] = Slot(isOurs: true, isTalkative: isTalkative)
        return descriptor
    }

    func close(_ descriptor: Int32) -> Int32 {
        if slots.indices.contains(Int(descriptor)) {
            // The kernel would not remove it if a forked child still holds the same socket.
            if slots[Int(descriptor)].actual != 0 { control(EPOLL_CTL_DEL, descriptor, 0) }
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
        let isIdle = slots[index].wanted == 0 && slots[index].isOurs && !isPaused
        apply(index, wanted: isIdle ? slots[index].idleEvents : slots[index].wanted)
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
                // An idle connection has ended. libcurl notices this when it looks for a
                // connection.
                apply(Int(descriptor), wanted: 0)
                retire(descriptor)
            } else {
                body(descriptor, events[index].events)
            }
        }
    }

    /// Makes sure that libcurl finds this idle connection dead when it looks for a connection to
    /// reuse.
    ///
    /// libcurl accepts a connection that was reset or has unread bytes. The unread bytes, which
    /// answer no request, would be taken for the answer to the next request. In TLS, the alert
    /// close_notify is unread when the server has ended the connection.
    private func retire(_ descriptor: Int32) {
        let slot = slots[Int(descriptor)]
        guard slot.isOurs, !slot.isTalkative || pausedExchanges == 0 else { return }
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
