import RestwayClient
import RestwayThreads

/// A request that the program builds, from any thread.
final class RequestHandle: HandleObject, Sendable {
    let spec: Lock<RequestSpec>
    let generation = ProcessGeneration.current

    init(_ spec: RequestSpec) {
        self.spec = Lock(spec)
    }

    func set(_ body: RequestSpec.Body) {
        // The previous value may end here, which may run a destroy function of the program.
        let before = spec.withLock { spec in
            let before = spec.body
            spec.body = body
            return before
        }
        _ = consume before
    }

    /// Returns the present request.
    func copy() -> RequestSpec {
        spec.withLock { $0 }
    }
}
