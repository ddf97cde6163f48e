import RestwayAuth
import RestwayText

/// The settings that a route adds to its requests.
struct RouteSettings: Sendable {
    var headers: [Pair] = []
    /// Parameters that are used unless the caller gives others with the same names.
    var parameters: [Parameter] = []
    var timeoutMilliseconds: Int64?
    /// The retry policy that replaces the client's.
    var retry: RetryPolicy?
    var auth: AuthMode?
    /// The name of the mapper for its answers and, if the mapper writes, for its bodies.
    var dataMapper: String?
    /// The transport that replaces the client's.
    var transport: TransportReference?
    /// Whether its requests may be stored; `nil` if the patterns of the outbox decide.
    var mayBeStored: Bool?

    var contentType: String? { headers.last { $0.name.lowercased() == "content-type" }?.value }
}
