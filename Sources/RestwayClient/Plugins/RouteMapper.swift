/// A mapper that a route of an API document names.
struct RouteMapper: Sendable {
    /// The route's name, if it has one.
    let route: String?
    let name: String
    /// Whether the route itself says how objects are written into its requests.
    let hasBody: Bool
    /// The Content-Type in the route's headers.
    let contentType: String?
    /// The place in the document that names it.
    let documentPath: String
}
