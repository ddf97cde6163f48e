import RestwayHTTP
import RestwayThreads
import XCTest

/// A transport that the test controls: nothing happens before the test says so.
final class FakeTransport: Transport {
    struct Started {
        let id: ExchangeID
        let exchange: Exchange
        let observer: any ExchangeObserver
    }

    private struct State {
        var waiting: [Started] = []
        var cancelled: [ExchangeID] = []
        var resumedCount = 0
        var isClosed = false
        var idLast: UInt64 = 0
        var whileStarting: (@Sendable (Started) -> Void)?
    }

    private let state = Monitor(State())

    /// Sets a function that runs before `start` returns.
    func onStart(_ run: @escaping @Sendable (Started) -> Void) {
        state.withLock { $0.whileStarting = run }
    }

    /// Sets a function that chooses how an exchange is answered. A worker gives the answer, unless
    /// a close ends the exchange first. Without a choice, the exchange waits.
    func answerEach(by choose: @escaping @Sendable (Started) -> (@Sendable (Started) -> Void)?) {
        onStart { [weak self] started in
            guard let self, let answer = choose(started) else { return }
            WorkerPool.shared.submit {
                if self.take(started) { answer(started) }
            }
        }
    }

    /// Returns false if a close has ended the exchange.
    private func take(_ started: Started) -> Bool {
        state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.id == started.id }) else {
                return false
            }
            state.waiting.remove(at: index)
            return true
        }
    }

    func start(_ exchange: Exchange, observer: any ExchangeObserver) -> ExchangeID {
        let (started, isClosed, whileStarting) = state.update { state in
            state.idLast += 1
            let started = Started(
                id: ExchangeID(state.idLast), exchange: exchange, observer: observer)
            if !state.isClosed { state.waiting.append(started) }
            return (started, state.isClosed, state.whileStarting)
        }
        if isClosed { observer.completed(.failure(TransportError(.closed, "closed"))) }
        whileStarting?(started)
        return started.id
    }

    func cancel(_ id: ExchangeID) {
        state.update { $0.cancelled.append(id) }
    }

    func resume(_ id: ExchangeID) {
        state.update { $0.resumedCount += 1 }
    }

    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for started in waiting {
            started.observer.completed(.failure(TransportError(.closed, "closed")))
        }
    }

    var cancelledCount: Int { state.withLock { $0.cancelled.count } }

    /// Waits for a cancel that another thread makes, or for `count` of them.
    func waitForCancels(_ count: Int = 1) {
        state.wait { $0.cancelled.count >= count ? () : nil }
        XCTAssertEqual(cancelledCount, count)
    }

    /// Waits until an exchange was resumed.
    func waitForResume() {
        state.wait { $0.resumedCount > 0 ? () : nil }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Waits for the next exchange that is started.
    func next() -> Started {
        let started: Started? = state.wait { state in
            state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        return started!
    }

    /// Gives the head of an answer to the next exchange and returns the exchange.
    func begin(_ status: Int = 200, _ headers: [HeaderField] = []) -> Started {
        let started = next()
        started.begin(status, headers)
        return started
    }

    /// Answers the next exchange and returns it.
    @discardableResult
    func answer(
        _ status: Int = 200, _ body: String = "", headers: [HeaderField] = [],
        redirectURL: String? = nil
    ) -> Exchange {
        let started = next()
        started.answer(status, body, headers: headers, redirectURL: redirectURL)
        return started.exchange
    }
}

extension FakeTransport.Started {
    /// Gives the head of an answer.
    func begin(_ status: Int, _ headers: [HeaderField]) {
        observer.receivedHead(
            ResponseHead(status: status, headers: Headers(headers), url: exchange.url))
    }

    func answer(
        _ status: Int = 200, _ body: String = "", headers: [HeaderField] = [],
        redirectURL: String? = nil
    ) {
        begin(status, headers)
        for byte in Array(body.utf8) {
            // The body comes one byte at a time: the result must not depend on how it is cut.
            _ = withUnsafeBytes(of: byte) { observer.receivedBody($0) }
        }
        observer.completed(.success(ExchangeSummary(redirectURL: redirectURL)))
    }

    func fail(_ kind: TransportError.Kind) {
        observer.completed(.failure(TransportError(kind, code: 7, "failed on purpose")))
    }
}

/// A clock that does not run until the test moves it.
final class FakeClock: Clock, Timers {
    private let time = Lock(Deadline(nanoseconds: 1_000_000_000))

    func now() -> Deadline { time.withLock { $0 } }
    func wallMicroseconds() -> Int64 { 0 }

    func advance(milliseconds: Int64) {
        time.withLock { $0 = $0.advanced(milliseconds: milliseconds) }
    }

    /// Timers run by the machine's clock.
    func schedule(at deadline: Deadline, _ job: @escaping @Sendable () -> Void) -> TimerTicket {
        SystemTimers.shared.schedule(at: deadline, job)
    }
}
