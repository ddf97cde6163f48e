package import RestwayDocument
package import RestwayHTTP
package import RestwayRequests
import RestwayRouting

/// A request as the decisions of the cache see it. It never changes.
///
/// It is a class because it has many fields, and the decisions pass it on often.
package final class CacheRequest: Sendable {
    package let method: String
    /// The absolute URL, as it is sent.
    package let url: String
    /// The header fields as they are sent, without the credential.
    package let headers: Headers
    /// The body of a request whose answer is kept although its method is unsafe.
    package let body: [UInt8]?
    /// The media types that the route accepts; empty for all types.
    package let accepted: [String]
    /// The redirects that have led to `url`; `nil` for a request without redirects. Its answer
    /// belongs to the URL before them.
    package let redirects: FollowedRedirects?
    package let rules: CacheRules
    package let mode: CacheMode
    /// The cookies that are sent with the request and that `headers` does not have. If they are not
    /// known, which is `nil`, it is unknown whether an answer that varies with cookies fits.
    package let addedCookies: String?
    /// The header fields that concern the cache.
    let directives: CacheControl

    package init(
        method: String, url: String, headers: Headers = Headers(), body: [UInt8]? = nil,
        accepted: [String] = [], redirects: FollowedRedirects? = nil,
        rules: CacheRules = CacheRules(), mode: CacheMode = .standard, addedCookies: String? = ""
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.accepted = accepted
        self.redirects = redirects
        self.rules = rules
        self.mode = mode
        self.addedCookies = addedCookies
        directives = CacheControl(headers, isRequest: true)
    }

    private init(_ other: CacheRequest, _ mode: CacheMode, _ addedCookies: String?) {
        (method, url, headers, body) = (other.method, other.url, other.headers, other.body)
        (accepted, redirects) = (other.accepted, other.redirects)
        (rules, directives) = (other.rules, other.directives)
        (self.mode, self.addedCookies) = (mode, addedCookies)
    }

    /// Returns the same request of a program that wants another use of the cache.
    func with(_ mode: CacheMode) -> CacheRequest { CacheRequest(self, mode, addedCookies) }

    /// Returns the same request with other cookies.
    func adding(cookies: String?) -> CacheRequest { CacheRequest(self, mode, cookies) }
}

extension CacheRequest {
    /// Whether the cache takes no part in the request.
    package var passesBy: Bool { mode == .bypass || rules.isBypassed && mode != .only }
    package var isSafe: Bool { Method.isSafe(method) }
    /// Whether redirects have led to the URL.
    var isBehindRedirect: Bool { redirects != nil }
    var isGetOrHead: Bool { method == "GET" || method == "HEAD" }
    /// Whether the cache may answer the request, and keep its answer.
    package var isAnswerable: Bool { isGetOrHead || (rules.keepsUnsafe && !isSafe) }

    /// The condition under which the program wants a body; it has a copy of its own.
    var hasOwnCondition: Bool {
        headers[first: "If-None-Match"] != nil || headers[first: "If-Modified-Since"] != nil
    }

    /// Whether the request has a condition that only the origin server may judge (RFC 9111, section
    /// 4.3.2).
    var hasConditionForServer: Bool {
        headers[first: "If-Match"] != nil || headers[first: "If-Unmodified-Since"] != nil
    }

    /// The header fields that tell caches on the way what the program wants of them. A request that
    /// has such a field already keeps it.
    package var directivesForOthers: [HeaderField] {
        guard headers[first: "Cache-Control"] == nil else { return [] }
        return switch mode {
        case .reload: [HeaderField(name: "Cache-Control", value: "no-cache")]
        case .validate: [HeaderField(name: "Cache-Control", value: "max-age=0")]
        case .standard, .bypass, .only, .preferred: []
        }
    }
}
