import RestwayHTTP

extension Exchange {
    /// Whether the request is framed as one with a body: an empty one too, where a server expects
    /// to be told (`Content-Length: 0`).
    var sendsBody: Bool {
        switch body {
        case .none: expectsBody
        case .bytes(let bytes): !bytes.isEmpty || expectsBody
        case .source: true
        }
    }

    private var expectsBody: Bool { method == "POST" || method == "PUT" || method == "PATCH" }

    /// Why this cannot be sent, if it cannot. A caller that checked its headers never sees it: it
    /// keeps a line break in a value from becoming a header.
    ///
    /// - Parameter known: Headers that were looked at and can be sent.
    func refusal(knowing known: [HeaderField]) -> TransportError? {
        guard Headers.isValidName(method), method != "CONNECT" else {
            return TransportError(.unsupported, "the method cannot be sent")
        }
        if method == "HEAD", body.count != 0 {
            return TransportError(.unsupported, "HEAD cannot be sent with a body")
        }
        // Most often the very same list.
        if headers == known { return nil }
        for header in headers
        where !Headers.isValidName(header.name) || !Headers.isValidValue(header.value) {
            return TransportError(.unsupported, "a header cannot be sent: its name or its value")
        }
        return nil
    }
}
