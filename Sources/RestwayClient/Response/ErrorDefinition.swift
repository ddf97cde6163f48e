import RestwayText

/// The section `errors` of a document: where a failed answer holds the API's own code and message.
struct ErrorDefinition: Sendable {
    /// A shape that many APIs share.
    enum Format: String, Sendable, CaseIterable {
        /// JSON:API, version 1.1: `errors[]`.
        case jsonapi
        /// Problem details (RFC 9457).
        case problem
    }

    var code: [String]?
    var message: [String]?
    /// The format; `nil` if the media type decides.
    var format: Format?

    func format(mediaType: String?) -> Format? {
        if let format { return format }
        switch mediaType.map(MediaType.essence) {
        case "application/problem+json": return .problem
        case "application/vnd.api+json": return .jsonapi
        default: return nil
        }
    }
}
