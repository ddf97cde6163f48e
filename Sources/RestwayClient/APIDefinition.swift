import RestwayAuth
import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayRouting

/// What an API document says, as the library works with it.
struct APIDefinition: Sendable {
    var environments: [String: Environment] = [:]
    /// Every name that the document gives, in its order, also of environments with a problem.
    var environmentNames: [String] = []
    /// The environment to use when a client names none.
    var environment: String?
    /// Sent to every environment.
    var headers: [HeaderLine] = []
    var errors = ErrorDefinition()
    var auth = AuthDefinition()
    /// `nil`: nothing is retried.
    var retry: RetryPolicy?

    /// `nil`: requests are not sent in batches.
    var batch: BatchDefinition?
    /// `nil`: no request is stored.
    var outbox: OutboxDefinition?

    var redaction = Redaction()
    var store = StoreSettings()

    /// What attributes of a type become that have no transform of their own.
    var conversions: [AttributeType: ValueConversion] = [:]
    /// The host's transforms that the document names, and where it first does.
    var transformNames: [Pair] = []
    /// The host's transforms by name.
    var transforms: [String: CustomTransform] = [:]

    /// The hooks that descriptors name, and where one first does.
    var hookNames: [Pair] = []
    /// The host's hooks by name.
    var hooks: [String: Hook] = [:]

    /// What the entities have in common.
    let model = EntityModel()
    /// Mappings by the name of their entity.
    var mappings: [String: EntityMapping] = [:]
    /// Every entity's name in order, also of entities with a problem.
    var entityNames: [String] = []

    var plugins: [PluginReference] = []
    /// The name of the mapper for answers to requests whose route names none.
    var dataMapper: String?
    /// What routes name.
    var dataMappersOfRoutes: [RouteMapper] = []

    /// What performs exchanges whose route says nothing.
    var transport: TransportReference?
    /// What routes name, and where the document says so.
    var transportsOfRoutes: [(path: String, reference: TransportReference)] = []

    var routes = RouteTable()
    var routeSettings: [String: RouteSettings] = [:]
    /// The routes' own descriptors, then those of `responses`: the order of results.
    var routeDescriptors: [ResponseDescriptor] = []
    var responseDescriptors: [ResponseDescriptor] = []
    var requestDefaults: [RequestDefaults] = []
    /// The routes' own, then those of `requests`.
    var routeRequestDescriptors: [RequestDescriptor] = []
    var requestDescriptors: [RequestDescriptor] = []

    var allRequestDescriptors: [RequestDescriptor] {
        routeRequestDescriptors + requestDescriptors
    }

    /// In the order of the entities' indices, once there are no problems.
    var entityMappings: [EntityMapping] { entityNames.compactMap { mappings[$0] } }

    /// Puts a newer mapping of its entity in place of the one before, wherever that is used.
    mutating func replace(_ mapping: EntityMapping) {
        mappings[mapping.entity.name] = mapping
        let index = mapping.entity.index
        routeDescriptors = routeDescriptors.map {
            $0.mapping.entity.index == index ? $0.with(mapping) : $0
        }
        responseDescriptors = responseDescriptors.map {
            $0.mapping.entity.index == index ? $0.with(mapping) : $0
        }
        Self.replace(&routeRequestDescriptors, mapping, index)
        Self.replace(&requestDescriptors, mapping, index)
    }

    private static func replace(
        _ descriptors: inout [RequestDescriptor], _ mapping: EntityMapping, _ entityIndex: Int
    ) {
        for place in descriptors.indices
        where descriptors[place].mapping.entity.index == entityIndex {
            descriptors[place].mapping = mapping
        }
    }

    /// What the document names and the host has not registered.
    var missingFunctions: [Failure.Detail] {
        let missing = transformNames.filter { transforms[$0.name] == nil }.map {
            Failure.Detail(
                path: $0.value, message: "transform \"\($0.name)\" is neither built in nor added")
        }
        return missing
            + hookNames.filter { hooks[$0.name] == nil }.map {
                Failure.Detail(path: $0.value, message: "hook \"\($0.name)\" has not been added")
            }
    }

    /// Whether mapping a response may call the host.
    var asksWhileMapping: Bool { !transforms.isEmpty || !hooks.isEmpty }

    /// Whether writing an object may call the host.
    var asksWhileEncoding: Bool { transforms.values.contains { $0.encode != nil } }

    /// In the order of their indices.
    var entities: [Entity] { entityMappings.map(\.entity) }

    var descriptors: [ResponseDescriptor] { routeDescriptors + responseDescriptors }

    func settings(of route: Route) -> RouteSettings {
        routeSettings[route.key] ?? RouteSettings()
    }

    /// Whether requests with `method` to `path` may be stored, as the route says that they fit; of
    /// several the one with the fewest variables, which is about the least. `nil`: it does not say.
    func mayBeStored(_ method: Method, _ path: String) -> Bool? {
        var closest: Route?
        for route in routes.all where route.methods.contains(method) {
            let count = route.template.variableNames.count
            if count < closest?.template.variableNames.count ?? .max, route.template.matches(path) {
                closest = route
            }
        }
        return closest.flatMap { settings(of: $0).mayBeStored }
    }
}
