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
}
