/// The section `batch` of a document.
struct BatchDefinition: Sendable {
    static let limitUsual = 20
    static let limitMax = 1_000

    /// Below the base URL; what carries a batch is posted there.
    var path: String
    /// Of requests in one call.
    var limit = BatchDefinition.limitUsual
    /// Whether the server leaves alone what stands behind a request that failed.
    var stopsAtFailure = false
}
