import RestwayJansson
import RestwayMapping
import RestwayPlugins

/// The mappers of a client: the built-in one, those of the plugins that its API document asks for,
/// and those of plugins that the host had loaded before.
struct MapperTable: Sendable {
    /// As documents call the built-in mapper.
    static let builtInName = "jansson"

    private let plugins: [PluginMapper]
    /// For what no route decides: the document's choice, else the built-in mapper.
    private let standard: any Mapper

    init(_ definition: APIDefinition, isLoadingAllowed: Bool) throws(Failure) {
        var plugins: [Plugin] = []
        for reference in definition.plugins {
            guard isLoadingAllowed else {
                throw Failure(
                    .plugin,
                    "\(reference.documentPath): the document asks for plugins, which the client's "
                        + "options do not allow",
                    field: reference.documentPath)
            }
            do throws(PluginError) {
                plugins.append(
                    try PluginRegistry.shared.load(
                        reference.pathOrName, options: reference.options))
            } catch {
                throw Failure(
                    .plugin, "\(reference.documentPath): \(error.message)",
                    field: reference.documentPath)
            }
        }
        plugins += PluginRegistry.shared.plugins.filter { loaded in
            !plugins.contains { $0 === loaded }
        }
        self.plugins = plugins.flatMap(\.mappers)
        standard = try Self.mapper(definition.dataMapper, self.plugins) ?? JanssonMapper()
        for (path, name) in definition.dataMappersOfRoutes {
            do {
                _ = try Self.mapper(name, self.plugins)
            } catch {
                throw Failure(error.reason, "\(path): \(error.message)", field: path)
            }
        }
    }

    /// The mapper for a body of `type`; nil when nobody reads that.
    ///
    /// - Parameter name: What the route says; it was checked.
    func mapper(named name: String?, type: String?, looksLikeJSON: Bool) -> (any Mapper)? {
        if let name { return try? Self.mapper(name, plugins) }
        guard let type else { return standard }
        let essence = MediaType.essence(type)
        if MediaType.reads(standard, essence) { return standard }
        if let mapper = plugins.first(where: { MediaType.reads($0, essence) }) { return mapper }
        return MediaType.isJSON(type) || looksLikeJSON ? standard : nil
    }

    private static func mapper(
        _ name: String?, _ plugins: [PluginMapper]
    ) throws(Failure) -> (any Mapper)? {
        guard let name else { return nil }
        if name == builtInName { return JanssonMapper() }
        if let mapper = plugins.first(where: { $0.name == name }) { return mapper }
        let known = ([builtInName] + plugins.map(\.name)).joined(separator: ", ")
        throw Failure(.plugin, "no data mapper is called \"\(name)\" (there are: \(known))")
    }
}
