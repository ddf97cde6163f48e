/// One HTTP exchange that a transport performs.
///
/// The exchange is complete: a transport follows no redirect and adds no credential. It adds only
/// the headers for framing (`Host`, `Content-Length`) and, if `usesCookies`, its kept cookies.
package struct Exchange: Sendable {
    package var method: String
    /// An absolute http or https URL.
    package var url: String
    package var headers: [HeaderField]
    package var body: ExchangeBody
    package var timeouts: ExchangeTimeouts
    /// Whether kept cookies are sent and the cookies of the response are kept.
    package var usesCookies: Bool
    /// Exchanges of higher priority go first; 0 is the default.
    package var priority: Int32 = 0
    /// Whether the exchange was given a credential.
    package var isAuthorized = false
    /// Answers a Digest challenge. The transport then sends the exchange twice and reports only the
    /// last answer.
    package var digest: DigestCredential?

    package init(
        method: String, url: String, headers: [HeaderField] = [], body: ExchangeBody = .none,
        timeouts: ExchangeTimeouts = ExchangeTimeouts(), usesCookies: Bool = true
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeouts = timeouts
        self.usesCookies = usesCookies
    }

    /// Whether the exchange contains a credential. A transport overwrites its copies afterwards.
    package var holdsCredential: Bool {
        isAuthorized || headers.contains { $0.isNamed("Authorization") }
    }

    /// Whether a transport may send this again by itself if a kept connection died before an
    /// answer. The server may have acted on it, so only requests that are safe to repeat are sent.
    ///
    /// PUT and DELETE are not repeated: a late repetition could undo a change that was made in
    /// between.
    package var isRepeatable: Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE": true
        default: headers.contains { $0.isNamed("Idempotency-Key") }
        }
    }
}
