import RestwayDocument
import RestwayJSON
import RestwayOutcome

/// The API's own code, message and list of problems, found in the body of a failed response.
struct APIError {
    private(set) var code: String?
    private(set) var message: String?
    /// The problems if the body lists several: the place, the code and the message of each one.
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
        guard
            definition.code != nil || definition.message != nil || definition.details != nil
                || format != nil
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
        if let list = definition.details, let problems = tree.value(atKeyPath: list.place) {
            let found = Self.details(problems, list, format)
            if !found.isEmpty { details = found }
        }
    }

    /// Whether the body says anything in a shape that is known.
    var isFound: Bool { code != nil || message != nil || !details.isEmpty }

    /// Returns the problems of a list: an array, or an object that has the problems of each field
    /// under the name of the field.
    ///
    /// - Parameter list: The names that the document gives to the parts of a problem.
    private static func details(
        _ problems: JSONValue, _ list: ErrorDefinition.List?, _ format: ErrorDefinition.Format?
    ) -> [Failure.Detail] {
        var found: [Failure.Detail] = []
        for (field, problems) in problems.members ?? [("", problems)] {
            for problem in problems.elements ?? [problems] where found.count < detailsMax {
                let detail = detail(problem, of: field, list, format)
                if let detail { found.append(detail) }
            }
        }
        return found
    }

    /// Returns one problem, which is an object or only a message; `nil` if it says nothing.
    private static func detail(
        _ problem: JSONValue, of field: String, _ list: ErrorDefinition.List?,
        _ format: ErrorDefinition.Format?
    ) -> Failure.Detail? {
        if let message = text(problem) { return .init(path: field, message: message) }
        // The key paths of the document count more than the names of the format.
        func first<Part>(
            _ own: [String]?, _ names: [[String]]?, _ read: (JSONValue) -> Part?
        ) -> Part? {
            for keyPath in [own].compactMap({ $0 }) + (names ?? []) {
                if let part = problem.value(atKeyPath: keyPath).flatMap(read) { return part }
            }
            return nil
        }
        let path = first(list?.field, format?.fieldNames, fieldName)
        let code = first(list?.code, format?.codeNames, text)
        let message = first(list?.message, format?.messageNames, text)
        guard path != nil || code != nil || message != nil else { return nil }
        return .init(path: path ?? field, message: message ?? code ?? "", code: code)
    }

    /// Returns the name of a field, whose parts some servers write as an array.
    private static func fieldName(_ value: JSONValue) -> String? {
        guard let parts = value.elements else { return text(value) }
        return parts.compactMap(text).joined(separator: ".")
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
            let errorCode = Self.text(error, "code")
            details.append(.init(path: source ?? "", message: text ?? "", code: errorCode))
            guard details.count == 1 else { continue }
            code = errorCode
            message = text
        }
    }

    /// Reads a problem. Its type "about:blank" says no more than the status (RFC 9457, section
    /// 4.2.1). `errors` is the extension of the standard's example (section 3), which servers also
    /// write with the names of their own fields.
    private mutating func readProblem(_ tree: JSONValue) {
        let type = Self.text(tree, "type")
        code = type == "about:blank" ? nil : type
        message = Self.text(tree, "detail") ?? Self.text(tree, "title")
        if let problems = tree["errors"] { details = Self.details(problems, nil, .problem) }
    }

    private static func text(_ object: JSONValue, _ key: String) -> String? {
        object[key].flatMap(text)
    }

    private static func text(_ value: JSONValue, _ keyPath: [String]?) -> String? {
        keyPath.flatMap { value.value(atKeyPath: $0) }.flatMap(text)
    }

    private static func text(_ value: JSONValue) -> String? {
        switch value.kind {
        case .string: value.string.flatMap { $0.isEmpty ? nil : $0 }
        case .integer, .real, .boolean: String(decoding: value.text(), as: UTF8.self)
        case .null, .array, .object: nil
        }
    }
}

/// The names that a format gives to the parts of one problem in a list.
extension ErrorDefinition.Format {
    fileprivate var fieldNames: [[String]] {
        switch self {
        case .jsonapi: [["source", "pointer"], ["source", "parameter"], ["source", "header"]]
        case .problem: [["pointer"], ["field"], ["parameter"], ["header"]]
        }
    }

    fileprivate var codeNames: [[String]] { [["code"]] }

    fileprivate var messageNames: [[String]] {
        switch self {
        case .jsonapi: [["detail"], ["title"]]
        case .problem: [["detail"], ["message"], ["title"]]
        }
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
