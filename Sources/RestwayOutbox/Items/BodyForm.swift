import RestwayHTTP

/// What a body is, as far as it decides how an identity is written into it, and what can be told
/// from it.
enum BodyForm {
    case json, urlEncoded, plain

    /// By its media type; without one it is taken for JSON, which most are.
    init(_ headers: Headers) {
        guard let mediaType = headers[first: "Content-Type"] else {
            self = .json
            return
        }
        let type = mediaType.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        if type == "application/json" || type.hasSuffix("+json") {
            self = .json
        } else {
            self = type == "application/x-www-form-urlencoded" ? .urlEncoded : .plain
        }
    }
}
