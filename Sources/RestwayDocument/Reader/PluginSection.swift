import RestwayJSON

/// The plugins, mappers and transports that a document names.
package struct PluginChoices: Sendable {
    /// The plugins that a client loads.
    package private(set) var plugins: [PluginReference] = []
    /// The name of the mapper for answers to requests whose route names none.
    package private(set) var dataMapper: String?
    /// The mappers that routes name.
    package private(set) var dataMappersOfRoutes: [RouteMapper] = []
    /// The transport for exchanges whose route names none.
    package private(set) var transport: TransportReference?
    /// The transports that routes name.
    package private(set) var transportsOfRoutes: [RouteTransport] = []

    /// Reads the keys `plugins`, `dataMapper` and `transport`.
    package mutating func read(_ document: DocumentObject) {
        for plugin in document["plugins"]?.elements() ?? [] { add(plugin) }
        dataMapper = document["dataMapper"]?.nonEmptyString()
        transport = document["transport"].flatMap(TransportReference.init)
    }

    /// Reads `{"name"}` or `{"path"}`, with `options`.
    private mutating func add(_ node: DocumentNode) {
        guard let object = node.object(["name", "path", "options"]) else { return }
        let name = object["name"].map { $0.nonEmptyString() }
        let path = object["path"].map { $0.nonEmptyString() }
        let options = object["options"].map { $0.pluginOptions() }
        if case .some(nil) = options { return }
        guard (name == nil) != (path == nil) else {
            node.report("must have either \"name\" or \"path\"")
            return
        }
        if let path = path ?? nil, !path.hasPrefix("/") {
            object["path"]?.report("must be absolute: only names are searched for")
            return
        }
        guard let pathOrName = (name ?? nil) ?? (path ?? nil) else { return }
        if plugins.contains(where: { $0.pathOrName == pathOrName }) {
            node.report("the plugin stands here twice")
            return
        }
        plugins.append(
            PluginReference(
                pathOrName: pathOrName, options: options ?? nil, documentPath: node.path))
    }

    /// Adds the mapper and the transport that a route names.
    package mutating func add(_ mapper: RouteMapper?, _ transport: RouteTransport?) {
        if let mapper { dataMappersOfRoutes.append(mapper) }
        if let transport { transportsOfRoutes.append(transport) }
    }

    mutating func removeRoute(_ name: String) {
        dataMappersOfRoutes.removeAll { $0.route == name }
        transportsOfRoutes.removeAll { $0.route == name }
    }
}

/// A transport that a route of an API document names.
package struct RouteTransport: Sendable {
    /// The route's name, if it has one.
    package let route: String?
    package let reference: TransportReference
    /// The place in the document that names it.
    package let documentPath: String
}

extension TransportReference {
    /// Reads a transport's name, or `{"name"}` with `options`.
    package init?(_ node: DocumentNode) {
        guard node.value.kind == .object else {
            guard let name = node.nonEmptyString() else { return nil }
            self.init(name: name)
            return
        }
        guard let object = node.object(["name", "options"]) else { return nil }
        let options = object["options"].map { $0.pluginOptions() }
        if case .some(nil) = options { return nil }
        guard let name = object.required("name")?.nonEmptyString() else { return nil }
        self.init(name: name, options: options ?? nil)
    }
}
