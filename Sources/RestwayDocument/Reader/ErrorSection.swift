import RestwayMapping
import RestwayText

/// The section `errors` of a document: where a failed answer holds the API's own code and message.
package struct ErrorDefinition: Sendable {
    /// A shape that many APIs share.
    package enum Format: String, Sendable, CaseIterable {
        /// JSON:API, version 1.1: `errors[]`.
        case jsonapi
        /// Problem details (RFC 9457).
        case problem
    }

    package var code: [String]?
    package var message: [String]?
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
        guard let object = node.object(["code", "message", "format"]) else { return nil }
        self.init(
            code: object["code"]?.keyPath(), message: object["message"]?.keyPath(),
            format: object["format"]?.choice("format"))
    }
}
