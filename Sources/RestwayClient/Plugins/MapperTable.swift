import RestwayJansson
import RestwayMapping
import RestwayPlugins

/// The mappers of a client: the built-in one, and those of its plugins.
struct MapperTable: Sendable {
    /// As documents call the built-in mapper.
    static let builtInName = "jansson"

    private let plugins: [PluginMapper]
    /// For what no route decides: the document's choice, else the built-in mapper.
    private let standard: any Mapper

    init(_ definition: APIDefinition, _ plugins: [Plugin]) throws(Failure) {
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
