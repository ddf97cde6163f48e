import RestwayHTTP
import RestwayRouting

/// What every request of a client says before its route and its caller do.
///
/// Made once for answers of the usual type: of most requests these headers are all, and transports
/// see that they are the same.
struct StandardHeaders: Sendable {
    /// For where the environment's headers may go.
    let own: Headers
    let foreign: Headers

    /// - Parameter accepted: The media types that the answer should have.
    init(
        _ definition: APIDefinition, _ environment: Environment, userAgent: String, accepted: String
    ) {
        var headers = Headers()
        headers.set("Accept", accepted)
        headers.set("User-Agent", userAgent)
        foreign = headers
        for line in definition.headers + environment.headers { headers.set(line.name, line.value) }
        own = headers
    }
}
