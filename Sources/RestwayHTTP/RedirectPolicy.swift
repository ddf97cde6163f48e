import RestwayRouting

/// Decides whether and how a redirect is followed (RFC 9110, 15.4). No I/O.
package struct RedirectPolicy: Equatable, Sendable {
    /// The most redirects of one call.
    package let redirectsMax: Int

    package init(redirectsMax: Int) {
        self.redirectsMax = redirectsMax
    }

    /// - Parameters:
    ///   - status: Of the response.
    ///   - method: Of the exchange that got it.
    ///   - location: The resolved `Location`, absolute; nil when there was none. Its fragment is
    ///     for whoever shows what is there: no request has one (RFC 9110, 7.1 and 10.2.2).
    ///   - url: Where the response came from.
    ///   - count: How many redirects of this call were followed before.
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

    /// The method of the next exchange; nil when the status is no redirect that is followed.
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
