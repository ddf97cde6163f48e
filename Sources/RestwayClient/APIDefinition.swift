import RestwayAuth
import RestwayHTTP
import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayRouting
import RestwayText
import RestwayThreads

/// The content of an API document in the form that the library uses.
struct APIDefinition: Sendable {
    var environments: [String: Environment] = [:]
    /// All environment names of the document, in its order, including environments with a problem.
    var environmentNames: [String] = []
    /// The environment to use when a client names none.
    var environment: String?
    /// Headers that are sent to every environment.
    var headers: [Pair] = []
    var errors = ErrorDefinition()
    var auth = AuthDefinition()
    /// The retry policy; `nil` if nothing is retried.
    var retry: RetryPolicy?

    /// The batch settings; `nil` if requests are not sent in batches.
    var batch: BatchDefinition?
    /// The outbox settings; `nil` if no request is stored.
    var outbox: OutboxDefinition?

    var redaction = Redaction()
    /// The rules for headers that follow a redirect to an origin that the environment does not
    /// trust.
    var redirects = RedirectRules()
    var store = StoreSettings()
    /// The permissions of files that clients make.
    var fileMode = FileMode.ownerOnly

    /// The conversions of attributes without a transform of their own, by type.
    var conversions: [AttributeType: ValueConversion] = [:]
    /// The program's transforms that the document names, each with the first place that names it.
    var transformNames = FirstMentions()
    /// The program's transforms by name.
    var transforms: [String: CustomTransform] = [:]

    /// The hooks that descriptors name, each with the first place that names it.
    var hookNames = FirstMentions()
    /// The program's hooks by name.
    var hooks: [String: Hook] = [:]

    /// The data that the entities share.
    let model = EntityModel()
    /// The mappings by the names of their entities.
    var mappings: [String: EntityMapping] = [:]
    /// The names of all entities in order, including entities with a problem.
    private(set) var entityNames: [String] = []
    /// The index of each name in `entityNames`.
    private(set) var entityIndices: [String: Int] = [:]

    var plugins: [PluginReference] = []
    /// The name of the mapper for answers to requests whose route names none.
    var dataMapper: String?
    /// The mappers that routes name.
    var dataMappersOfRoutes: [RouteMapper] = []

    /// The transport for exchanges whose route names none.
    var transport: TransportReference?
    /// The transports that routes name, with the places in the document.
    var transportsOfRoutes: [(route: String?, path: String, reference: TransportReference)] = []

    var routes = RouteTable()
    var routeSettings: [String: RouteSettings] = [:]
    /// The descriptors of routes. They come before the descriptors of `responses`, and results have
    /// this order.
    var routeDescriptors: [ResponseDescriptor] = []
    var responseDescriptors: [ResponseDescriptor] = []
    /// The essences of all response descriptors. Each may occur only once.
    var responseEssences: Set<ResponseDescriptor.Essence> = []
    var requestDefaults: [RequestDefaults] = []
    /// The request descriptors of routes. They come before the descriptors of `requests`.
    var routeRequestDescriptors: [RequestDescriptor] = []
    var requestDescriptors: [RequestDescriptor] = []
    /// The routes and descriptors whose templates may match the same paths as others without being
    /// more or less specific.
    var templateClaims: [TemplateClaim] = []

    mutating func addEntityName(_ name: String) {
        entityIndices[name] = entityNames.count
        entityNames.append(name)
    }

    var allRequestDescriptors: [RequestDescriptor] {
        routeRequestDescriptors + requestDescriptors
    }

    /// The mappings in the order of the entities' indices, once the document has no problems.
    var entityMappings: [EntityMapping] { entityNames.compactMap { mappings[$0] } }

    /// Replaces the mapping of an entity with a newer one wherever it is used.
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

    /// Removes the route called `name` and everything that belongs to it.
    mutating func removeRoute(_ name: String) {
        guard let key = try? routes.route(named: name).key else { return }
        routes.remove(named: name)
        routeSettings[key] = nil
        routeDescriptors.removeAll { $0.routeKey == key }
        responseEssences = Set(descriptors.map(\.essence))
        routeRequestDescriptors.removeAll { $0.routeKey == key }
        templateClaims.removeAll { $0.routeKey == key }
        dataMappersOfRoutes.removeAll { $0.route == name }
        transportsOfRoutes.removeAll { $0.route == name }
    }

    private static func replace(
        _ descriptors: inout [RequestDescriptor], _ mapping: EntityMapping, _ entityIndex: Int
    ) {
        for place in descriptors.indices
        where descriptors[place].mapping.entity.index == entityIndex {
            descriptors[place].mapping = mapping
        }
    }

    /// The functions that the document names and the program has not registered.
    var missingFunctions: [Failure.Detail] {
        let missing = transformNames.all.filter { transforms[$0.name] == nil }.map {
            Failure.Detail(
                path: $0.value, message: "transform \"\($0.name)\" is neither built in nor added")
        }
        return missing
            + hookNames.all.filter { hooks[$0.name] == nil }.map {
                Failure.Detail(path: $0.value, message: "hook \"\($0.name)\" has not been added")
            }
    }

    /// Whether mapping a response may call the program.
    var asksWhileMapping: Bool { !transforms.isEmpty || !hooks.isEmpty }

    /// Whether writing an object may call the program.
    var asksWhileEncoding: Bool { transforms.values.contains { $0.encode != nil } }

    /// The entities in the order of their indices.
    var entities: [Entity] { entityMappings.map(\.entity) }

    var descriptors: [ResponseDescriptor] { routeDescriptors + responseDescriptors }

    func settings(of route: Route) -> RouteSettings {
        routeSettings[route.key] ?? RouteSettings()
    }

    /// Returns whether the route that matches `path` with the most specific template allows
    /// requests with `method` to be stored; `nil` if it does not say.
    func mayBeStored(_ method: Method, _ path: String) -> Bool? {
        routes.routes(method: method, path: path).lazy.compactMap { settings(of: $0).mayBeStored }
            .first
    }
}
