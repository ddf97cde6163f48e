import RestwayDocument
import RestwayHTTP
import RestwayJSON
import RestwayOutcome

/// The API's own code, message and list of problems, found in the body of a failed response.
struct APIError {
    private(set) var code: String?
    private(set) var message: String?
    /// The HTTP status that the body itself names.
    private(set) var status: Int?
    /// The problems if the body lists several: the place, the code and the message of each one.
    private(set) var details: [Failure.Detail] = []

    /// Reads any body. If it is not JSON, or has another shape, there is neither a code nor a
    /// message.
    ///
    /// - Parameter read: Turns the body into JSON, whatever its format.
    init(
        body: Body, mediaType: String?, _ definition: ErrorDefinition,
        read: (UnsafeRawBufferPointer) -> JSONValue?
    ) {
        let format = definition.format(mediaType: mediaType)
        guard
            definition.code != nil || definition.message != nil || definition.details != nil
                || definition.field != nil || format != nil
        else { return }
        guard let tree = body.withBytes(read) else { return }
        switch format {
        case .jsonapi: readJSONAPI(tree)
        case .problem: readProblem(tree)
        case nil: break
        }
        // The key paths of the document count more than the format.
        code = Self.text(tree, definition.code) ?? code
        message = Self.text(tree, definition.message) ?? message
        readDetails(tree, definition, format)
    }

    /// Reads the body of a failed answer as JSON, also if it breaks rules of JSON that do not
    /// matter for an error.
    static func json(_ body: UnsafeRawBufferPointer, contentType: String?) -> JSONValue? {
        var options = JSONValue.ParseOptions(keepsNULInKeys: true)
        options.repairsText = true
        guard let declared = BodyText.declared(body, contentType: contentType) else {
            return try? JSONValue.parse(body, options)
        }
        return declared.withUnsafeBytes { try? JSONValue.parse($0, options) }
    }

    /// Whether the body says anything in a shape that is known.
    var isFound: Bool { code != nil || message != nil || !details.isEmpty }

    /// The text about the body in a message about the failure: the API's message or, without it,
    /// the first problem.
    var summary: String? {
        guard message == nil, let first = details.first else { return message }
        let more = details.count > 1 ? " (and \(details.count - 1) more)" : ""
        return (first.path.isEmpty ? "" : "\(first.path): ") + first.message + more
    }

    /// Takes the list of problems for which the document has a place, and the fields that the body
    /// names beside its message.
    private mutating func readDetails(
        _ tree: JSONValue, _ definition: ErrorDefinition, _ format: ErrorDefinition.Format?
    ) {
        if let list = definition.details, let problems = tree.part(at: list.place) {
            if let text = problems.text {
                // Some servers write a message in the place of the list.
                if message == nil { message = text }
            } else {
                let isBody = list.place.isEmpty
                let others = [definition.code, definition.message, definition.field]
                    .compactMap { $0?.count == 1 ? $0?.first : nil }
                let found = ProblemList.details(
                    of: problems, list, format, isBody: isBody, without: others)
                if !found.isEmpty { details = found }
            }
        }
        guard let place = definition.field, let fields = tree.part(at: place) else { return }
        let named = Set(details.map(\.path))
        details +=
            ProblemList.details(ofFields: fields, code: code, message: message)
            .filter { !named.contains($0.path) }
    }

    /// Takes the code and the message from the first error, and a detail from each one.
    private mutating func readJSONAPI(_ tree: JSONValue) {
        guard let errors = tree["errors"] else { return }
        let first = errors.elements?.first { $0.kind == .object }
        if let first {
            code = Self.text(first, "code")
            message = Self.text(first, "detail") ?? Self.text(first, "title")
            status = Self.text(first, "status").flatMap { Int($0) }
        }
        details = ProblemList.details(of: errors, nil, .jsonapi)
    }

    /// Reads a problem. Its type "about:blank" says no more than the status (RFC 9457, section
    /// 4.2.1). `errors` is the extension of the standard's example (section 3), which servers also
    /// write with the names of their own fields.
    private mutating func readProblem(_ tree: JSONValue) {
        let type = Self.text(tree, "type")
        code = type == "about:blank" ? nil : type
        status = Self.text(tree, "status").flatMap { Int($0) }
        message = Self.text(tree, "detail") ?? Self.text(tree, "title")
        if let problems = tree["errors"] {
            details = ProblemList.details(of: problems, nil, .problem)
        }
    }

    private static func text(_ object: JSONValue, _ key: String) -> String? {
        object[key]?.text
    }

    private static func text(_ value: JSONValue, _ keyPath: [String]?) -> String? {
        keyPath.flatMap { value.part(at: $0) }?.text
    }
}

/// The words for status codes.
enum HTTPStatus {
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
