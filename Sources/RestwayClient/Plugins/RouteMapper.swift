/// A mapper that a route of an API document names.
struct RouteMapper: Sendable {
    let name: String
    /// Whether the route says itself how objects are written into its requests.
    let hasBody: Bool
    /// Of the route's headers.
    let contentType: String?
    /// Where the document says so.
    let documentPath: String
}
