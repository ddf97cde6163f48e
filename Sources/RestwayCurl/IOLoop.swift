import CCurl
import CLinux
import Glibc
import RestwayHTTP
import RestwayThreads

/// libcurl's multi handle, with the exchanges that run on it and those that wait.
///
/// The I/O thread creates and destroys the loop and drives it. For a while a thread that waits for
/// an exchange (a guest) may drive it instead; `Inbox` makes sure that there is one driver at a
/// time. Other threads reach the loop through the inbox. The loop sleeps until a socket, a timer or
/// the inbox has work.
final class IOLoop {
    /// The number of handles kept for later exchanges. Each has a buffer, so not all are kept.
    private static let idleHandlesMax = 64

    /// A deadline that has passed, without reading the clock.
    private static let atOnce = Deadline(nanoseconds: 0)

    private let inbox: Inbox
    private let clock: any Clock
    private let settings: CurlTransport.Settings
    private let timer: TimerDescriptor
    let sockets: SocketSet
    private let multi: UnsafeMutableRawPointer
    private let cookies: CookieJar?

    private var commands: [Inbox.Command] = []
    private var lanes = LaneDirectory()
    /// The headers of the exchange that was accepted last.
    private var sendableHeaders: [HeaderField] = []
    private var queue: FairQueue
    /// All exchanges that have not completed.
    private var exchanges: [ExchangeID: ActiveExchange] = [:]
    /// The total time limits of the exchanges that had to wait.
    private var waitingDeadlines = DeadlineHeap<ActiveExchange>()
    private var idleHandles: [EasyHandle] = []
    /// The time at which libcurl wants a call although no socket is ready, on the system's clock.
    private var curlDeadline = Deadline.never
    private let systemClock = SystemClock()
    /// Whether a thread waits for the exchange that came last.
    private var isAwaited = false

    /// Creates a loop; nil if the system has no resources left.
    init?(inbox: Inbox, settings: CurlTransport.Settings, clock: any Clock) {
        let wakeUps = inbox.eventDescriptor
        guard CurlGlobal.isReady, let timer = TimerDescriptor(),
            let sockets = SocketSet(wakeUps: wakeUps, timer: timer.descriptor),
            let multi = curl_multi_init()
        else { return nil }
        self.inbox = inbox
        self.clock = clock
        self.timer = timer
        self.sockets = sockets
        self.settings = settings
        let limits = settings.limits
        self.multi = multi
        queue = FairQueue(
            runningMax: limits.connectionsMax, runningPerLaneMax: limits.connectionsPerHostMax)
        cookies = settings.keepsCookies ? CookieJar() : nil
        setUp(limits)
    }

    deinit {
        idleHandles = []
        // This closes the connections, which still need `sockets`.
        CurlGlobal.gate.pass { _ = curl_multi_cleanup(multi) }
    }

    /// Drives the loop on the I/O thread until the transport is closed.
    func run() {
        while true {
            switch inbox.take(&commands) {
            case .goOn: break
            case .shutDown(let error):
                inbox.forgetLoop()
                return shutDown(error)
            // The loop is never freed here, because its end would complete the running exchanges.
            case .abandon: return _ = UserData.retain(self)
            }
            obey()
            work()
            if isAwaited, exchanges.isEmpty, inbox.rest(self) {
                lookAfterRest()
            } else {
                sleep()
            }
        }
    }

    /// Drives the loop on a waiting thread while `isWanted`, or until the I/O thread needs the
    /// loop. Returns whether no exchange is left.
    func drive(while isWanted: () -> Bool) -> Bool {
        lookAfterRest()
        while isWanted(), inbox.takeAsGuest(&commands) {
            obey()
            work()
            guard isWanted() else { break }
            sleep()
        }
        return exchanges.isEmpty
    }

    /// Removes idle connections that ended while no thread watched them, so that they are not used.
    private func lookAfterRest() {
        watch(maySleep: false)
    }

    private func setUp(_ limits: CurlTransport.Limits) {
        let me = UserData.borrow(self)
        rw_multi_set_socket_function(multi) { easy, descriptor, what, me, _ in
            let isPaused = what == CURL_POLL_REMOVE && EasyHandle.isPaused(easy)
            UserData.lend(me!) { loop in
                unsafeDowncast(loop, to: IOLoop.self).sockets
                    .watch(descriptor, what, isPaused: isPaused)
            }
            return 0
        }
        rw_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, me)
        rw_multi_set_timer_function(multi) { _, milliseconds, me in
            UserData.lend(me!) { unsafeDowncast($0, to: IOLoop.self).setTimer(milliseconds) }
            return 0
        }
        rw_multi_set_pointer(multi, CURLMOPT_TIMERDATA, me)
        rw_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, limits.connectionsMax)
        rw_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, limits.connectionsPerHostMax)
        rw_multi_set_long(multi, CURLMOPT_MAXCONNECTS, limits.connectionsMax)
    }

    private func setTimer(_ milliseconds: Int) {
        switch milliseconds {
        case ..<0: curlDeadline = .never
        case 0: curlDeadline = Self.atOnce
        default: curlDeadline = systemClock.now().advanced(milliseconds: Int64(milliseconds))
        }
    }

    // MARK: One round

    private func obey() {
        guard !commands.isEmpty else { return }
        for command in commands {
            switch command {
            case .start(let active): accept(active)
            case .cancel(let id): cancel(id)
            case .resume(let id): exchanges[id]?.handle?.resume()
            case .body(let id, let piece): take(piece, of: id)
            }
        }
        startWaiting()
        for case .start(let active) in commands {
            guard active.isWaiting, active.deadline != .never else { continue }
            waitingDeadlines.insert(active, at: active.deadline)
        }
        // The memory for a burst of thousands of commands should not be kept for ever.
        commands.removeAll(keepingCapacity: commands.count <= 1_024)
    }

    private func work() {
        repeat {
            startWaiting()
            runTimer()
        } while finishDone()
        expireWaiting()
    }

    private func runTimer() {
        guard curlDeadline != .never,
            curlDeadline == Self.atOnce || curlDeadline <= systemClock.now()
        else { return }
        curlDeadline = .never
        var running: Int32 = 0
        CurlGlobal.gate.pass {
            _ = curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
        }
    }

    private func sleep() {
        watch(maySleep: inbox.willSleep() && setTimer())
        _ = finishDone()
    }

    private func watch(maySleep: Bool) {
        sockets.wait(maySleep: maySleep, timerFired: timer.hasFired) { descriptor, events in
            var bits: Int32 = 0
            let ended = EPOLLHUP.rawValue | EPOLLERR.rawValue
            if events & (SocketSet.readable | ended) != 0 { bits |= CURL_CSELECT_IN }
            if events & SocketSet.writable != 0 { bits |= CURL_CSELECT_OUT }
            if events & EPOLLERR.rawValue != 0 { bits |= CURL_CSELECT_ERR }
            var running: Int32 = 0
            CurlGlobal.gate.pass {
                _ = curl_multi_socket_action(multi, descriptor, bits, &running)
            }
            // A worker may start on completed exchanges while the others are read.
            _ = finishDone()
        }
    }

    /// Sets the timer for the next deadline; false if the deadline has already passed.
    private func setTimer() -> Bool {
        if curlDeadline == Self.atOnce { return false }
        var next = curlDeadline
        if let first = waitingDeadlines.first {
            // The deadlines of the queue use their own clock.
            let left = first.milliseconds(since: clock.now())
            next = min(next, systemClock.now().advanced(milliseconds: left))
        }
        timer.wake(at: next)
        return true
    }

    // MARK: Exchanges

    private func accept(_ active: ActiveExchange) {
        isAwaited = active.isAwaited
        guard let lane = lanes.lane(of: active.exchange.url) else {
            let error = TransportError(.invalidURL, "the URL is no absolute http or https URL")
            tell(active, .failure(error))
            return
        }
        if let refusal = active.refusal(knowing: sendableHeaders) {
            tell(active, .failure(refusal))
            return
        }
        sendableHeaders = active.exchange.headers
        active.lane = lane
        exchanges[active.id] = active
        queue.append(active, to: lane)
    }

    private func startWaiting() {
        guard var active = queue.next() else { return }
        let now = clock.now()
        while true {
            if let error = start(active, now) {
                active.handle = nil
                ended(active, .failure(error))
            }
            guard let next = queue.next() else { return }
            active = next
        }
    }

    /// Gives an exchange to libcurl; returns an error if that fails.
    private func start(_ active: ActiveExchange, _ now: Deadline) -> TransportError? {
        active.startedAt = now
        guard active.deadline > now else { return timedOutWaiting(active) }
        let idle = idleHandles.popLast()
        let new = { EasyHandle(sockets: self.sockets, self.settings) }
        guard let handle = idle ?? new() else {
            return TransportError(.outOfMemory, "no memory is left for another exchange")
        }
        let left = active.deadline == .never ? 0 : active.deadline.milliseconds(since: now)
        let error = handle.prepare(active, timeoutMilliseconds: left, cookies: cookies)
        if let error { return error }
        active.handle = handle
        let code = CurlGlobal.gate.pass { curl_multi_add_handle(multi, handle.easy) }
        guard code == CURLM_OK else {
            let text = String(cString: curl_multi_strerror(code))
            return TransportError(.internal, code: code.rawValue, "\(handle.place): \(text)")
        }
        return nil
    }

    /// Takes a handle back from libcurl, which may close a connection.
    private func takeBack(_ handle: EasyHandle) {
        CurlGlobal.gate.pass { _ = curl_multi_remove_handle(multi, handle.easy) }
    }

    /// Completes the exchanges that libcurl has finished; false if there are none.
    private func finishDone() -> Bool {
        var hasFinished = false
        var code = CURLE_OK
        while let easy = rw_multi_next_done(multi, &code) {
            hasFinished = true
            var pointer: UnsafeMutableRawPointer?
            rw_easy_get_pointer(easy, CURLINFO_PRIVATE, &pointer)
            finish(UserData.object(EasyHandle.self, pointer!), code)
        }
        return hasFinished
    }

    private func finish(_ handle: EasyHandle, _ code: CURLcode) {
        guard let active = handle.active else { return }
        if code == CURLE_HTTP2, repeatOnce(active, handle) { return }
        handle.tellChallenge()
        let result = handle.result(code, startedAt: active.startedAt)
        if case .success = result { handle.tellTrailers() }
        if let lane = active.lane, lane.isSecure, code == CURLE_OK {
            lane.isMultiplexed = handle.isMultiplexed
        }
        takeBack(handle)
        active.handle = nil
        handle.release()
        // Other handles may remember the failure: libcurl counts repetitions.
        if code == CURLE_OK, handle.attempts == 1, idleHandles.count < Self.idleHandlesMax {
            idleHandles.append(handle)
        }
        ended(active, result)
    }

    /// Sends a request once more if HTTP/2 left it unanswered. The usual cause is a GOAWAY, by
    /// which the server announces that it will not process the request (RFC 9113, section 6.8).
    /// libcurl 7.88 does not distinguish this from a broken frame. The connection is not used
    /// again.
    private func repeatOnce(_ active: ActiveExchange, _ handle: EasyHandle) -> Bool {
        guard !active.isRepetition, active.isRepeatable, !handle.head.hasBegun else {
            return false
        }
        active.isRepetition = true
        takeBack(handle)
        active.handle = nil
        handle.release()
        if let error = start(active, clock.now()) {
            active.handle = nil
            ended(active, .failure(error))
        }
        return true
    }

    private func take(_ piece: BodyPiece, of id: ExchangeID) {
        // The exchange may have ended since then.
        guard let active = exchanges[id], active.take(piece), let handle = active.handle else {
            return
        }
        CurlGlobal.gate.pass { _ = curl_easy_pause(handle.easy, CURLPAUSE_CONT) }
    }

    private func cancel(_ id: ExchangeID) {
        guard let active = exchanges[id] else { return }
        end(active, TransportError(.cancelled, "the exchange was cancelled"))
    }

    private func expireWaiting() {
        guard waitingDeadlines.first != nil else { return }
        let now = clock.now()
        while let active = waitingDeadlines.popExpired(now) {
            if active.isWaiting { end(active, timedOutWaiting(active)) }
        }
        // Most exchanges start in time, and their deadlines stay in the heap.
        if waitingDeadlines.count > 2 * queue.waiting + 64 {
            waitingDeadlines.compact { $0.isWaiting }
        }
    }

    private func timedOutWaiting(_ active: ActiveExchange) -> TransportError {
        let place = active.lane?.place ?? ""
        return TransportError(.timedOut, "\(place): timed out waiting for a connection")
    }

    /// Ends an exchange that libcurl has not finished, whether it is running or waiting.
    private func end(_ active: ActiveExchange, _ error: TransportError) {
        if let handle = active.handle {
            takeBack(handle)
            active.handle = nil
            handle.release()
            ended(active, .failure(error))
        } else {
            exchanges[active.id] = nil
            let lane = active.lane
            let observer = active.end()
            if let lane { queue.abandonedWaiting(lane) }
            observer?.completed(.failure(error))
        }
    }

    /// Completes an exchange that was running and frees its place.
    private func ended(
        _ active: ActiveExchange, _ result: Result<ExchangeSummary, TransportError>
    ) {
        exchanges[active.id] = nil
        if let lane = active.lane { queue.ended(lane) }
        tell(active, result)
    }

    private func tell(
        _ active: ActiveExchange, _ result: Result<ExchangeSummary, TransportError>
    ) {
        active.end()?.completed(result)
    }

    private func shutDown(_ error: TransportError) {
        for active in exchanges.values {
            guard let handle = active.handle else { continue }
            takeBack(handle)
            active.handle = nil
            handle.release()
        }
        let left = exchanges.values.sorted { $0.id.rawValue < $1.id.rawValue }
        exchanges = [:]
        for active in left { tell(active, .failure(error)) }
        for case .start(let active) in commands { tell(active, .failure(error)) }
    }
}
