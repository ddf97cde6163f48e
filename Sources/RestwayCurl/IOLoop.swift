import CCurl
import CLinux
import Glibc
import RestwayHTTP
import RestwaySupport

/// libcurl's multi handle, what runs on it and what waits for it.
///
/// Made and ended on the I/O thread, and driven by it, or for a while by its guest: `Inbox` sees to
/// it that there is one driver at a time. Other threads speak to it through the inbox. It sleeps
/// until a socket, a timer or the inbox has something for it.
final class IOLoop {
    /// Handles kept for later exchanges. Each holds a buffer, so not for ever as many as ran once.
    private static let idleHandlesMax = 64

    /// A deadline that has passed, without a look at the clock.
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
    /// Those of the exchange that was accepted last.
    private var sendableHeaders: [HeaderField] = []
    private var queue: FairQueue
    /// Everything that has not completed.
    private var exchanges: [ExchangeID: ActiveExchange] = [:]
    /// The total time-outs of those that had to wait.
    private var waitingDeadlines = DeadlineHeap<ActiveExchange>()
    private var idleHandles: [EasyHandle] = []
    /// When libcurl wants to be called although no socket is ready; on the system's clock.
    private var curlDeadline = Deadline.never
    private let systemClock = SystemClock()
    /// Completions were told whose round has not ended.
    private var isInRound = false
    /// Somebody waited for the exchange that came last.
    private var isAwaited = false

    /// nil when the system has no resources to give.
    init?(inbox: Inbox, settings: CurlTransport.Settings, clock: any Clock) {
        let wakeUps = inbox.eventDescriptor
        guard CurlGlobal.isReady, let timer = TimerDescriptor(),
            let sockets = SocketSet(
                wakeUps: wakeUps, timer: timer.descriptor,
                busyPoll: BusyPoll(microseconds: settings.busyPollMicroseconds)),
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
        // Closes the connections, which still need `sockets`.
        curl_multi_cleanup(multi)
    }

    /// The I/O thread: drives until the transport is closed.
    func run() {
        while true {
            switch inbox.take(&commands) {
            case .goOn: break
            case .shutDown(let error):
                inbox.forgetLoop()
                return shutDown(error)
            // Kept for ever: the end of a loop is work, and completes what is under way.
            case .abandon: return _ = UserData.retain(self)
            }
            obey()
            work()
            endRound()
            if isAwaited, exchanges.isEmpty, inbox.rest(self) {
                lookAfterRest()
            } else {
                sleep(.sleep)
            }
        }
    }

    /// A guest: drives as long as `isWanted`, or until the I/O thread has to. Says whether nothing
    /// is under way.
    func drive(while isWanted: () -> Bool) -> Bool {
        lookAfterRest()
        while isWanted(), inbox.takeAsGuest(&commands) {
            obey()
            work()
            endRound()
            guard isWanted() else { break }
            sleep(.pollFirst)
        }
        return exchanges.isEmpty
    }

    /// Nobody has watched the idle connections meanwhile: those that ended are not to be used.
    private func lookAfterRest() {
        watch(.none)
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
        // A burst of thousands should not stay reserved for ever.
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
        curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
    }

    private func sleep(_ patience: SocketSet.Patience) {
        watch(inbox.willSleep() && setTimer() ? patience : .none)
        _ = finishDone()
        endRound()
    }

    private func watch(_ patience: SocketSet.Patience) {
        sockets.wait(patience, timerFired: timer.hasFired) { descriptor, events in
            var bits: Int32 = 0
            let ended = EPOLLHUP.rawValue | EPOLLERR.rawValue
            if events & (SocketSet.readable | ended) != 0 { bits |= CURL_CSELECT_IN }
            if events & SocketSet.writable != 0 { bits |= CURL_CSELECT_OUT }
            if events & EPOLLERR.rawValue != 0 { bits |= CURL_CSELECT_ERR }
            var running: Int32 = 0
            curl_multi_socket_action(multi, descriptor, bits, &running)
            // A worker may begin with what is complete while the others are read.
            _ = finishDone()
        }
    }

    /// Sees to it that the next deadline ends the sleep; false when it has passed already.
    private func setTimer() -> Bool {
        if curlDeadline == Self.atOnce { return false }
        var next = curlDeadline
        if let first = waitingDeadlines.first {
            // The queue's deadlines are on a clock of their own.
            let left = first.milliseconds(since: clock.now())
            next = min(next, systemClock.now().advanced(milliseconds: left))
        }
        timer.wake(at: next)
        return true
    }

    private func endRound() {
        guard isInRound else { return }
        isInRound = false
        settings.roundEnded?()
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

    /// Gives an exchange to libcurl; says why it cannot.
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
        let code = curl_multi_add_handle(multi, handle.easy)
        guard code == CURLM_OK else {
            let text = String(cString: curl_multi_strerror(code))
            return TransportError(.internal, code: code.rawValue, "\(handle.place): \(text)")
        }
        return nil
    }

    /// Completes what libcurl has finished; false when that is nothing.
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
        curl_multi_remove_handle(multi, handle.easy)
        active.handle = nil
        handle.release()
        // One that failed, or that libcurl repeated, may remember it: it counts repetitions.
        if code == CURLE_OK, handle.attempts == 1, idleHandles.count < Self.idleHandlesMax {
            idleHandles.append(handle)
        }
        ended(active, result)
    }

    /// Sends a request once more that HTTP/2 left unanswered: most often the server has announced
    /// with a GOAWAY that it will not look at it (RFC 9113, section 6.8), which libcurl 7.88 does
    /// not tell from a broken frame. Its connection is not used again.
    private func repeatOnce(_ active: ActiveExchange, _ handle: EasyHandle) -> Bool {
        guard !active.isRepetition, active.isRepeatable, !handle.head.hasBegun else {
            return false
        }
        active.isRepetition = true
        curl_multi_remove_handle(multi, handle.easy)
        active.handle = nil
        handle.release()
        if let error = start(active, clock.now()) {
            active.handle = nil
            ended(active, .failure(error))
        }
        return true
    }

    private func take(_ piece: BodyPiece, of id: ExchangeID) {
        // It may have ended meanwhile.
        guard let active = exchanges[id], active.take(piece), let handle = active.handle else {
            return
        }
        curl_easy_pause(handle.easy, CURLPAUSE_CONT)
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
        // Most start in time, and their deadlines stay behind.
        if waitingDeadlines.count > 2 * queue.waiting + 64 {
            waitingDeadlines.compact { $0.isWaiting }
        }
    }

    private func timedOutWaiting(_ active: ActiveExchange) -> TransportError {
        let place = active.lane?.place ?? ""
        return TransportError(.timedOut, "\(place): timed out waiting for a connection")
    }

    /// Ends an exchange that libcurl has not finished, running or waiting.
    private func end(_ active: ActiveExchange, _ error: TransportError) {
        if let handle = active.handle {
            curl_multi_remove_handle(multi, handle.easy)
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

    /// An exchange that had a place gives it back, and completes.
    private func ended(
        _ active: ActiveExchange, _ result: Result<ExchangeSummary, TransportError>
    ) {
        exchanges[active.id] = nil
        if let lane = active.lane { queue.ended(lane) }
        isInRound = true
        tell(active, result)
    }

    private func tell(
        _ active: ActiveExchange, _ result: Result<ExchangeSummary, TransportError>
    ) {
        active.end()?.completed(result)
    }

    private func shutDown(_ error: TransportError) {
        endRound()
        for active in exchanges.values {
            guard let handle = active.handle else { continue }
            curl_multi_remove_handle(multi, handle.easy)
            active.handle = nil
            handle.release()
        }
        let left = exchanges.values.sorted { $0.id.rawValue < $1.id.rawValue }
        exchanges = [:]
        for active in left { tell(active, .failure(error)) }
        for case .start(let active) in commands { tell(active, .failure(error)) }
    }
}
