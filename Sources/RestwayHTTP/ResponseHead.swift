/// The status and the headers of a response.
package struct ResponseHead: Sendable {
    package let status: Int
    package let headers: Headers
    /// The URL of the exchange.
    package let url: String
    /// The resolved `Location` of a 3xx response, if the transport knows it this early. Otherwise
    /// it is in the summary.
    package let redirectURL: String?
    package let httpVersion: HTTPVersion

    package init(
        status: Int, headers: Headers, url: String, redirectURL: String? = nil,
        httpVersion: HTTPVersion = .http11
    ) {
        self.status = status
        self.headers = headers
        self.url = url
        self.redirectURL = redirectURL
        self.httpVersion = httpVersion
    }
}

extension ResponseHead {
    package var isSuccess: Bool { (200..<300).contains(status) }
    /// Whether the response may be a redirect.
    package var isRedirect: Bool { (300..<400).contains(status) }
}
