import RestwayHTTP
import RestwayRouting
import RestwaySupport
import Synchronization

/// The way of an exchange: to the transport, back to a worker, into objects.
extension Call {
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
            self.hand { self.received(request, result, recorder, isOnWorker: $0) }
        }
        let id = client.transports.start(
            exchange, through: request.transport, observer: recorder)
        let isWanted = state.withLock { state in
            state.phase.isNamed(id, isLatest: state.sendCount == send)
        }
        if !isWanted { client.transports.cancel(id) }
    }

    func received(
        _ request: PreparedRequest, _ result: Result<ExchangeSummary, TransportError>,
        _ recorder: ExchangeRecorder, isOnWorker: Bool
    ) {
        guard state.withLock({ $0.phase.beginProcessing() }) else { return }
        switch result {
        case .failure(let error):
            client.missed(request, error)
            var failure = Failure(error)
            failure.message = "\(description): \(error.message)"
            if !recovers(failure, request, isOnWorker: isOnWorker) {
                finish(.failure(explained(failure)), isOnWorker: isOnWorker)
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
            let process = { @Sendable (isOnWorker: Bool) in
                self.process(
                    request, head, recorder, CallTimings(summary), isOnWorker: isOnWorker)
            }
            // The host is not asked on a thread of its own, which may hold what the answer needs.
            if !isOnWorker, !head.isSuccess, client.asksAboutFailures {
                client.pool.submit { process(true) }
            } else {
                process(isOnWorker)
            }
        }
    }

    private func process(
        _ request: PreparedRequest, _ head: ResponseHead, _ recorder: ExchangeRecorder,
        _ timings: CallTimings, isOnWorker: Bool
    ) {
        let processor = ResponseProcessor(
            client: client, api: api, started: started, request: request, log: log,
            progress: mappingProgress, isAbandoned: { self.hasEnded.load(ordering: .relaxed) },
            mayCommit: { self.state.withLock { $0.phase.beginCommit() } },
            isRecovered: { self.recovers($0, request, isOnWorker: isOnWorker) },
            attempts: { self.attempts(endingWith: head.status) },
            mappingProgressed: mappingProgressFunction(for: request))
        do {
            let response = try processor.process(
                head, recorder.takeBody(), recorder.trailers, timings)
            guard let response else { return }
            if request.sending.retry != nil {
                client.retry.succeeded(
                    request.exchange.url, afterRetry: state.withLock { $0.attempts.retries > 0 })
            }
            finish(.success(response), isOnWorker: isOnWorker)
        } catch {
            // What was damaged on its way may come whole the next time.
            if error.reason == .connectionLost, recovers(error, request, isOnWorker: isOnWorker) {
                return
            }
            finish(.failure(explained(error)), isOnWorker: isOnWorker)
        }
    }
}
