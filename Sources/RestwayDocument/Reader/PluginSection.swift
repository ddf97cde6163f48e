import RestwayJSON

/// The plugins, mappers and transports that a document names.
package struct PluginChoices: Sendable {
    /// The plugins that a client loads.
    package private(set) var plugins: [PluginReference] = []
    /// The name of the mapper for answers to requests whose route names no mapper.
    package private(set) var dataMapper: String?
    /// The transport for exchanges whose route names no transport.
    package private(set) var transport: TransportReference?
    /// The mappers and transports that routes name.
    package internal(set) var ofRoutes: [RoutePlugins] = []

    /// Reads the keys `plugins`, `dataMapper` and `transport`.
    mutating func read(_ document: DocumentFiles) {
        for plugin in document.elements("plugins") { add(plugin) }
        dataMapper = document["dataMapper"]?.nonEmptyString()
        transport = document["transport"].flatMap(TransportReference.init)
    }

    /// Reads `{"name"}` or `{"path"}`, with `options`.
    private mutating func add(_ node: DocumentNode) {
        guard let object = node.object(.plugin) else { return }
        let name = object["name"]?.nonEmptyString()
        let path = object["path"]?.pathText()
        let options = object["options"]?.pluginOptions()
        guard (object["name"] == nil) != (object["path"] == nil) else {
            node.report("must have either \"name\" or \"path\"")
            return
        }
        if let path, !path.hasPrefix("/") {
            object["path"]?.report("must be absolute: only names are searched for")
            return
        }
        guard let pathOrName = name ?? path else { return }
        if plugins.contains(where: { $0.pathOrName == pathOrName }) {
            node.report("the plugin stands here twice")
            return
        }
        plugins.append(
            PluginReference(pathOrName: pathOrName, options: options, documentPath: node.place.text)
        )
    }
}

/// A plugin that an API document asks for.
package struct PluginReference: Sendable {
    /// The absolute path of the plugin, or its name.
    package let pathOrName: String
    /// The options as JSON text.
    package let options: String?
    /// The place in the document that asks for it.
    package let documentPath: String
}

/// The mapper and the transport that a route of an API document may name.
package struct RoutePlugins: Sendable {
    /// The route's name; `nil` if the route has no name.
    let route: String?
    package let settings: RouteSettings
    /// Whether the route itself says how objects are written into its requests.
    package let hasBody: Bool
    /// The place of the route in the document.
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

extension TransportReference {
    /// Reads a transport's name, or `{"name"}` with `options`.
    init?(_ node: DocumentNode) {
        guard node.value.kind == .object else {
            guard let name = node.nonEmptyString() else { return nil }
            self.init(name: name)
            return
        }
        guard let object = node.object(.transportWithOptions) else { return nil }
        let options = object["options"]?.pluginOptions()
        guard let name = object.required("name")?.nonEmptyString() else { return nil }
        self.init(name: name, options: options)
    }
}
