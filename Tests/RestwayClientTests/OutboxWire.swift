import RestwayHTTP
import RestwayThreads

@testable import RestwayOutbox

/// The connection of a client to an `OutboxServer`; it ends with the client.
final class OutboxWire: Transport {
    private struct Held {
        let id: ExchangeID
        let answer: @Sendable () -> Void
        let refuse: @Sendable (TransportError.Kind) -> Void
    }

    private struct State {
        var held: [Held] = []
        var isClosed = false
        var idLast: UInt64 = 0
    }

    private let server: OutboxServer
    private let state = Lock(State())

    init(_ server: OutboxServer) {
        self.server = server
    }

    func start(_ exchange: Exchange, observer: any ExchangeObserver) -> ExchangeID {
        let (id, isClosed) = state.withLock { state in
            state.idLast += 1
            return (ExchangeID(state.idLast), state.isClosed)
        }
        if isClosed {
            Self.fail(observer, .closed)
        } else {
            WorkerPool.forBodies.submit { self.answer(id, exchange, observer) }
        }
        return id
    }

    private static func fail(_ observer: any ExchangeObserver, _ kind: TransportError.Kind) {
        observer.completed(.failure(TransportError(kind, code: 7, "failed on purpose")))
    }

    private func answer(
        _ id: ExchangeID, _ exchange: Exchange, _ observer: any ExchangeObserver
    ) {
        // This is checked under the lock: when the wire is closed, nothing more reaches the server.
        let step: @Sendable () -> Void = state.withLock { state in
            if state.isClosed { return { Self.fail(observer, .closed) } }
            guard server.isOnline else { return { Self.fail(observer, .connect) } }
            guard let answer = server.answer(exchange), !answer.isLost else {
                return { Self.fail(observer, .connectionLost) }
            }
            let send = { @Sendable in
                var headers = Headers()
                if let wait = answer.retryAfter { headers.set("Retry-After", wait) }
                observer.receivedHead(
                    ResponseHead(status: answer.status, headers: headers, url: exchange.url))
                Array(answer.body.utf8).withUnsafeBytes { _ = observer.receivedBody($0) }
                observer.completed(.success(ExchangeSummary(redirectURL: nil)))
            }
            guard answer.isSlow else { return send }
            state.held.append(Held(id: id, answer: send, refuse: { Self.fail(observer, $0) }))
            return {}
        }
        step()
    }

    /// Releases slow answers: the oldest one, or all.
    func release(all: Bool) {
        let held = state.withLock { state in
            let count = all ? state.held.count : min(1, state.held.count)
            defer { state.held.removeFirst(count) }
            return Array(state.held.prefix(count))
        }
        for held in held { held.answer() }
    }

    func cancel(_ id: ExchangeID) {
        let held = state.withLock { state in
            let index = state.held.firstIndex { $0.id == id }
            return index.map { state.held.remove(at: $0) }
        }
        held?.refuse(.cancelled)
    }

    func close() {
        let held = state.withLock { state in
            state.isClosed = true
            defer { state.held = [] }
            return state.held
        }
        for held in held { held.refuse(.closed) }
    }
}
