import Glibc
import RestwayJSON
import RestwayMapping
package import RestwayObjects
package import RestwayOutcome
import RestwayRouting
import RestwayThreads

/// A loaded API document, shared by many clients.
///
/// Its first client freezes it: from then on, routes may still be added, but not entities or
/// descriptors.
package final class API: Sendable {
    private struct State {
        var loaded: LoadedAPI
        var isFrozen = false
        var text: DocumentText
    }

    private let state: Lock<State>
    /// The path of the document's file as the program gave it; `nil` for a document in memory.
    private let file: String?

    private init(_ definition: APIDefinition, _ text: DocumentText, file: String? = nil) {
        self.file = file
        state = Lock(State(loaded: LoadedAPI(definition), text: text))
    }

    /// Loads a document, or throws all its problems.
    package convenience init(document: UnsafeRawBufferPointer) throws(Failure) {
        let (definition, text) = try DocumentReader.read(document)
        self.init(definition, text)
    }

    /// Loads the document at `path`.
    package convenience init(file path: String) throws(Failure) {
        let text = try FileText.read(path)
        let place = FilePlace(path: path)
        let result: Result<(APIDefinition, DocumentText), Failure> = text.withUnsafeBytes { text in
            Result { () throws(Failure) in try DocumentReader.read(text, at: place) }
        }
        var (definition, documentText): (APIDefinition, DocumentText)
        do throws(Failure) {
            (definition, documentText) = try result.get()
        } catch {
            throw error.naming(documentFile: path)
        }
        definition.storage.resolve(in: place.directory)
        definition.environments.resolve(in: place.directory)
        self.init(definition, documentText, file: path)
    }

    /// Returns a failure with the name of the document's file if it is about the document.
    package func naming(fileOf failure: Failure) -> Failure {
        file.map { failure.naming(documentFile: $0) } ?? failure
    }

    /// The present content of the api; later additions do not reach it.
    package var loaded: LoadedAPI { state.withLock { $0.loaded } }

    package var definition: APIDefinition { loaded.definition }

    /// The document as text, with everything that functions have added.
    var text: DocumentText { state.withLock { $0.text } }

    /// Returns the entity called `name`.
    package func entity(named name: String) throws(Failure) -> Entity {
        try definition.entityCatalog.mapping(named: name).entity
    }

    /// Returns the entities with these indices in the model of the api.
    package func entities(at indices: [Int]) -> [Entity] {
        let mappings = definition.entityMappings
        return indices.filter(mappings.indices.contains).map { mappings[$0].entity }
    }

    /// Forbids all changes except new routes. It fails while something that the document names is
    /// missing.
    package func freeze() throws(Failure) {
        try state.withLock { state throws(Failure) in
            guard !state.isFrozen else { return }
            let missing = state.loaded.definition.functions.missing
            guard missing.isEmpty else { throw Failure(.config, details: missing) }
            state.isFrozen = true
        }
    }

    // MARK: Additions

    package func addEntity(_ name: String, _ text: UnsafeRawBufferPointer) throws(Failure) {
        let addition = DocumentText.Addition.value(["entities", name], json: Array(text))
        try change(try DocumentNode.parse(text), adding: addition) {
            definition, node throws(Failure) in
            if definition.entityCatalog.names.contains(name) {
                throw Failure(.duplicate, "entity \"\(name)\" exists already", field: name)
            }
            if definition.entityCatalog.unions[name] != nil {
                throw Failure(.duplicate, "a union \"\(name)\" exists already", field: name)
            }
            definition.addEntities([(name, node)])
        }
    }

    /// Adds a route. A route whose name is `nil` only serves objects.
    ///
    /// - Parameter replaces: Whether the route replaces a route with the same name. Calls that have
    ///   started, and routes that were joined to the old route, keep the old route.
    package func addRoute(
        _ name: String?, _ text: UnsafeRawBufferPointer, replaces: Bool = false
    ) throws(Failure) {
        let value = try DocumentNode.parse(text)
        // A route without a name has no place in a document.
        let addition = name.map { DocumentText.Addition.value(["routes", $0], json: Array(text)) }
        try change(value, allowedWhenFrozen: true, adding: addition) {
            definition, node throws(Failure) in
            if let name { try Self.makeRoom(for: name, &definition, replaces: replaces) }
            definition.addRoute(name, node)
        }
    }

    /// Refuses the name of an existing route, or removes that route.
    private static func makeRoom(
        for name: String, _ definition: inout APIDefinition, replaces: Bool
    ) throws(Failure) {
        guard (try? definition.routes.route(named: name)) != nil else { return }
        guard replaces else {
            throw Failure(.duplicate, "a route \"\(name)\" exists already", field: name)
        }
        definition.removeRoute(name)
    }

    /// Adds an entry of `responses`.
    package func addResponse(_ text: UnsafeRawBufferPointer) throws(Failure) {
        let addition = DocumentText.Addition.element(list: "responses", json: Array(text))
        try change(try DocumentNode.parse(text), adding: addition) { $0.addResponse($1) }
    }

    /// Adds an entry of `requests`.
    package func addRequest(_ text: UnsafeRawBufferPointer) throws(Failure) {
        let addition = DocumentText.Addition.element(list: "requests", json: Array(text))
        try change(try DocumentNode.parse(text), adding: addition) { $0.addRequest($1) }
    }

    /// Adds the route `name`: the path of `parent` followed by the path of `child`, and everything
    /// else from `child`.
    ///
    /// - Parameter replaces: As in `addRoute`. The new route may replace its own parent or child.
    package func joinRoutes(
        _ name: String, parent: String, child: String, replaces: Bool = false
    ) throws(Failure) {
        let addition = DocumentText.Addition.joinedRoute(name, child: child)
        try change(allowedWhenFrozen: true, adding: addition) { definition, node throws(Failure) in
            let joined: Route
            let settings: RouteSettings
            do throws(RoutingError) {
                let routes = definition.routes
                joined = try routes.joined(name: name, parent: parent, child: child)
                settings = definition.settings(of: try routes.route(named: child))
            } catch {
                guard case .invalidTemplate = error else { throw Failure(error) }
                // Each path is a valid template by itself; only the joined path is not.
                throw Failure(.config, error.message, field: name)
            }
            try Self.makeRoom(for: name, &definition, replaces: replaces)
            do throws(RoutingError) {
                try definition.add(joined, settings, at: node)
            } catch {
                throw Failure(error)
            }
        }
    }

    /// Returns the JSON text of a route's property that starts with `x-`.
    package func property(_ property: String, ofRoute name: String) throws(Failure) -> String? {
        do {
            return try definition.routes.route(named: name).properties[property]
        } catch {
            throw Failure(error)
        }
    }

    /// Changes the definition completely or not at all.
    ///
    /// - Parameters:
    ///   - value: The part of a document that `body` adds, as a node.
    ///   - addition: The same change of the document's text.
    func change(
        _ value: JSONValue = .null, allowedWhenFrozen: Bool = false,
        adding addition: DocumentText.Addition? = nil,
        _ body: (inout APIDefinition, DocumentNode) throws(Failure) -> Void
    ) throws(Failure) {
        try state.withLock { state throws(Failure) in
            guard allowedWhenFrozen || !state.isFrozen else {
                throw Failure(
                    .frozen, "the api is in use by a client: only routes can still be added")
            }
            let problems = DocumentProblems()
            var definition = state.loaded.definition
            try value.withTree { value throws(Failure) in
                try body(&definition, DocumentNode(value: value, problems: problems))
            }
            definition.rules.reportUndecidedTemplates(problems)
            if problems.areDuplicates { throw Failure(.duplicate, details: problems.details) }
            try problems.throwIfAny()
            if state.isFrozen, !definition.functions.missing.isEmpty {
                throw Failure(.config, details: definition.functions.missing)
            }
            state.loaded = LoadedAPI(definition)
            state.text.add(addition)
        }
    }
}

extension Failure {
    /// Puts the name of a document's file before a message that begins with a place in the
    /// document. A place in an included file has the name of that file already.
    fileprivate func naming(documentFile path: String) -> Failure {
        guard field?.utf8.first == UInt8(ascii: "$") else { return self }
        var failure = self
        failure.message = "\(path): \(message)"
        return failure
    }
}
