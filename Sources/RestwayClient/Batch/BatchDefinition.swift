/// The section `batch` of a document.
struct BatchDefinition: Sendable {
    static let limitUsual = 20
    static let limitMax = 1_000

    /// The batch path, below the base URL. Batch calls are posted there.
    var path: String
    /// The largest number of requests in one call.
    var limit = BatchDefinition.limitUsual
    /// Whether the server leaves the requests behind a failed one alone.
    var stopsAtFailure = false
}
