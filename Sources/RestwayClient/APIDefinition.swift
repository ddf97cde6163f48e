import RestwayAuth
import RestwayMapping
import RestwayObjects
import RestwayRouting
import RestwayThreads

/// The content of an API document in the form that the library uses.
struct APIDefinition: Sendable {
    var environments = Environments()
    var errors = ErrorDefinition()
    var redaction = Redaction()
    var auth = AuthDefinition()
    /// The retry policy; `nil` if nothing is retried.
    var retry: RetryPolicy?
    /// The batch settings; `nil` if requests are not sent in batches.
    var batch: BatchDefinition?
    var storage = StorageDefinition()
    var plugins = PluginChoices()
    var functions = ProgramFunctions()
    var entityCatalog = EntityCatalog()
    var routes = RouteTable()
    var rules = PathRules()

    /// The mappings by the names of their entities.
    var mappings: [String: EntityMapping] { entityCatalog.mappings }

    /// The mappings in the order of the entities' indices.
    var entityMappings: [EntityMapping] { entityCatalog.ordered }

    /// The entities in the order of their indices.
    var entities: [Entity] { entityMappings.map(\.entity) }

    /// The response descriptors, in the order of results.
    var descriptors: [ResponseDescriptor] { rules.responseDescriptors }

    /// Replaces the mapping of an entity with a newer one wherever it is used.
    mutating func replace(_ mapping: EntityMapping) {
        entityCatalog.replace(mapping)
        rules.replace(mapping)
    }

    /// Removes the route called `name` and everything that belongs to it.
    mutating func removeRoute(_ name: String) {
        guard let key = try? routes.route(named: name).key else { return }
        routes.remove(named: name)
        rules.removeRoute(key)
        plugins.removeRoute(name)
    }

    func settings(of route: Route) -> RouteSettings {
        rules.routeSettings[route.key] ?? RouteSettings()
    }

    /// Returns whether the route that matches `path` with the most specific template allows
    /// requests with `method` to be stored; `nil` if it does not say.
    func mayBeStored(_ method: Method, _ path: String) -> Bool? {
        routes.routes(method: method, path: path).lazy.compactMap { settings(of: $0).mayBeStored }
            .first
    }
}

/// The files that a document's clients have.
struct StorageDefinition: Sendable {
    var store = StoreSettings()
    /// The outbox settings; `nil` if no request is stored.
    var outbox: OutboxDefinition?
    /// The permissions of files that clients make.
    var fileMode = FileMode.ownerOnly

    /// Resolves relative paths against `directory`.
    mutating func resolve(in directory: String) {
        store.resolve(in: directory)
        outbox?.resolve(in: directory)
    }
}
