/// The section `batch` of a document.
package struct BatchDefinition: Sendable {
    static let limitUsual = 20
    package static let limitMax = 1_000

    /// The batch path, below the base URL. Batch calls are posted there.
    package var path: String
    /// The largest number of requests in one call.
    package var limit = BatchDefinition.limitUsual
    /// Whether the server leaves the requests behind a failed one alone.
    package var stopsAtFailure = false
}
