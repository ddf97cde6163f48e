/// A plugin that an API document asks for.
package struct PluginReference: Sendable {
    /// The absolute path of the plugin, or its name.
    package let pathOrName: String
    /// The options as JSON text.
    package let options: String?
    /// The place in the document that asks for it.
    package let documentPath: String
}

/// The transport that a document, a route or a client's options name.
package struct TransportReference: Sendable, Hashable {
    package let name: String
    /// A JSON object as text; `nil` for the plugin's own options.
    package var options: String?

    package init(name: String, options: String? = nil) {
        self.name = name
        self.options = options
    }
}

/// A mapper that a route of an API document names.
package struct RouteMapper: Sendable {
    /// The route's name, if it has one.
    package let route: String?
    package let name: String
    /// Whether the route itself says how objects are written into its requests.
    package let hasBody: Bool
    /// The Content-Type in the route's headers.
    package let contentType: String?
    /// The place in the document that names it.
    package let documentPath: String
}
