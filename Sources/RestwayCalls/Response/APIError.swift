import RestwayDocument
import RestwayJSON
import RestwayOutcome

/// The API's own code and message, found in the body of a failed response.
struct APIError {
    private(set) var code: String?
    private(set) var message: String?
    /// The errors if the body lists several: the place and the message of each one.
    private(set) var details: [Failure.Detail] = []

    /// The largest number of errors that are kept, because a very long list does not help.
    private static let detailsMax = 100

    /// Reads any body. If it is not JSON, or has another shape, there is neither a code nor a
    /// message.
    ///
    /// - Parameter read: Turns the body into JSON, whatever its format.
    init(
        body: Body, mediaType: String?, _ definition: ErrorDefinition,
        read: (UnsafeRawBufferPointer) -> JSONValue?
    ) {
        let format = definition.format(mediaType: mediaType)
        guard definition.code != nil || definition.message != nil || format != nil else { return }
        guard let tree = body.withBytes(read) else { return }
        switch format {
        case .jsonapi: readJSONAPI(tree)
        case .problem: readProblem(tree)
        case nil: break
        }
        // The key paths of the document count more than the format.
        let stated = definition.code.flatMap { tree.value(atKeyPath: $0) }.flatMap(Self.text)
        code = stated ?? code
        let text = definition.message.flatMap { tree.value(atKeyPath: $0) }.flatMap(Self.text)
        message = text ?? message
    }

    /// Takes the code and the message from the first error, and a detail from each one.
    private mutating func readJSONAPI(_ tree: JSONValue) {
        guard let errors = tree["errors"]?.elements else { return }
        for error in errors.prefix(Self.detailsMax) where error.kind == .object {
            let text = Self.text(error, "detail") ?? Self.text(error, "title")
            let source = error["source"].flatMap { source in
                Self.text(source, "pointer") ?? Self.text(source, "parameter")
                    ?? Self.text(source, "header")
            }
            details.append(.init(path: source ?? "", message: text ?? ""))
            guard details.count == 1 else { continue }
            code = Self.text(error, "code")
            message = text
        }
    }

    /// Reads a problem. Its type "about:blank" says no more than the status (section 4.2.1).
    private mutating func readProblem(_ tree: JSONValue) {
        let type = Self.text(tree, "type")
        code = type == "about:blank" ? nil : type
        message = Self.text(tree, "detail") ?? Self.text(tree, "title")
    }

    private static func text(_ object: JSONValue, _ key: String) -> String? {
        object[key].flatMap(text)
    }

    private static func text(_ value: JSONValue) -> String? {
        switch value.kind {
        case .string: value.string.flatMap { $0.isEmpty ? nil : $0 }
        case .integer, .real, .boolean: String(decoding: value.text(), as: UTF8.self)
        case .null, .array, .object: nil
        }
    }
}

/// The meaning of status codes for the library.
enum HTTPStatus {
    /// Whether the same request may succeed later after this status.
    static func isTemporary(_ status: Int) -> Bool {
        switch status {
        case 408, 425, 429, 500, 502, 503, 504, 520...527: true
        default: false
        }
    }

    /// The reason phrases of RFC 9110, section 15, for messages, because HTTP/2 sends no phrases.
    static let reasons: [Int: String] = [
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other",
        304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
        404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
        408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required",
        412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
        415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
        421: "Misdirected Request", 422: "Unprocessable Content", 425: "Too Early",
        426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
        503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    ]
}
