package import RestwayHTTP

/// One request of a batch, as it appears in the body of the call that carries it.
package struct BatchItem: Equatable, Sendable {
    package var method: String
    /// The URI relative to the base URL, with a leading slash. Parameters of a GET are in its
    /// query.
    package var uri: String
    /// The item's own headers. The headers of the carrying call apply to all items.
    package var headers: [HeaderField]
    /// The body; `nil` if there is none.
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
