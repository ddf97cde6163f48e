package import RestwayMapping
package import RestwayObjects
package import RestwayRouting
package import RestwayThreads

/// The content of an API document in the form that the library uses.
package struct APIDefinition: Sendable {
    package var environments = Environments()
    package var errors = ErrorDefinition()
    package var redaction = Redaction()
    package var auth = AuthDefinition()
    package var policies = SendingPolicies()
    /// The batch settings; `nil` if requests are not sent in batches.
    package var batch: BatchDefinition?
    package var storage = StorageDefinition()
    package var plugins = PluginChoices()
    package var functions = ProgramFunctions()
    var entityCatalog = EntityCatalog()
    package var routes = RouteTable()
    package var rules = PathRules()

    /// The mappings in the order of the entities' indices.
    package var entityMappings: [EntityMapping] { entityCatalog.ordered }

    /// The entities in the order of their indices.
    package var entities: [Entity] { entityMappings.map(\.entity) }

    /// The response descriptors, in the order of results.
    package var descriptors: [ResponseDescriptor] { rules.responseDescriptors }

    /// The mapping of the entity called `name`.
    package func mapping(named name: String) -> EntityMapping? { entityCatalog[name] }

    /// Returns the union called `name` in the section `unions`.
    package func union(named name: String) -> EntityUnion? { entityCatalog.unions[name] ?? nil }

    /// The objects that answers have beside their results, in JSON:API; `nil` in other formats.
    package var included: IncludedObjects? { entityCatalog.included }

    /// Changes the parts of an entity, and replaces the mappings that depend on them with newer
    /// ones wherever they are used.
    mutating func change(
        _ entity: Entity, at node: DocumentNode, _ change: (inout EntityParts) -> Void
    ) {
        for mapping in entityCatalog.change(entity, at: node, change) { rules.replace(mapping) }
    }

    /// Adds entities and unions of them, and replaces the mappings of the entities that they extend
    /// wherever these are used.
    mutating func addEntities(
        _ members: [(name: String, node: DocumentNode)],
        unions: [(name: String, node: DocumentNode)] = []
    ) {
        for mapping in entityCatalog.add(members, unions: unions, &functions) {
            rules.replace(mapping)
        }
    }

    /// Removes the route called `name` and everything that belongs to it.
    mutating func removeRoute(_ name: String) {
        guard let key = try? routes.route(named: name).key else { return }
        routes.remove(named: name)
        rules.removeRoute(key)
        plugins.ofRoutes.removeAll { $0.route == name }
    }

    /// Returns the settings of requests by `route`, or of requests without a route.
    package func settings(of route: Route?) -> RouteSettings {
        route.flatMap { rules.routeSettings[$0.key] } ?? rules.usualSettings
    }

    /// Returns the rules for the answers to requests by `route`, or to requests without a route.
    package func answerRules(of route: Route?) -> AnswerRules {
        route.map { settings(of: $0).body.answers } ?? policies.answers
    }

    /// Returns when requests with `method` are stored, as the route says that matches `path` with
    /// the most specific template; `nil` if it does not say.
    package func storing(_ method: Method, _ path: String) -> StoringRule? {
        routes.routes(method: method, path: path).lazy.compactMap { settings(of: $0).storing }
            .first
    }
}

/// The files that a document's clients have.
package struct StorageDefinition: Sendable {
    package var store = StoreSettings()
    /// The outbox settings; `nil` if no request is stored.
    package var outbox: OutboxDefinition?
    /// The response cache; `nil` if answers are not kept.
    package var cache: CacheDefinition?
    /// The permissions of files that clients make.
    package var fileMode = FileMode.ownerOnly

    /// Resolves relative paths against `directory`.
    package mutating func resolve(in directory: String) {
        store.resolve(in: directory)
        outbox?.resolve(in: directory)
        cache?.resolve(in: directory)
    }
}

/// The settings in a document for the store of its clients.
package struct StoreSettings: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case memory, sqlite
    }

    package var kind = Kind.memory
    /// The path of the file, if the kind of store has a file.
    package var path: String?
    /// The number of objects in the cache; nil for the default.
    package var cachedObjectsMax: Int?
    package var busyTimeoutMilliseconds: Int32?
    /// Whether programs see objects whose deletion waits for the server.
    package var pendingDeletes = Query.PendingDeletes.hide

    /// Resolves a relative path against `directory`.
    package mutating func resolve(in directory: String) {
        guard let path, !path.hasPrefix("/") else { return }
        self.path = directory + path
    }
}

/// The rules of a document by which requests are sent and their answers judged.
package struct SendingPolicies: Sendable {
    /// `nil` if nothing is retried.
    package var retry: RetryPolicy?
    /// `nil` if requests never wait for an origin's rate.
    package var rate: RatePolicy?
    /// The rules for the answers to requests without a route. Routes build on them.
    package var answers = AnswerRules.usual
    /// The modifiers and the interceptors for all requests.
    package var stages = StageNames()
}
