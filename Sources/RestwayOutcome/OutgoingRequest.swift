package import RestwayHTTP
package import RestwayRouting

/// Hides the secrets of a request that people read. The loaded API document does this, because it
/// names what is secret.
package protocol RequestRedactor: AnyObject, Sendable {
    func redacted(url: String) -> String
    /// Returns the value of a header.
    func redacted(_ field: HeaderField) -> String
    func redacted(body: [UInt8], _ headers: [HeaderField]) -> [UInt8]
}

/// A request as it goes out, or as it has gone out.
///
/// It refers to the parts of the exchange and copies nothing. It does not refer to functions of the
/// program, which may end with the call. It is a class because every call hands one on to its
/// response.
package final class OutgoingRequest: Sendable {
    package let method: String
    package let url: String
    package let headers: [HeaderField]
    /// The bytes of the body; `nil` if there is no body, or if it is read while it is sent.
    package let body: [UInt8]?
    /// Whether there is a body that is read while it is sent.
    package let isBodyUnread: Bool
    /// `nil` for a request to a path.
    package let route: Route?
    private let redactor: any RequestRedactor

    /// - Parameter hasReader: Whether a reader will give the body of an exchange without a body.
    package init(
        _ exchange: Exchange, hasReader: Bool = false, route: Route?,
        _ redactor: any RequestRedactor
    ) {
        method = exchange.method
        url = exchange.url
        headers = exchange.headers
        (body, isBodyUnread) =
            switch exchange.body {
            case .none: (nil, hasReader)
            case .bytes(let bytes): (bytes, false)
            case .source: (nil, true)
            }
        self.route = route
        self.redactor = redactor
    }

    /// The request for people, without its secrets.
    package var text: String {
        var text = "\(method) \(redactor.redacted(url: url))\n"
        for field in headers { text += "\(field.name): \(redactor.redacted(field))\n" }
        guard let body, !body.isEmpty else { return text }
        let shown = redactor.redacted(body: body, headers)
        guard let readable = String(validating: shown, as: UTF8.self), !shown.contains(0) else {
            return text + "\n(\(body.count) bytes)"
        }
        return text + "\n" + readable
    }
}
