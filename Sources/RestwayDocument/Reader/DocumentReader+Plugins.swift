import RestwayJSON

/// The section `plugins`, the mapper for all answers and the transport for all exchanges.
extension DocumentReader {
    mutating func readPlugins(_ document: DocumentObject) {
        if let plugins = document["plugins"]?.elements() {
            for plugin in plugins { readPlugin(plugin) }
        }
        definition.dataMapper = document["dataMapper"]?.nonEmptyString()
        definition.transport = document["transport"]?.transport()
    }

    /// Reads `{"name"}` or `{"path"}`, with `options`.
    private mutating func readPlugin(_ node: DocumentNode) {
        guard let object = node.object(["name", "path", "options"]) else { return }
        let name = object["name"].map { $0.nonEmptyString() }
        let path = object["path"].map { $0.nonEmptyString() }
        let options = object["options"]
        if let options, options.value.kind != .object {
            options.report("must be an object, is \(options.value.kind.withArticle)")
            return
        }
        guard (name == nil) != (path == nil) else {
            node.report("must have either \"name\" or \"path\"")
            return
        }
        if let path = path ?? nil, !path.hasPrefix("/") {
            object["path"]?.report("must be absolute: only names are searched for")
            return
        }
        guard let pathOrName = (name ?? nil) ?? (path ?? nil) else { return }
        if definition.plugins.contains(where: { $0.pathOrName == pathOrName }) {
            node.report("the plugin stands here twice")
            return
        }
        definition.plugins.append(
            PluginReference(
                pathOrName: pathOrName,
                options: options.map { String(decoding: $0.value.text(), as: UTF8.self) },
                documentPath: node.path))
    }
}

extension DocumentNode {
    /// Reads a transport's name, or `{"name"}` with `options`.
    package func transport() -> TransportReference? {
        guard value.kind == .object else {
            return nonEmptyString().map { TransportReference(name: $0) }
        }
        guard let object = object(["name", "options"]) else { return nil }
        let options = object["options"]
        if let options, options.value.kind != .object {
            options.report("must be an object, is \(options.value.kind.withArticle)")
            return nil
        }
        guard let name = object.required("name")?.nonEmptyString() else { return nil }
        return TransportReference(
            name: name, options: options.map { String(decoding: $0.value.text(), as: UTF8.self) })
    }
}
