import RestwayJSON
import RestwayMapping
import RestwayText

/// The section `errors` of a document: where a failed answer holds the API's own code and message,
/// and the list of its separate problems.
package struct ErrorDefinition: Sendable {
    /// A shape that many APIs share.
    package enum Format: String, Sendable, CaseIterable {
        /// JSON:API, version 1.1: `errors[]`.
        case jsonapi
        /// Problem details (RFC 9457).
        case problem
    }

    /// The place of a list of problems, and the key paths in each problem of the list.
    package struct List: Sendable {
        /// The list: an array, or an object whose keys are the names of fields.
        package var place: [String]
        package var field: [String]?
        package var code: [String]?
        package var message: [String]?
    }

    package var code: [String]?
    package var message: [String]?
    package var details: List?
    /// The format; `nil` if the media type decides.
    package var format: Format?

    package func format(mediaType: String?) -> Format? {
        if let format { return format }
        switch mediaType.map(MediaType.essence) {
        case "application/problem+json": return .problem
        case "application/vnd.api+json": return .jsonapi
        default: return nil
        }
    }
}

/// The section `errors`.
extension ErrorDefinition {
    init?(_ node: DocumentNode) {
        let keys = ["code", "message", "details", "field", "format"]
        guard let object = node.object(keys) else { return nil }
        self.init(
            code: object["code"]?.keyPath(), message: object["message"]?.keyPath(),
            format: object["format"]?.choice("format"))
        let list = object["details"]
        if list?.value.kind == .object {
            details = list.flatMap { List($0) }
            object["field"]?.report("belongs into \"details\", beside the place of the list")
        } else if let list {
            // The problems of the list name their parts as the body does.
            let field = object["field"]?.keyPath()
            details = list.keyPath().map { place in
                List(place: place, field: field, code: code, message: message)
            }
        } else {
            object["field"]?.report("stands without \"details\", the list that it is about")
        }
    }
}

/// An object in place of the list's key path, for lists whose problems name their parts
/// differently from the body.
extension ErrorDefinition.List {
    fileprivate init?(_ node: DocumentNode) {
        guard let object = node.object(["details", "field", "code", "message"]) else { return nil }
        let field = object["field"]?.keyPath()
        let code = object["code"]?.keyPath()
        let message = object["message"]?.keyPath()
        guard let place = object.required("details")?.keyPath() else { return nil }
        self.init(place: place, field: field, code: code, message: message)
    }
}
