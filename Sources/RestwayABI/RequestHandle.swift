import RestwayClient
import RestwaySupport

/// A request that the host prepares, from any thread.
final class RequestHandle: Sendable {
    let spec: Lock<RequestSpec>

    init(_ spec: RequestSpec) {
        self.spec = Lock(spec)
    }

    func set(_ body: RequestSpec.Body) {
        // The one before may end here, which may run a destroy function of the host.
        let before = spec.withLock { spec in
            let before = spec.body
            spec.body = body
            return before
        }
        _ = consume before
    }

    /// The request as it is now.
    func copy() -> RequestSpec {
        spec.withLock { $0 }
    }
}
