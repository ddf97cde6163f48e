import RestwayHTTP
import RestwayRouting
import RestwaySupport
import Synchronization

/// The way of an exchange: to the transport, back to a worker, into objects.
extension Call {
    /// The largest body that is mapped together with others, one after the other.
    private static let roundBytesMax = 4 << 10

    /// Gives an exchange to the transport, with its body.
    ///
    /// - Parameters:
    ///   - exchange: What goes out for `request`, with its credential.
    ///   - isOnWorker: False on a thread that may be about to wait.
    func transmit(_ request: PreparedRequest, _ exchange: Exchange, isOnWorker: Bool) {
        guard let reader = request.reader else {
            return send(request, exchange, isOnWorker: isOnWorker)
        }
        open(reader, isOnWorker: isOnWorker) { feed, isOnWorker in
            var exchange = exchange
            exchange.body = .source(feed)
            self.send(request, exchange, isOnWorker: isOnWorker)
        }
    }

    private func send(_ request: PreparedRequest, _ exchange: Exchange, isOnWorker: Bool) {
        var exchange = exchange
        let (deadline, send, isAwaited) = state.withLock { state in
            state.sendCount += 1
            // With a reader the I/O thread stays in its place: the thread that waits may hold what
            // the host's function needs.
            let isAwaited = state.isAwaited && !isOnWorker && request.reader == nil
            return (state.deadline, state.sendCount, isAwaited)
        }
        if deadline != .never {
            let left = deadline.milliseconds(since: client.clock.now())
            guard left > 0 else {
                finish(.failure(Failure(.timedOut, "\(description) timed out")))
                return
            }
            exchange.timeouts.totalMilliseconds = left
        }
        log.sends(exchange)
        let recorder = ExchangeRecorder(
            bodyBytesMax: client.options.bodyBytesMax, isAwaited: isAwaited,
            progressed: progressFunction(for: request)
        ) { result, recorder in
            // The transport's thread only moves bytes.
            if self.joinsRound(request, result, recorder) {
                self.client.round.append { self.received(request, result, recorder, on: .round) }
            } else {
                self.hand { isOnWorker in
                    self.received(
                        request, result, recorder, on: isOnWorker ? .worker : .elsewhere)
                }
            }
        }
        let id = client.transports.start(
            exchange, through: request.transport, observer: recorder)
        let isWanted = state.withLock { state in
            state.phase.isNamed(id, isLatest: state.sendCount == send)
        }
        if !isWanted { client.transports.cancel(id) }
    }

    /// Whether a worker takes what was received together with what came beside it, which wakes
    /// fewer threads (decision 0019): what is small and asks nobody. The exchange is over then.
    private func joinsRound(
        _ request: PreparedRequest, _ result: Result<ExchangeSummary, TransportError>,
        _ recorder: ExchangeRecorder
    ) -> Bool {
        guard case .success = result, client.hasRounds, !recorder.isAwaited,
            recorder.bodyCount <= Self.roundBytesMax,
            request.transport == TransportTable.builtIn, !api.definition.asksWhileMapping,
            let head = recorder.head, head.isSuccess,
            head.headers[first: "Content-Encoding"] == nil
        else { return false }
        return state.withLock { state in
            guard !state.isAwaited, state.part == nil, state.follower == nil else { return false }
            return state.phase.endExchange()
        }
    }

    /// Whether the store may change for this call: from then on it is too late to cancel.
    func beginsCommit() -> Bool {
        state.withLock { $0.phase.beginCommit() }
    }

    func received(
        _ request: PreparedRequest, _ result: Result<ExchangeSummary, TransportError>,
        _ recorder: ExchangeRecorder, on place: Delivery.Place
    ) {
        let isOnWorker = place.isWorker
        guard state.withLock({ $0.phase.beginProcessing() }) else { return }
        switch result {
        case .failure(let error):
            client.missed(request, error)
            var failure = Failure(error)
            failure.message = "\(description): \(error.message)"
            if !recovers(failure, request, isOnWorker: isOnWorker) {
                finish(.failure(explained(failure)), on: place)
            }
        case .success(let summary):
            guard let head = recorder.head else {
                finish(.failure(Failure(.internal, "\(description): completed without a head")))
                return
            }
            log.receives(head)
            client.reached(request)
            transferred(request)
            if follow(head, summary, of: request, isOnWorker: isOnWorker) { return }
            // The host is not asked on a thread of its own, which may hold what the answer needs.
            if !isOnWorker, !head.isSuccess, client.asksAboutFailures {
                client.pool.submit {
                    self.process(request, head, recorder, CallTimings(summary), on: .worker)
                }
            } else {
                process(request, head, recorder, CallTimings(summary), on: place)
            }
        }
    }

    private func process(
        _ request: PreparedRequest, _ head: ResponseHead, _ recorder: ExchangeRecorder,
        _ timings: CallTimings, on place: Delivery.Place
    ) {
        let isOnWorker = place.isWorker
        let processor = ResponseProcessor(
            call: self, client: client, request: request, isOnWorker: isOnWorker,
            mappingProgressed: mappingProgressFunction(for: request))
        do {
            let response = try processor.process(
                head, recorder.takeBody(), recorder.trailers, timings)
            guard let response else { return }
            if request.sending.retry != nil {
                client.retry.succeeded(
                    request.exchange.url, afterRetry: state.withLock { $0.attempts.retries > 0 })
            }
            finish(.success(response), on: place)
        } catch {
            // What was damaged on its way may come whole the next time.
            if error.reason == .connectionLost, recovers(error, request, isOnWorker: isOnWorker) {
                return
            }
            finish(.failure(explained(error)), on: place)
        }
    }
}
