import RestwayClient
import RestwaySupport

/// A request that the host prepares, from any thread.
final class RequestHandle: Sendable {
    let spec: Lock<RequestSpec>

    init(_ spec: RequestSpec) {
        self.spec = Lock(spec)
    }

    /// The request as it is now.
    func copy() -> RequestSpec {
        spec.withLock { $0 }
    }
}
