import RestwayHTTP

extension Exchange {
    /// Whether the request is framed with a body. This includes an empty body if the server expects
    /// one to be declared (`Content-Length: 0`).
    var sendsBody: Bool {
        switch body {
        case .none: expectsBody
        case .bytes(let bytes): !bytes.isEmpty || expectsBody
        case .source: true
        }
    }

    private var expectsBody: Bool { method == "POST" || method == "PUT" || method == "PATCH" }
}
