import RestwayHTTP
import RestwayRouting
import RestwayText

/// The headers of every request of a client, before its route and its caller add theirs.
///
/// They are made once for answers of the usual type. Most requests have no other headers, and
/// transports can see that the headers are the same.
struct StandardHeaders: Sendable {
    /// The headers for URLs that may receive the environment's headers.
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
        for line in definition.environments.headers + environment.headers {
            headers.set(line.name, line.value)
        }
        own = headers
    }
}
