import CCurl
import CLinux
import Glibc

/// What the thread that drives waits for: libcurl's sockets and the wake-ups, in one epoll set.
///
/// libcurl lets go of a socket after each exchange and takes it up again with the next. Following
/// that literally would cost two system calls for each exchange. So a socket stays in the set while
/// its connection is idle, and leaves it when something happens on it (the server closes), or when
/// it is closed. Sockets that libcurl opens by itself (its resolver's) are followed literally:
/// nobody tells when they are closed.
final class SocketSet {
    private struct Slot {
        /// What libcurl waits for; 0 when it has let go.
        var wanted: UInt32 = 0
        /// What the set has it for; 0 when it is not in the set.
        var actual: UInt32 = 0
        /// `open` made it, so `close` will end it.
        var isOurs = false
        /// TLS has things to say between two exchanges, plain HTTP has not.
        var isSecure = false
        var isDirty = false
    }

    private static let eventsMax = 128
    private static let strayReadsMax = 64
    static let readable = EPOLLIN.rawValue
    static let writable = EPOLLOUT.rawValue

    private let epoll: Int32
    private let wakeUps: Int32
    private let timer: Int32
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: eventsMax)
    /// By descriptor.
    private var slots: [Slot] = []
    /// Whose `wanted` may differ from `actual`.
    private var dirty: [Int32] = []
    private var busyPoll: BusyPoll

    /// nil when the system has no descriptor to give.
    init?(wakeUps: Int32, timer: Int32, busyPoll: BusyPoll) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        self.wakeUps = wakeUps
        self.timer = timer
        self.busyPoll = busyPoll
        // Edge-triggered: neither needs a read.
        let events = EPOLLIN.rawValue | EPOLLET.rawValue
        guard epoll >= 0, control(EPOLL_CTL_ADD, wakeUps, events),
            control(EPOLL_CTL_ADD, timer, events)
        else { return nil }
    }

    deinit {
        if epoll >= 0 { Glibc.close(epoll) }
        events.deallocate()
    }

    // MARK: Told by libcurl

    func open(_ address: UnsafePointer<curl_sockaddr>, isSecure: Bool) -> Int32 {
        let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(
            address.pointee.family, address.pointee.socktype | flags, address.pointee.protocol)
        guard descriptor >= 0 else { return CURL_SOCKET_BAD }
        makeRoom(descriptor)
        slots[Int(descriptor)] = Slot(isOurs: true, isSecure: isSecure)
        return descriptor
    }

    func close(_ descriptor: Int32) -> Int32 {
        if slots.indices.contains(Int(descriptor)) {
            // Not left to the kernel: a forked child may still hold the same socket.
            if slots[Int(descriptor)].actual != 0 { control(EPOLL_CTL_DEL, descriptor, 0) }
            slots[Int(descriptor)] = Slot()
        }
        return Glibc.close(descriptor)
    }

    /// - Parameters:
    ///   - what: One of CURL_POLL_*.
    ///   - isPaused: libcurl lets go of a socket that has something to say, but not now.
    func watch(_ descriptor: Int32, _ what: Int32, isPaused: Bool) {
        makeRoom(descriptor)
        let index = Int(descriptor)
        switch what {
        case CURL_POLL_IN: slots[index].wanted = Self.readable
        case CURL_POLL_OUT: slots[index].wanted = Self.writable
        case CURL_POLL_INOUT: slots[index].wanted = Self.readable | Self.writable
        default:
            slots[index].wanted = 0
            // Room to write is no news on an idle connection.
            apply(index, wanted: slots[index].isOurs && !isPaused ? Self.readable : 0)
            return
        }
        if !slots[index].isOurs {
            apply(index, wanted: slots[index].wanted)
        } else if slots[index].wanted != slots[index].actual, !slots[index].isDirty {
            slots[index].isDirty = true
            dirty.append(descriptor)
        }
    }

    // MARK: The loop

    /// What to do while nothing has happened.
    enum Patience {
        case none, sleep
        /// Look on for a while, if answers come soon, and only then sleep.
        case pollFirst
    }

    /// Waits, or only looks, and hands over what happened: the descriptor and a set of EPOLL* bits.
    /// Wake-ups are left out, they are their own message.
    func wait(
        _ patience: Patience, timerFired: () -> Void,
        _ body: (_ descriptor: Int32, _ events: UInt32) -> Void
    ) {
        flush()
        let count =
            switch patience {
            case .none: look(maySleep: false)
            case .sleep: look(maySleep: true)
            case .pollFirst: busyPoll.wait(look)
            }
        // Negative when a debugger interrupts: then nothing has happened.
        for index in 0..<max(0, Int(count)) {
            let descriptor = events[index].data.fd
            if descriptor == wakeUps { continue }
            if descriptor == timer {
                timerFired()
                continue
            }
            if slots[Int(descriptor)].wanted == 0 {
                // An idle connection ended; libcurl finds out when it looks for one.
                apply(Int(descriptor), wanted: 0)
                retire(descriptor)
            } else {
                body(descriptor, events[index].events)
            }
        }
    }

    private func look(maySleep: Bool) -> Int32 {
        epoll_wait(epoll, events, Int32(Self.eventsMax), maySleep ? -1 : 0)
    }

    /// Sees to it that libcurl takes an idle connection for dead when it looks for one.
    ///
    /// It takes one that was reset, or that has unread bytes, for a live one; then bytes that
    /// nobody asked for would be the answer to the next request.
    private func retire(_ descriptor: Int32) {
        let slot = slots[Int(descriptor)]
        guard slot.isOurs, !slot.isSecure else { return }
        var stray = [UInt8](repeating: 0, count: 4 << 10)
        // A bound on what a server may say to nobody; what is left ends with the connection.
        for _ in 0..<Self.strayReadsMax {
            guard recv(descriptor, &stray, stray.count, Int32(MSG_DONTWAIT)) > 0 else { break }
        }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private func flush() {
        for descriptor in dirty {
            slots[Int(descriptor)].isDirty = false
            let wanted = slots[Int(descriptor)].wanted
            if wanted != 0 { apply(Int(descriptor), wanted: wanted) }
        }
        dirty.removeAll(keepingCapacity: true)
    }

    /// Makes the set have a socket for `wanted`; 0 takes it out.
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
            // Closed and opened anew behind our back.
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
