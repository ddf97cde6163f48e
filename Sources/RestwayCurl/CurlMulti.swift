import CCurl
import Glibc
import RestwayThreads

/// libcurl's multi handle, with the sockets and the timer that it waits for.
///
/// Only the I/O thread uses it.
final class CurlMulti {
    let sockets: SocketSet
    private let timer: TimerDescriptor
    private let multi: UnsafeMutableRawPointer
    private let clock = SystemClock()
    /// The time at which libcurl wants a call although no socket is ready.
    private var deadline = Deadline.never

    /// Creates a handle; nil if the system has no resources left.
    ///
    /// - Parameter wakeUps: A descriptor that ends the sleep when it becomes readable.
    init?(wakeUps: Int32, _ limits: CurlTransport.Limits) {
        guard CurlGlobal.isReady, let timer = TimerDescriptor(),
            let sockets = SocketSet(wakeUps: wakeUps, timer: timer.descriptor),
            let multi = WakeUpPair.makeMulti()
        else { return nil }
        self.timer = timer
        self.sockets = sockets
        self.multi = multi
        setCallbacks()
        rw_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, limits.connectionsMax)
        rw_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, limits.connectionsPerHostMax)
        rw_multi_set_long(multi, CURLMOPT_MAXCONNECTS, limits.connectionsMax)
    }

    /// All easy handles must have been freed before.
    deinit {
        // This closes the connections, which still need `sockets`.
        CurlGlobal.gate.pass { _ = curl_multi_cleanup(multi) }
    }

    private func setCallbacks() {
        let me = UserData.borrow(self)
        rw_multi_set_socket_function(multi) { easy, descriptor, what, me, _ in
            let isPaused = what == CURL_POLL_REMOVE && EasyHandle.isPaused(easy)
            UserData.lend(me!) { multi in
                unsafeDowncast(multi, to: CurlMulti.self).sockets
                    .watch(descriptor, what, isPaused: isPaused)
            }
            return 0
        }
        rw_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, me)
        rw_multi_set_timer_function(multi) { _, milliseconds, me in
            UserData.lend(me!) { unsafeDowncast($0, to: CurlMulti.self).setTimer(milliseconds) }
            return 0
        }
        rw_multi_set_pointer(multi, CURLMOPT_TIMERDATA, me)
    }

    private func setTimer(_ milliseconds: Int) {
        switch milliseconds {
        case ..<0: deadline = .never
        case 0: deadline = .past
        default: deadline = clock.now().advanced(milliseconds: Int64(milliseconds))
        }
    }

    // MARK: Exchanges

    func add(_ handle: EasyHandle) -> CURLMcode {
        CurlGlobal.gate.pass { curl_multi_add_handle(multi, handle.easy) }
    }

    /// Takes a handle back from libcurl, which may close a connection.
    func remove(_ handle: EasyHandle) {
        CurlGlobal.gate.pass { _ = curl_multi_remove_handle(multi, handle.easy) }
    }

    /// A handle whose exchange libcurl has finished, with the result; nil if libcurl has finished
    /// no further exchange.
    func nextDone() -> (handle: EasyHandle, code: CURLcode)? {
        var code = CURLE_OK
        guard let easy = rw_multi_next_done(multi, &code) else { return nil }
        var pointer: UnsafeMutableRawPointer?
        rw_easy_get_pointer(easy, CURLINFO_PRIVATE, &pointer)
        return (UserData.object(EasyHandle.self, pointer!), code)
    }

    // MARK: Waiting

    /// Calls libcurl if the time has come that it asked for.
    func runTimer() {
        // A deadline that has passed anyway needs no clock.
        guard deadline != .never, deadline == .past || deadline <= clock.now() else { return }
        deadline = .never
        act(CURL_SOCKET_TIMEOUT, 0)
    }

    /// Sets the timer for the next deadline; false if the deadline has already passed.
    ///
    /// - Parameters:
    ///   - milliseconds: The time until another deadline; nil if no other deadline exists.
    ///   - latest: A deadline of the system's clock.
    func setWakeUp(within milliseconds: Int64?, notAfter latest: Deadline) -> Bool {
        if deadline == .past { return false }
        var next = min(deadline, latest)
        if let milliseconds { next = min(next, clock.now().advanced(milliseconds: milliseconds)) }
        timer.wake(at: next)
        return true
    }

    /// Passes the events of the sockets to libcurl, and calls `afterEach` after each event.
    ///
    /// - Parameter maySleep: Whether the thread waits until an event occurs.
    func wait(maySleep: Bool, afterEach: () -> Void) {
        sockets.wait(maySleep: maySleep, timerFired: timer.noteFired) { descriptor, events in
            var bits: Int32 = 0
            if events & (SocketSet.readable | SocketSet.ended) != 0 { bits |= CURL_CSELECT_IN }
            if events & SocketSet.writable != 0 { bits |= CURL_CSELECT_OUT }
            if events & SocketSet.failed != 0 { bits |= CURL_CSELECT_ERR }
            act(descriptor, bits)
            afterEach()
        }
    }

    private func act(_ descriptor: Int32, _ events: Int32) {
        var running: Int32 = 0
        CurlGlobal.gate.pass { _ = curl_multi_socket_action(multi, descriptor, events, &running) }
    }
}
