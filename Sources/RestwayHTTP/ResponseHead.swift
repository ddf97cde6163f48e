import RestwayText

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

/// The HTTP version of a response. The numbers are the version numbers of `restway_plugin_head`.
package enum HTTPVersion: Int32, Sendable {
    case http10 = 10
    case http11 = 11
    case http2 = 20
    case http3 = 30
}

/// Checks the header fields that tell where the body of a response ends (RFC 9112, section 6).
///
/// Every transport runs this check before it passes a head on. Without it, a length that no counter
/// holds would make any part of a body look complete, and an unknown transfer coding would leave
/// coded bytes in the body.
package enum ResponseFraming {
    private static let quotedCodingMax = 40

    /// Why the end of the body cannot be known; `nil` if it can.
    package static func problem(in headers: Headers) -> String? {
        lengthProblem(headers) ?? codingProblem(headers)
    }

    /// The length of a body that some transports would read to the end of the connection: the head
    /// names the coding `identity`, which changes nothing and which RFC 9112 no longer has, beside
    /// a length. `nil` for other heads.
    package static func lengthBesideIdentity(_ headers: Headers) -> Int64? {
        guard let codings = headers.joined("Transfer-Encoding"),
            codings.split(separator: ",").allSatisfy({ part in
                ASCII.lowercased(String(Headers.trimmed(part))) == "identity"
            })
        else { return nil }
        return headers[first: "Content-Length"].flatMap { Int64($0) }
    }

    /// Several lengths must be equal. If two readers saw different lengths, one of them would take
    /// a part of this response for the next response (RFC 9112, section 6.3).
    private static func lengthProblem(_ headers: Headers) -> String? {
        var known: Int64?
        for field in headers.fields where field.isNamed("Content-Length") {
            guard !field.value.isEmpty, field.value.utf8.allSatisfy(ASCII.isDigit) else {
                return "the Content-Length of the response is not a number of bytes"
            }
            guard let length = Int64(field.value) else {
                return "the Content-Length of the response exceeds \(Int64.max) bytes"
            }
            if let known, known != length {
                return "the response has several lengths (Content-Length)"
            }
            known = length
        }
        return nil
    }

    /// A request asks for no transfer coding (it has no `TE`). So a server may apply only
    /// `chunked`, once, and without parameters (RFC 9112, sections 6.1, 7.1 and 7.4). `identity`,
    /// which older servers send, changes nothing.
    private static func codingProblem(_ headers: Headers) -> String? {
        guard let codings = headers.joined("Transfer-Encoding") else { return nil }
        var isChunked = false
        for part in codings.split(separator: ",", omittingEmptySubsequences: true) {
            let coding = part.filter { $0 != " " && $0 != "\t" }.lowercased()
            if coding.isEmpty || (coding == "identity" && !isChunked) { continue }
            guard coding == "chunked", !isChunked else {
                let name = coding.prefix(quotedCodingMax)
                return "the response has a transfer coding that cannot be undone: \(name)"
            }
            isChunked = true
        }
        return nil
    }
}
