import CCurl
import Glibc
import RestwayHTTP
import RestwayThreads

/// The exchanges of a transport: the exchanges that run on libcurl and the exchanges that wait.
///
/// Only the I/O thread uses the loop: it creates, runs and destroys it. Other threads reach the
/// loop through the inbox. The loop sleeps until a socket, a timer or the inbox has work.
final class IOLoop {
    private let inbox: Inbox
    private let clock: any Clock
    private let multi: CurlMulti
    private var handles: HandlePool

    private var commands: [Inbox.Command] = []
    private var queues = OriginQueues()
    private var queue: FairQueue
    /// All exchanges that have not completed.
    private var exchanges: [ExchangeID: ActiveExchange] = [:]
    /// The total time limits of the exchanges that had to wait.
    private var waitingDeadlines = DeadlineHeap<ActiveExchange> { $0.isWaiting }
    /// The next times at which to look whether an answer has begun.
    private var answerDeadlines = DeadlineHeap<ActiveExchange> { $0.awaitsAnswer }
    /// The time at which the exchanges are looked at next, to find the idle ones.
    private var idleCheck = Deadline.never
    private static let idleCheckMilliseconds: Int64 = 1_000
    /// A new connection is free of obstacles. More starts are needed only for the second request of
    /// Digest authentication.
    private static let stopsMax = 4

    /// Creates a loop; nil if the system has no resources left.
    init?(inbox: Inbox, settings: CurlTransport.Settings, clock: any Clock) {
        let limits = settings.limits
        guard let multi = CurlMulti(wakeUps: inbox.eventDescriptor, limits) else { return nil }
        self.inbox = inbox
        self.clock = clock
        self.multi = multi
        handles = HandlePool(sockets: multi.sockets, settings)
        queue = FairQueue(
            runningMax: limits.connectionsMax, runningPerOriginMax: limits.connectionsPerHostMax)
    }

    deinit {
        // The easy handles must be freed before the multi handle.
        handles.removeAll()
    }

    /// Performs exchanges until the transport is closed.
    func run() {
        while true {
            switch inbox.take(&commands) {
            case .idle, .running: break
            case .closed(let error): return shutDown(error)
            // The loop is never freed here, because its end would complete the running exchanges.
            case .abandoned: return _ = UserData.retain(self)
            }
            work()
            sleep()
        }
    }

    /// Performs the commands and the work that libcurl can do without waiting.
    private func work() {
        performCommands()
        expireLateAnswers()
        repeat {
            startWaiting()
            multi.runTimer()
        } while finishDone()
        expireWaiting()
        endIdle()
    }

    /// Waits for sockets, a timer or the inbox.
    private func sleep() {
        // A worker may start on completed exchanges while the other exchanges are read.
        multi.wait(maySleep: inbox.noteSleep() && setWakeUp()) { _ = finishDone() }
        _ = finishDone()
    }

    private func setWakeUp() -> Bool {
        // The deadlines of the queue use their own clock.
        let next = waitingDeadlines.first
        return multi.setWakeUp(
            within: next == .never ? nil : next.milliseconds(since: clock.now()),
            notAfter: min(idleCheck, answerDeadlines.first))
    }

    private func performCommands() {
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

    // MARK: Starting exchanges

    private func accept(_ active: ActiveExchange) {
        guard let originQueue = queues.queue(of: active.exchange.url) else {
            let error = TransportError(.invalidURL, "the URL is no absolute http or https URL")
            active.end()?.completed(.failure(error))
            return
        }
        if let refusal = active.refusal {
            active.end()?.completed(.failure(refusal))
            return
        }
        active.originQueue = originQueue
        exchanges[active.id] = active
        queue.append(active, to: originQueue)
    }

    private func startWaiting() {
        guard var active = queue.next() else { return }
        let now = clock.now()
        while true {
            start(active, now)
            guard let next = queue.next() else { return }
            active = next
        }
    }

    /// Gives an exchange to libcurl; completes it if that fails.
    private func start(_ active: ActiveExchange, _ now: Deadline) {
        active.startedAt = now
        if let error = add(active, now) {
            active.handle = nil
            ended(active, .failure(error))
        }
    }

    private func add(_ active: ActiveExchange, _ now: Deadline) -> TransportError? {
        guard active.deadline > now else { return timedOutWaiting(active) }
        guard let handle = handles.take() else {
            return .noResources("memory for another exchange", ENOMEM)
        }
        let left = active.deadline == .never ? 0 : active.deadline.milliseconds(since: now)
        let error = handle.prepare(active, timeoutMilliseconds: left, cookies: handles.cookies)
        if let error { return error }
        active.handle = handle
        let code = multi.add(handle)
        guard code == CURLM_OK else {
            let text = String(cString: curl_multi_strerror(code))
            return TransportError(.internal, code: code.rawValue, "\(handle.place): \(text)")
        }
        let limit = active.exchange.timeouts.firstByteMilliseconds
        if limit > 0 { watchAnswer(active, within: limit) }
        return nil
    }

    /// Checks after this time whether the answer has begun.
    private func watchAnswer(_ active: ActiveExchange, within milliseconds: Int64) {
        answerDeadlines.insert(
            active, at: SystemClock().now().advanced(milliseconds: milliseconds))
    }

    private func take(_ piece: BodyPiece, of id: ExchangeID) {
        // The exchange may have ended since then.
        guard let active = exchanges[id], active.pulled?.take(piece) == true,
            let handle = active.handle
        else { return }
        CurlGlobal.gate.pass { _ = curl_easy_pause(handle.easy, CURLPAUSE_CONT) }
    }

    // MARK: Ending exchanges

    /// Completes the exchanges that libcurl has finished. Returns false if libcurl has finished no
    /// exchange.
    private func finishDone() -> Bool {
        var hasFinished = false
        while let done = multi.nextDone() {
            hasFinished = true
            finish(done.handle, done.code)
        }
        return hasFinished
    }

    private func finish(_ handle: EasyHandle, _ code: CURLcode) {
        guard let active = handle.active else { return }
        if let obstacle = handle.transfer.place.obstacle {
            return startAnew(active, handle, obstacle)
        }
        if code == CURLE_HTTP2, repeatOnce(active, handle) { return }
        handle.tellChallenge()
        let result = TransferResult(handle: handle, code: code).summary(startedAt: active.startedAt)
        switch result {
        case .success: handle.tellTrailers()
        case .failure: handle.tellUnfinishedHead()
        }
        if let originQueue = active.originQueue, code == CURLE_OK,
            originQueue.isSecure || handle.network.sharesPlainConnections
        {
            originQueue.isMultiplexed = handle.info.isMultiplexed
        }
        let wasSentOnce = handle.transfer.attempts == 1
        takeBack(handle, active)
        // Other handles may remember the failure: libcurl counts repetitions.
        if code == CURLE_OK, wasSentOnce { handles.keep(handle) }
        ended(active, result)
    }

    /// Sends a request once more if HTTP/2 left it unanswered. The usual cause is a GOAWAY, by
    /// which the server announces that it will not process the request (RFC 9113, section 6.8).
    /// libcurl 7.88 does not distinguish this from a broken frame. The connection is not used
    /// again.
    private func repeatOnce(_ active: ActiveExchange, _ handle: EasyHandle) -> Bool {
        guard !active.newStart.isRepetition, active.isRepeatable, !handle.transfer.head.hasBegun
        else { return false }
        active.newStart.isRepetition = true
        takeBack(handle, active)
        start(active, clock.now())
        return true
    }

    /// Starts an exchange again whose request was stopped on the connection that libcurl had
    /// chosen. No byte of the request has been sent on that connection, so this is no attempt.
    private func startAnew(
        _ active: ActiveExchange, _ handle: EasyHandle, _ obstacle: PlaceOnConnection.Obstacle
    ) {
        switch obstacle {
        case .busy: active.originQueue?.avoidsHTTP2 = true
        case .unread: active.newStart.needsNewConnection = true
        case .moreFrames: break
        }
        let transfer = handle.transfer
        if transfer.place.answersChallenge {
            active.newStart.attemptsBefore = 0
        } else {
            active.newStart.attemptsBefore += transfer.attempts - 1
        }
        if obstacle != .moreFrames { active.newStart.stops += 1 }
        takeBack(handle, active)
        guard active.newStart.stops <= Self.stopsMax else {
            let place = active.originQueue?.place ?? ""
            let error = TransportError(
                .connectionLost,
                "\(place): each connection has bytes that answer no request")
            return ended(active, .failure(error))
        }
        start(active, clock.now())
    }

    private func takeBack(_ handle: EasyHandle, _ active: ActiveExchange) {
        multi.remove(handle)
        active.handle = nil
        handle.release()
    }

    private func cancel(_ id: ExchangeID) {
        guard let active = exchanges[id] else { return }
        end(active, TransportError(.cancelled, "the exchange was cancelled"))
    }

    private func expireWaiting() {
        guard waitingDeadlines.first != .never else { return }
        for active in waitingDeadlines.popDue(clock.now()) where active.isWaiting {
            end(active, timedOutWaiting(active))
        }
        // Most exchanges start in time, and their deadlines stay in the heap.
        if waitingDeadlines.count > 2 * queue.waiting + 64 { waitingDeadlines.sweep() }
    }

    /// Ends the exchanges on which no byte has moved for too long.
    private func endIdle() {
        guard !exchanges.isEmpty else { return idleCheck = .never }
        let now = SystemClock().now()
        guard idleCheck <= now || idleCheck == .never else { return }
        let isDue = idleCheck != .never
        idleCheck = now.advanced(milliseconds: Self.idleCheckMilliseconds)
        guard isDue else { return }
        for active in exchanges.values.filter({ $0.handle?.hasBeenIdle(at: now) == true }) {
            let limit = active.exchange.timeouts.idleMilliseconds
            timeOut(active, "no byte has moved for the idle time limit of \(limit) ms: too slow")
        }
    }

    /// Ends the exchanges whose answers have not begun in time.
    private func expireLateAnswers() {
        guard answerDeadlines.first != .never else { return }
        let now = SystemClock().now()
        for active in answerDeadlines.popDue(now) where active.awaitsAnswer {
            let left = active.answerTimeLeft(at: now)
            guard left <= 0 else {
                watchAnswer(active, within: left)
                continue
            }
            let limit = active.exchange.timeouts.firstByteMilliseconds
            timeOut(
                active, "no byte of the answer has come within the first-byte time limit of "
                    + "\(limit) ms")
        }
    }

    /// Ends an exchange for which a time limit of this loop has passed.
    private func timeOut(_ active: ActiveExchange, _ text: String) {
        let place = active.originQueue?.place ?? ""
        end(
            active,
            TransportError(
                .timedOut, code: Int32(CURLE_OPERATION_TIMEDOUT.rawValue), "\(place): \(text)"))
    }

    private func timedOutWaiting(_ active: ActiveExchange) -> TransportError {
        let place = active.originQueue?.place ?? ""
        return TransportError(
            .timedOut,
            "\(place): timed out waiting for a connection: "
                + active.exchange.timeouts.totalText)
    }

    /// Ends an exchange that libcurl has not finished, whether it is running or waiting.
    private func end(_ active: ActiveExchange, _ error: TransportError) {
        if let handle = active.handle {
            takeBack(handle, active)
            ended(active, .failure(error))
        } else {
            exchanges[active.id] = nil
            let originQueue = active.originQueue
            let observer = active.end()
            if let originQueue { queue.abandonedWaiting(originQueue) }
            observer?.completed(.failure(error))
        }
    }

    /// Completes an exchange that was running and frees its place.
    private func ended(
        _ active: ActiveExchange, _ result: Result<ExchangeSummary, TransportError>
    ) {
        exchanges[active.id] = nil
        if let originQueue = active.originQueue { queue.ended(originQueue) }
        active.end()?.completed(result)
    }

    private func shutDown(_ error: TransportError) {
        for active in exchanges.values {
            if let handle = active.handle { takeBack(handle, active) }
        }
        let left = exchanges.values.sorted { $0.id.rawValue < $1.id.rawValue }
        exchanges = [:]
        for active in left { active.end()?.completed(.failure(error)) }
        for case .start(let active) in commands { active.end()?.completed(.failure(error)) }
    }
}
