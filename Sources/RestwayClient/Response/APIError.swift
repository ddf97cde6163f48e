import RestwayJSON

/// The API's own code and message, found in the body of a failed response.
struct APIError {
    private(set) var code: String?
    private(set) var message: String?
    /// Of several errors each one: where it lies, and what it is.
    private(set) var details: [Failure.Detail] = []

    /// An error list without end is no help.
    private static let detailsMax = 100

    /// Any body will do: one that is no JSON, or of another shape, has neither.
    ///
    /// - Parameter read: Makes JSON of the body, whatever its format.
    init(
        body: Body, mediaType: String?, _ definition: ErrorDefinition,
        read: (UnsafeRawBufferPointer) -> JSONValue? = { try? JSONValue.parse($0) }
    ) {
        let format = definition.format(mediaType: mediaType)
        guard definition.code != nil || definition.message != nil || format != nil else { return }
        guard let tree = body.withBytes(read) else { return }
        switch format {
        case .jsonapi: readJSONAPI(tree)
        case .problem: readProblem(tree)
        case nil: break
        }
        // What the document spells out stands over what a format knows.
        let stated = definition.code.flatMap { tree.value(atKeyPath: $0) }.flatMap(Self.text)
        code = stated ?? code
        let text = definition.message.flatMap { tree.value(atKeyPath: $0) }.flatMap(Self.text)
        message = text ?? message
    }

    /// The first error speaks for all; each is a detail.
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

    /// "about:blank" says no more than the status (section 4.2.1).
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
