package import RestwayHTTP

/// One request of a batch, as it stands in the body of the call that carries it.
package struct BatchItem: Equatable, Sendable {
    package var method: String
    /// Relative to the base URL, with a leading slash; parameters of a GET in its query.
    package var uri: String
    /// Its own headers: what the carrying call says counts for all.
    package var headers: [HeaderField]
    /// `nil`: it has none.
    package var body: [UInt8]?

    package init(
        method: String, uri: String, headers: [HeaderField] = [], body: [UInt8]? = nil
    ) {
        self.method = method
        self.uri = uri
        self.headers = headers
        self.body = body
    }
}
