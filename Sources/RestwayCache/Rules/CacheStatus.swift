package import RestwayHTTP

/// The line that the cache adds to `Cache-Status` (RFC 9211).
package struct CacheStatus: Sendable, Equatable {
    /// Why the server was asked; `nil` if the cache answered without it.
    package var forward: Reuse.Forward?
    /// The status of the server's answer, if it is not that of the answer of the call.
    package var forwardStatus: Int?
    /// For how many seconds the answer stays fresh; negative if it is stale.
    package var secondsToLive: Int64?
    /// Whether the answer is now kept.
    package var isStored = false
    /// Whether another request brought the answer.
    package var isCollapsed = false

    package init(forward: Reuse.Forward? = nil) {
        self.forward = forward
    }

    private static let usualLength = 64

    package var text: String {
        var text = "restway"
        text.reserveCapacity(Self.usualLength)
        if let forward {
            text += "; fwd="
            text += forward.rawValue
            if let forwardStatus {
                text += "; fwd-status="
                text += String(forwardStatus)
            }
        } else {
            text += "; hit"
        }
        if let secondsToLive {
            text += "; ttl="
            text += String(secondsToLive)
        }
        if isStored { text += "; stored" }
        if isCollapsed { text += "; collapsed" }
        return text
    }

    /// Adds the line behind those of the caches on the way.
    package func add(to headers: inout Headers) {
        let earlier = headers.joined("Cache-Status")
        headers.set("Cache-Status", earlier.map { $0 + ", " + text } ?? text)
    }
}
