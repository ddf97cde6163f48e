package import RestwayDocument
import RestwayJansson
package import RestwayMapping
package import RestwayOutcome
import RestwayText

/// The mappers of a client: the built-in mapper and the mappers of its plugins.
package struct MapperTable: Sendable {
    /// The name of the built-in mapper in documents.
    static let builtInName = "jansson"

    /// A mapper that writes a body, and the Content-Type of that body.
    package struct Writer {
        package let mapper: any Mapper
        package let type: String
    }

    private let builtIn = JanssonMapper()
    private let plugins: [PluginMapper]
    /// The mapper that is used when the route names no mapper: the document's choice, or else the
    /// built-in mapper.
    private let standard: any Mapper
    /// The media types to accept when the route names no mapper. If the document has chosen a
    /// mapper, other types go to other mappers.
    private let accepted: String
    /// Whether the standard mapper reads JSON. Then a type of exactly that name needs no parsing.
    private let standardReadsJSON: Bool

    package init(_ definition: APIDefinition, _ plugins: [Plugin]) throws(Failure) {
        self.plugins = plugins.flatMap(\.mappers)
        do {
            standard = try Self.mapper(definition.plugins.dataMapper, self.plugins) ?? builtIn
        } catch {
            throw Self.failure("$.dataMapper", error)
        }
        standardReadsJSON = MediaType.reads(standard, MediaType.json)
        let type = Self.firstType(standard)
        let types = type == MediaType.json ? type : "\(type), \(MediaType.json);q=0.9"
        accepted = types + Self.anythingElse
        for route in definition.plugins.ofRoutes {
            guard let name = route.settings.dataMapper else { continue }
            do {
                _ = try Self.mapper(name, self.plugins)
                if route.hasBody, route.settings.body.serialization ?? .json == .json {
                    _ = try writer(named: name, type: route.settings.contentType(nil))
                }
            } catch {
                throw Self.failure(route.documentPath + ".dataMapper", error)
            }
        }
    }

    /// Returns the mapper for bodies that are made of values.
    ///
    /// - Parameters:
    ///   - name: The mapper that the route names; the name was checked.
    ///   - type: The Content-Type that the request or its route asks for.
    package func writer(named name: String?, type: String?) throws(Failure) -> Writer {
        let named = name.flatMap { try? Self.mapper($0, plugins) }
        if let type {
            let essence = MediaType.essence(type)
            let all: [any Mapper] = [named, standard].compactMap { $0 } + plugins + [builtIn]
            let mapper = all.first { $0.writtenType != nil && MediaType.reads($0, essence) }
            if let mapper { return Writer(mapper: mapper, type: type) }
            throw Failure(
                .invalidArgument,
                "no mapper writes \"\(essence)\", which the request's Content-Type asks for: name "
                    + "an encoder of the program as \"encode\" of the route, or give the body as "
                    + "bytes",
                field: "Content-Type")
        }
        let chosen = named ?? standard
        if let type = chosen.writtenType { return Writer(mapper: chosen, type: type) }
        // The document chooses a mapper for answers, so a chosen mapper that only reads does not
        // matter here. If the route's mapper only reads, and reads another type, no mapper writes
        // that type.
        guard let named, !MediaType.reads(named, MediaType.json) else {
            return Writer(mapper: builtIn, type: MediaType.json)
        }
        throw Failure(
            .plugin, "\(named.title) only reads, and a body would have to be written",
            field: "dataMapper")
    }

    /// Returns the media types that answers should have, for a request whose route names the mapper
    /// `name`; `nil` if the route names no mapper.
    package func accepted(named name: String?) -> String {
        guard let name, let mapper = try? Self.mapper(name, plugins) else { return accepted }
        return Self.firstType(mapper) + Self.anythingElse
    }

    /// A server that has none of the named types sends what it has, as for an error, in place of
    /// 406.
    private static let anythingElse = ", */*;q=0.1"

    private static func firstType(_ mapper: any Mapper) -> String {
        mapper.mediaTypes.first { !$0.hasPrefix("*") } ?? MediaType.json
    }

    /// Returns the mapper for a body of `type`; nil if no mapper reads the type.
    ///
    /// - Parameter name: The mapper that the route names; the name was checked.
    package func mapper(
        named name: String?, type: String?, looksLikeJSON: @autoclosure () -> Bool
    ) -> (any Mapper)? {
        if let name { return try? Self.mapper(name, plugins) }
        guard let type else { return standard }
        if standardReadsJSON, type == MediaType.json { return standard }
        let essence = MediaType.essence(type)
        if MediaType.reads(standard, essence) { return standard }
        if let mapper = plugins.first(where: { MediaType.reads($0, essence) }) { return mapper }
        return MediaType.isJSON(type) || looksLikeJSON() ? builtIn : nil
    }

    private static func failure(_ path: String, _ failure: Failure) -> Failure {
        Failure(.plugin, "\(path): \(failure.message)", field: path)
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
