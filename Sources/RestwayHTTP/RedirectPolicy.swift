import RestwayRouting

/// Decides whether and how a redirect is followed (RFC 9110, 15.4). No I/O.
package enum RedirectPolicy {
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - method: The method of the exchange.
    ///   - location: The resolved, absolute `Location`; nil if the response has no `Location`. Its
    ///     fragment is not sent, because no request has a fragment (RFC 9110, 7.1 and 10.2.2).
    ///   - url: The URL of the response.
    ///   - count: The number of redirects that this call has followed before.
    ///   - redirectsMax: The largest number of redirects in one call.
    package static func decide(
        status: Int, method: String, location: String?, from url: String, followed count: Int,
        redirectsMax: Int
    ) -> RedirectDecision {
        guard let location, let next = nextMethod(status, method) else { return .stop }
        guard count < redirectsMax else { return .fail(.tooMany(max: redirectsMax)) }
        guard let target = try? Origin(url: location) else { return .fail(.invalid) }
        return .follow(
            method: next, url: withoutFragment(location),
            keepsBody: next == method && status != 303,
            isSameOrigin: target == (try? Origin(url: url)))
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
}

/// Decides what to do with a response that may be a redirect.
package enum RedirectDecision: Equatable, Sendable {
    package enum Failure: Equatable, Sendable {
        /// There were more redirects than this.
        case tooMany(max: Int)
        /// The target is not an http or https URL.
        case invalid

        package var message: String {
            switch self {
            case .tooMany(let max): "more than \(max) redirects"
            case .invalid: "a redirect leads to something that is no http or https URL"
            }
        }
    }

    /// Send the next exchange. If the origin differs, credentials and the environment's headers are
    /// not sent.
    case follow(method: String, url: String, keepsBody: Bool, isSameOrigin: Bool)
    /// The response is the answer.
    case stop
    case fail(Failure)
}

/// Decides which parts of a request follow a redirect to an origin that the environment does not
/// trust.
package struct RedirectRules: Equatable, Sendable {
    /// Headers that say nothing about the caller, and that make sense for any origin.
    package static let keptNames: [String] = [
        "Accept", "Accept-Encoding", "Accept-Language", "If-Match", "If-Modified-Since",
        "If-None-Match", "If-Range", "If-Unmodified-Since", "Prefer", "Range", "traceparent",
        "tracestate", "User-Agent",
    ]

    /// Headers that are always credentials. They are sent only to trusted origins.
    package static let credentialNames: [String] = [
        "Authorization", "Cookie", "Proxy-Authorization",
    ]

    /// Headers that say something about the body, besides the `Content-*` headers.
    private static let namesOfBodies: Set<String> = ["digest", "expect", "repr-digest"]

    private static let keptInLowerCase = Set(keptNames.map { $0.lowercased() })

    private let addedNames: Set<String>
    private let carriesBodies: Bool

    /// - Parameters:
    ///   - addedNames: Further headers that are sent to an untrusted origin.
    ///   - carriesBodies: Whether a body is sent to an untrusted origin.
    package init(addedNames: [String] = [], carriesBodies: Bool = false) {
        self.addedNames = Set(addedNames.map { $0.lowercased() })
        self.carriesBodies = carriesBodies
    }

    /// Whether a body may be sent to the target of a redirect.
    ///
    /// - Parameter isTrusted: Whether the target has the origin of the request, or a trusted
    ///   origin.
    package func mayCarryBody(isTrusted: Bool) -> Bool { isTrusted || carriesBodies }

    /// The headers of the next request.
    ///
    /// - Parameters:
    ///   - keepsBody: Whether the body is sent too, with the headers about it.
    ///   - isTrusted: Whether the target has the origin of the request, or a trusted origin.
    package func headers(
        _ fields: [HeaderField], keepsBody: Bool, isTrusted: Bool
    ) -> [HeaderField] {
        fields.filter { field in
            let name = field.name.lowercased()
            if name.hasPrefix("content-") || Self.namesOfBodies.contains(name) {
                return keepsBody
            }
            return isTrusted || Self.keptInLowerCase.contains(name) || addedNames.contains(name)
        }
    }
}
