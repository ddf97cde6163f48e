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
        /// The list: an array, or an object whose keys are the names of fields. Without keys, the
        /// body is the list.
        package var place: [String]
        package var field: [String]?
        package var code: [String]?
        package var message: [String]?
    }

    package var code: [String]?
    package var message: [String]?
    package var details: List?
    /// The fields that the body itself names beside its message.
    package var field: [String]?
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
        guard let object = node.object(.errors) else { return nil }
        self.init(
            code: object["code"]?.keyPath(), message: object["message"]?.keyPath(),
            format: object["format"]?.choice("format"))
        field = object["field"]?.keyPath()
        guard let list = object["details"] else { return }
        if list.value.kind == .object {
            details = List(list)
        } else {
            // The problems of the list name their parts as the body does.
            details = list.sourcePath().map { place in
                List(
                    place: place, field: field, code: Self.name(code, inListAt: place),
                    message: Self.name(message, inListAt: place))
            }
        }
    }

    /// Returns the name in each problem of a list for a key path in the body, which may lead into
    /// the first problem: `errors.0.code`.
    private static func name(_ keyPath: [String]?, inListAt place: [String]) -> [String]? {
        guard let keyPath, keyPath.starts(with: place), keyPath.count > place.count + 1,
            Int(keyPath[place.count]) != nil
        else { return keyPath }
        return Array(keyPath.dropFirst(place.count + 1))
    }
}

/// An object in place of the list's key path, for lists whose problems name their parts
/// differently from the body.
extension ErrorDefinition.List {
    fileprivate init?(_ node: DocumentNode) {
        guard let object = node.object(.errorList) else { return nil }
        let field = object["field"]?.keyPath()
        let code = object["code"]?.keyPath()
        let message = object["message"]?.keyPath()
        guard let place = object.required("details")?.sourcePath() else { return nil }
        self.init(place: place, field: field, code: code, message: message)
    }
}
