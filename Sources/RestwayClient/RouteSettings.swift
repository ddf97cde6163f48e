import RestwayAuth
import RestwayRouting

/// What a route adds to the requests that it serves.
struct RouteSettings: Sendable {
    var headers: [HeaderLine] = []
    /// Parameters that stand unless the caller gives others of the same name.
    var parameters: [Parameter] = []
    var timeoutMilliseconds: Int64?
    /// In place of the client's.
    var retry: RetryPolicy?
    var auth: AuthMode?
    /// The name of the mapper for its answers, and for its bodies if it writes.
    var dataMapper: String?
    /// In place of the client's.
    var transport: TransportReference?
    /// Whether its requests may be stored; `nil`: as the patterns of the outbox say.
    var mayBeStored: Bool?

    var contentType: String? { headers.last { $0.name.lowercased() == "content-type" }?.value }
}
