import RestwayHTTP
import RestwayThreads

/// A transport that answers, fails, redirects, repeats itself, is late or says nothing, as its
/// random numbers will. With every second seed its answers are mapped in rounds.
final class MisbehavingTransport: Transport {
    private enum Behaviour: CaseIterable {
        case answers, answersAtOnce, answersTwice, fails, redirects, waitsForCancel, saysNothing
    }

    private struct State {
        var random: SeededRandom
        var idLast: UInt64 = 0
        var waiting: [ExchangeID: any ExchangeObserver] = [:]
        var isClosed = false
    }

    private let state: Lock<State>
    private let pool: WorkerPool

    init(seed: UInt64, pool: WorkerPool) {
        state = Lock(State(random: SeededRandom(seed: seed)))
        self.pool = pool
    }

    func start(_ exchange: Exchange, observer: any ExchangeObserver) -> ExchangeID {
        let (id, behaviour): (ExchangeID, Behaviour?) = state.withLock { state in
            state.idLast += 1
            let id = ExchangeID(state.idLast)
            guard !state.isClosed else { return (id, nil) }
            let behaviour = Behaviour.allCases.randomElement(using: &state.random)!
            if behaviour == .waitsForCancel { state.waiting[id] = observer }
            return (id, behaviour)
        }
        let url = exchange.url
        switch behaviour {
        case nil: observer.completed(.failure(TransportError(.closed, "closed")))
        case .answersAtOnce: Self.answer(observer, url)
        case .answers:
            pool.submit {
                Self.answer(observer, url)
            }
        case .answersTwice:
            pool.submit {
                Self.answer(observer, url)
                observer.completed(.failure(TransportError(.connectionLost, "again")))
            }
        case .fails:
            pool.submit { observer.completed(.failure(TransportError(.connect, "refused"))) }
        case .redirects: pool.submit { Self.redirect(observer, url) }
        case .waitsForCancel, .saysNothing: break
        }
        return id
    }

    func cancel(_ id: ExchangeID) {
        let observer = state.withLock { $0.waiting.removeValue(forKey: id) }
        observer?.completed(.failure(TransportError(.cancelled, "cancelled")))
    }

    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for observer in waiting {
            pool.submit { observer.completed(.failure(TransportError(.closed, "closed"))) }
        }
    }

    private static func answer(_ observer: any ExchangeObserver, _ url: String) {
        observer.receivedHead(ResponseHead(status: 200, headers: Headers(), url: url))
        for byte in Array(#"{"id": 1, "name": "x"}"#.utf8) {
            _ = withUnsafeBytes(of: byte) { observer.receivedBody($0) }
        }
        observer.completed(.success(ExchangeSummary()))
    }

    private static func redirect(_ observer: any ExchangeObserver, _ url: String) {
        observer.receivedHead(ResponseHead(status: 302, headers: Headers(), url: url))
        observer.completed(.success(ExchangeSummary(redirectURL: url + "x")))
    }
}

/// Random numbers that a failed run can repeat (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
