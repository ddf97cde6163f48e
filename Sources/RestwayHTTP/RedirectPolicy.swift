import RestwayRouting

/// Decides whether and how a redirect is followed (RFC 9110, 15.4). No I/O.
package struct RedirectPolicy: Equatable, Sendable {
    /// The largest number of redirects in one call.
    package let redirectsMax: Int

    package init(redirectsMax: Int) {
        self.redirectsMax = redirectsMax
    }

    /// - Parameters:
    ///   - status: The status of the response.
    ///   - method: The method of the exchange.
    ///   - location: The resolved, absolute `Location`; nil if there is none. Its fragment is not
    ///     sent, because no request has one (RFC 9110, 7.1 and 10.2.2).
    ///   - url: The URL of the response.
    ///   - count: The number of redirects that this call has followed before.
    package func decide(
        status: Int, method: String, location: String?, from url: String, followed count: Int
    ) -> RedirectDecision {
        guard let location, let next = Self.nextMethod(status, method) else { return .stop }
        guard count < redirectsMax else { return .fail(.tooMany(max: redirectsMax)) }
        guard Self.isHTTP(location), let target = Self.origin(of: location) else {
            return .fail(.invalid)
        }
        return .follow(
            method: next, url: Self.withoutFragment(location),
            keepsBody: next == method && status != 303,
            isSameOrigin: target == Self.origin(of: url))
    }

    /// The method of the next exchange; nil if the status is not a redirect that is followed.
    private static func nextMethod(_ status: Int, _ method: String) -> String? {
        switch status {
        case 301, 302: method == "POST" ? "GET" : method
        case 303: method == "HEAD" ? "HEAD" : "GET"
        case 307, 308: method
        default: nil
        }
    }

    private static func withoutFragment(_ url: String) -> String {
        url.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(url[..<$0]) } ?? url
    }

    private static func isHTTP(_ url: String) -> Bool {
        let scheme = url.prefix(8).lowercased()
        return scheme.hasPrefix("http://") || scheme == "https://"
    }

    private static func origin(of url: String) -> Origin? {
        try? Origin(url: url)
    }
}
