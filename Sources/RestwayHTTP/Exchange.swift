/// One HTTP exchange as a transport performs it.
///
/// Everything is decided: a transport follows no redirect and adds no credential. It adds what
/// framing needs (`Host`, `Content-Length`) and, when `usesCookies`, the cookies it keeps.
package struct Exchange: Sendable {
    package var method: String
    /// Absolute, http or https.
    package var url: String
    package var headers: [HeaderField]
    package var body: ExchangeBody
    package var timeouts: ExchangeTimeouts
    /// Whether kept cookies are sent with it and those of its response are kept.
    package var usesCookies: Bool
    /// Those that are higher go first; 0 is usual.
    package var priority: Int32 = 0
    /// It was given a credential.
    package var isAuthorized = false
    /// Answers a Digest challenge; the transport then sends the exchange twice, and tells of the
    /// last answer alone.
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

    /// Whether a credential stands in it: what a transport copies it into, it overwrites
    /// afterwards.
    package var holdsCredential: Bool {
        isAuthorized || headers.contains { $0.isNamed("Authorization") }
    }

    /// Whether a transport may send this again by itself when a kept connection died before an
    /// answer: the server may have acted on it, so only what is safe to repeat is repeated.
    ///
    /// PUT and DELETE are not: repeated late, they can undo what somebody else did in between.
    package var isRepeatable: Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE": true
        default: headers.contains { $0.isNamed("Idempotency-Key") }
        }
    }
}
