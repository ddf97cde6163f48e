package import RestwayDocument
package import RestwayHTTP
import RestwayJSON
package import RestwayOutcome
import RestwayThreads

/// The transports of a client: the built-in transport, and the plugin transports that its options,
/// its document or a route name. They are opened when the client is made.
package final class TransportTable: Sendable {
    /// The transport that the client's options choose; `nil` for the document's choice.
    package struct Choice {
        package let name: String?
        /// The options of the transport as JSON text.
        package let options: String?

        package init(name: String?, options: String?) {
            self.name = name
            self.options = options
        }
    }

    /// The name of the built-in transport in documents.
    static let builtInName = "libcurl"
    /// The index of the built-in transport.
    package static let builtIn = 0

    /// The position of the transport's index in the number of an exchange. The numbers of each
    /// transport count from 1.
    private static let indexShift: UInt64 = 56
    private static let transportsMax = 255

    private let transports: [any Transport]
    private let indices: [TransportReference: Int]
    /// The index of the transport that is used when the route names no transport.
    private let standardIndex: Int

    package init(
        _ definition: APIDefinition, _ plugins: [Plugin], choosing choice: Choice,
        _ surroundings: PluginTransport.Surroundings, builtIn: any Transport
    ) throws(Failure) {
        var opening = Opening(plugins: plugins, surroundings: surroundings, transports: [builtIn])
        do throws(Failure) {
            if let named = try Self.standard(definition, choice) {
                standardIndex = try opening.index(named.reference, path: named.path)
            } else {
                standardIndex = Self.builtIn
            }
            for route in definition.plugins.ofRoutes {
                guard let transport = route.settings.transport else { continue }
                _ = try opening.index(transport, path: route.documentPath + ".transport")
            }
        } catch {
            for transport in opening.transports { transport.close() }
            throw error
        }
        transports = opening.transports
        indices = opening.indices
    }

    /// Returns the transport that the client's options choose. Where they leave out its name or its
    /// options, the document's count.
    private static func standard(
        _ definition: APIDefinition, _ choice: Choice
    ) throws(Failure) -> (path: String, reference: TransportReference)? {
        let document = definition.plugins.transport
        guard choice.name != nil || choice.options != nil else {
            return document.map { ("$.transport", $0) }
        }
        var reference = TransportReference(
            name: choice.name ?? document?.name ?? builtInName)
        if reference.name == document?.name { reference.options = document?.options }
        if let text = choice.options {
            guard (try? JSONValue.parse(text))?.kind == .object else {
                throw Failure(
                    .invalidArgument, "options.transport_options is no JSON object",
                    field: "options.transport_options")
            }
            reference.options = text
        }
        return ("options.transport", reference)
    }

    /// Returns the transport for exchanges by a route that names `reference`, which was checked.
    package func index(_ reference: TransportReference?) -> Int {
        reference.flatMap { indices[$0] } ?? standardIndex
    }

    /// Whether exchanges whose route names no transport use the built-in transport.
    package var isStandardBuiltIn: Bool { standardIndex == Self.builtIn }

    /// The transport for exchanges without a route.
    package var standard: any Transport { transports[standardIndex] }

    package func start(
        _ exchange: Exchange, through index: Int, observer: any ExchangeObserver
    ) -> ExchangeID {
        let id = transports[index].start(exchange, observer: observer)
        return ExchangeID(id.rawValue | UInt64(index) << Self.indexShift)
    }

    package func cancel(_ id: ExchangeID) {
        let (transport, id) = own(id)
        transport.cancel(id)
    }

    /// Resumes an exchange whose observer has paused it.
    package func resume(_ id: ExchangeID) {
        let (transport, id) = own(id)
        transport.resume(id)
    }

    package func close() {
        // A transport of a plugin may still use the built-in transport.
        for transport in transports.reversed() { transport.close() }
    }

    private func own(_ id: ExchangeID) -> (transport: any Transport, id: ExchangeID) {
        let index = Int(id.rawValue >> Self.indexShift)
        let own = id.rawValue & (1 << Self.indexShift - 1)
        return (transports[index], ExchangeID(own))
    }

    /// The state while the transports are opened.
    private struct Opening {
        let plugins: [Plugin]
        let surroundings: PluginTransport.Surroundings
        var transports: [any Transport]
        var indices: [TransportReference: Int] = [:]

        mutating func index(
            _ reference: TransportReference, path: String
        ) throws(Failure) -> Int {
            if let index = indices[reference] { return index }
            let index = try open(reference, path)
            indices[reference] = index
            return index
        }

        private mutating func open(
            _ reference: TransportReference, _ path: String
        ) throws(Failure) -> Int {
            guard reference.name != builtInName else {
                guard reference.options == nil else {
                    throw Self.failure(path, "\(builtInName) takes no options")
                }
                return builtIn
            }
            let found = plugins.flatMap { plugin in
                plugin.transports.filter { $0.name == reference.name }.map { (plugin, $0) }
            }
            guard let (plugin, table) = found.first else {
                let known = [builtInName] + plugins.flatMap(\.transports).map(\.name)
                throw Self.failure(
                    path,
                    "no transport is called \"\(reference.name)\" (there are: "
                        + "\(known.joined(separator: ", ")))")
            }
            guard found.count == 1 else {
                let names = found.map { "\"\($0.0.name)\"" }.joined(separator: " and ")
                throw Self.failure(
                    path, "plugins \(names) both have a transport \"\(reference.name)\"")
            }
            guard transports.count <= transportsMax else {
                throw Self.failure(path, "a client has at most \(transportsMax) transports")
            }
            do throws(PluginError) {
                let options = reference.options ?? plugin.options ?? "{}"
                transports.append(try PluginTransport(table, options: options, surroundings))
            } catch {
                throw Self.failure(path, error.message)
            }
            return transports.count - 1
        }

        private static func failure(_ path: String, _ message: String) -> Failure {
            Failure(.plugin, "\(path): \(message)", field: path)
        }
    }
}
