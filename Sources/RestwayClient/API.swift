import Glibc
import RestwayJSON
import RestwayMapping
package import RestwayObjects
import RestwayRouting
import RestwaySupport

/// A loaded API document, shared by many clients.
///
/// Frozen by its first client: routes may still be added, entities and descriptors no more.
package final class API: Sendable {
    private struct State {
        var loaded: LoadedAPI
        var isFrozen = false
    }

    private let state: Lock<State>

    private init(_ definition: APIDefinition) {
        state = Lock(State(loaded: LoadedAPI(definition)))
    }

    /// Loads a document, or throws everything that is wrong with it.
    package convenience init(document: UnsafeRawBufferPointer) throws(Failure) {
        self.init(try DocumentReader.read(document))
    }

    /// Loads the document at `path`.
    package convenience init(file path: String) throws(Failure) {
        let text = try FileText.read(path)
        let result: Result<APIDefinition, Failure> = text.withUnsafeBytes { text in
            Result { () throws(Failure) in try DocumentReader.read(text) }
        }
        var definition = try result.get()
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let directory = name.map { String(path[...$0]) } ?? ""
        definition.store.resolve(in: directory)
        definition.outbox?.resolve(in: directory)
        self.init(definition)
    }

    /// What the api holds now; later additions do not reach it.
    var loaded: LoadedAPI { state.withLock { $0.loaded } }

    var definition: APIDefinition { loaded.definition }

    /// The entity called `name`.
    package func entity(named name: String) throws(Failure) -> Entity {
        let definition = definition
        if let mapping = definition.mappings[name] { return mapping.entity }
        let hint = NearestName.to(name, in: definition.entityNames)
            .map { "; did you mean \"\($0)\"?" }
        throw Failure(.unknownEntity, "unknown entity \"\(name)\"\(hint ?? "")", field: name)
    }

    /// Ends all changes but new routes; refused while something that the document names is missing.
    func freeze() throws(Failure) {
        try state.withLock { state throws(Failure) in
            guard !state.isFrozen else { return }
            let missing = state.loaded.definition.missingFunctions
            guard missing.isEmpty else { throw Failure(.config, details: missing) }
            state.isFrozen = true
        }
    }

    // MARK: Additions

    package func addEntity(_ name: String, _ text: UnsafeRawBufferPointer) throws(Failure) {
        let node = try Self.part(text)
        try change { reader throws(Failure) in
            if reader.definition.entityNames.contains(name) {
                throw Failure(.duplicate, "entity \"\(name)\" exists already", field: name)
            }
            reader.addEntity(name, node(reader.problems))
        }
    }

    /// Adds a route; `nil` names one that only serves objects.
    package func addRoute(_ name: String?, _ text: UnsafeRawBufferPointer) throws(Failure) {
        let node = try Self.part(text)
        try change(allowedWhenFrozen: true) { reader throws(Failure) in
            if let name, (try? reader.definition.routes.route(named: name)) != nil {
                throw Failure(.duplicate, "route \"\(name)\" exists already", field: name)
            }
            reader.addRoute(name, node(reader.problems))
        }
    }

    package func addResponse(_ text: UnsafeRawBufferPointer) throws(Failure) {
        let node = try Self.part(text)
        try change { reader throws(Failure) in
            reader.addResponse(node(reader.problems))
        }
    }

    /// Adds an entry of `requests`.
    package func addRequest(_ text: UnsafeRawBufferPointer) throws(Failure) {
        let node = try Self.part(text)
        try change { reader throws(Failure) in
            reader.addRequest(node(reader.problems))
        }
    }

    /// Adds the route `name`: the path of `child` behind that of `parent`, the rest from `child`.
    package func joinRoutes(_ name: String, parent: String, child: String) throws(Failure) {
        try change(allowedWhenFrozen: true) { reader throws(Failure) in
            do throws(RoutingError) {
                try reader.definition.routes.join(name: name, parent: parent, child: child)
                let routes = reader.definition.routes
                let settings = reader.definition.settings(of: try routes.route(named: child))
                let key = try routes.route(named: name).key
                reader.definition.routeSettings[key] = settings
            } catch .invalidTemplate(let text, let position, let reason) {
                // Both are templates by themselves: it is the joint that is wrong.
                let error = RoutingError.invalidTemplate(
                    text: text, position: position, reason: reason)
                throw Failure(.config, error.message, field: name)
            } catch {
                throw Failure(error)
            }
        }
    }

    /// The JSON text of a route's property that starts with `x-`.
    package func property(_ property: String, ofRoute name: String) throws(Failure) -> String? {
        do {
            return try definition.routes.route(named: name).properties[property]
        } catch {
            throw Failure(error)
        }
    }

    /// A part of a document, and how to make a node of it.
    private static func part(
        _ text: UnsafeRawBufferPointer
    ) throws(Failure) -> @Sendable (DocumentProblems) -> DocumentNode {
        do {
            let value = try JSONValue.parse(text, .init(rejectsDuplicateKeys: true))
            return { DocumentNode(value: value, path: "$", problems: $0) }
        } catch {
            throw Failure(.config, details: [.init(path: "$", message: error.message)])
        }
    }

    /// Changes the definition, wholly or not at all.
    func change(
        allowedWhenFrozen: Bool = false,
        _ body: (inout DocumentReader) throws(Failure) -> Void
    ) throws(Failure) {
        try state.withLock { state throws(Failure) in
            guard allowedWhenFrozen || !state.isFrozen else {
                throw Failure(
                    .frozen, "the api is in use by a client: only routes can still be added")
            }
            var reader = DocumentReader()
            reader.definition = state.loaded.definition
            try body(&reader)
            if reader.problems.areDuplicates {
                throw Failure(.duplicate, details: reader.problems.details)
            }
            try reader.problems.throwIfAny()
            if state.isFrozen {
                let missing = reader.definition.missingFunctions
                guard missing.isEmpty else { throw Failure(.config, details: missing) }
            }
            state.loaded = LoadedAPI(reader.definition)
        }
    }
}
