import RestwayJSON
import RestwayMapping
import RestwayRouting

/// A route as a document declares it, before it is joined to its parent.
struct DocumentRoute {
    static let keysOfLaterVersions = ["lane"]

    var route: Route
    let settings: RouteSettings
    let responses: [DocumentResponse]
    let requests: [RequestDescriptor]
    /// The relationship whose links the route reads and changes; `nil` for other routes.
    let endpoint: RelationshipEndpoint?
    let node: DocumentNode
    let parent: DocumentNode?

    /// Creates a route without a parent and without descriptors.
    init(route: Route, settings: RouteSettings, node: DocumentNode) {
        self.route = route
        self.settings = settings
        responses = []
        requests = []
        endpoint = nil
        self.node = node
        parent = nil
    }

    /// The name of the parent; `nil` if the route has no parent.
    var parentName: String? { parent?.value.string }

    /// Reads a route and reports all its problems; `nil` if they leave no route.
    ///
    /// - Parameters:
    ///   - retry: The policy that the route's own builds on.
    ///   - answers: The rules whose keys the route's own replace.
    init?(
        _ name: String?, _ node: DocumentNode, in entities: EntityCatalog, _ retry: RetryPolicy?,
        _ answers: AnswerRules
    ) {
        guard let object = node.object(.route, unsupported: Self.keysOfLaterVersions)
        else { return nil }
        let methods = object["method"].map { $0.methods() } ?? [.get]
        if let entity = object["entity"] { _ = entities.mapping(entity) }
        let isAbsolute = object["absolute"]?.bool() ?? false
        _ = object["catchAll"]?.bool()
        parent = object["parent"].flatMap { $0.nonEmptyString() == nil ? nil : $0 }
        settings = RouteSettings(
            headers: object["headers"]?.headers() ?? [],
            parameters: object["parameters"]?.parameters() ?? [],
            timeouts: Timeouts(object),
            retry: object["retry"].flatMap { RetryPolicy(ofRoute: $0, over: retry) },
            auth: object["auth"].flatMap(AuthMode.init),
            dataMapper: object["dataMapper"]?.nonEmptyString(),
            transport: object["transport"].flatMap(TransportReference.init),
            storing: object["offline"].flatMap { StoringRule($0, methods) },
            isOptimistic: object["optimistic"]?.bool() ?? false,
            body: BodySettings(ofRoute: object, over: answers, entities.resources),
            answers: AnswerSettings(ofRoute: object, methods, entities),
            cache: CacheRules(ofRoute: object, methods),
            stages: StageNames(
                modifiers: object["modifiers"], interceptors: object["interceptors"]),
            conflict: object["conflict"].map(ConflictSettings.init) ?? ConflictSettings())
        endpoint = object["relationship"].flatMap {
            RelationshipEndpoint($0, ofRoute: name, object, methods, entities)
        }
        let own = (object["response"]?.oneOrMany() ?? []).compactMap { response in
            let object = response.objectWithName(
                .routeResponse, elsewhere: DocumentResponse.keysOfRoute)
            return object.flatMap { DocumentResponse($0, entities) }
        }
        responses = endpoint.map { [DocumentResponse($0, object)] } ?? own
        requests = (object["request"]?.oneOrMany() ?? []).compactMap {
            RequestDescriptor(
                ofRoute: $0, methods: methods, entity: object["entity"], in: entities)
        }
        guard let template = object.required("path")?.template(), !methods.isEmpty else {
            return nil
        }
        route = Route(
            name: name, methods: methods, template: template,
            // Objects are not sent to the endpoints of their relationships.
            entity: object["relationship"] == nil ? object["entity"]?.value.string : nil,
            isAbsolute: isAbsolute,
            properties: object.extensions)
        self.node = node
    }
}

/// Joins routes to their parents, which may stand before or behind them.
///
/// The time is proportional to the number of routes, because each route is joined once.
private struct RouteFamily {
    enum Outcome {
        case joined(Route)
        /// The template cannot follow its parent's template.
        case unjoinable(RoutingError)
        /// The route is its own ancestor.
        case circle
        /// The parent does not exist, or has a problem of its own.
        case orphan
    }

    let members: [DocumentRoute]
    /// More routes that may be parents.
    let others: RouteTable
    /// The places in `members` by name.
    private let places: [String: Int]
    /// The outcomes of the members that are joined.
    private var outcomes: [Outcome?]

    init(_ members: [DocumentRoute], _ others: RouteTable) {
        self.members = members
        self.others = others
        var places: [String: Int] = [:]
        places.reserveCapacity(members.count)
        for (place, member) in members.enumerated() { places[member.route.name ?? ""] = place }
        self.places = places
        outcomes = Array(repeating: nil, count: members.count)
    }

    /// Joins the member at `place` to its parent.
    mutating func join(_ place: Int) -> Outcome {
        // The member and its ancestors that are not joined yet.
        var line: [Int] = []
        var seen: Set<Int> = []
        var next: Int? = place
        while let current = next, outcomes[current] == nil {
            guard seen.insert(current).inserted else {
                let start = line.firstIndex(of: current) ?? line.startIndex
                for place in line[start...] { outcomes[place] = .circle }
                break
            }
            line.append(current)
            next = members[current].parentName.flatMap { places[$0] }
        }
        for place in line.reversed() where outcomes[place] == nil {
            outcomes[place] = outcome(place)
        }
        return outcomes[place] ?? .orphan
    }

    /// - Precondition: If the parent is a member, it has an outcome.
    private func outcome(_ place: Int) -> Outcome {
        let route = members[place].route
        guard let parentName = members[place].parentName else { return .joined(route) }
        var parent = try? others.route(named: parentName)
        if let place = places[parentName] {
            guard case .joined(let route)? = outcomes[place] else { return .orphan }
            parent = route
        }
        guard let parent else { return .orphan }
        do {
            return .joined(
                try route.joined(to: parent, name: route.name, isAbsolute: route.isAbsolute))
        } catch {
            return .unjoinable(error)
        }
    }
}

/// The section `routes`.
extension APIDefinition {
    /// Adds routes in their order, each joined to its parent. The parent may stand anywhere.
    mutating func addRoutes(_ members: [(name: String, node: DocumentNode)]) {
        var declared: [DocumentRoute] = []
        declared.reserveCapacity(members.count)
        for (name, node) in members {
            let route = DocumentRoute(
                name, node, in: entityCatalog, policies.retry, policies.answers)
            guard let route else { continue }
            declared.append(route)
        }
        var family = RouteFamily(declared, routes)
        lazy var known = members.map(\.name) + routes.all.compactMap(\.name)
        lazy var names = Set(known)
        for (place, member) in declared.enumerated() {
            var item = member
            item.node.problems.step()
            if !item.settings.cache.invalidatedRoutes.isEmpty {
                item.settings.cache.reportUnknownRoutes(item.node, known: known, names)
            }
            switch family.join(place) {
            case .joined(let route):
                item.route = route
                add(item)
            case .unjoinable(let error):
                (item.parent ?? item.node).report(error.message)
            case .circle:
                item.parent?.report("is part of a circle of parents")
            case .orphan:
                // A parent with a problem of its own was already reported.
                guard let parent = item.parentName, !names.contains(parent) else { continue }
                item.parent?.reportUnknown("route", parent, among: known)
            }
        }
    }

    /// Adds one route that stands in no document; its `name` may be `nil`.
    mutating func addRoute(_ name: String?, _ node: DocumentNode) {
        if let name {
            addRoutes([(name, node)])
        } else if let item = DocumentRoute(
            nil, node, in: entityCatalog, policies.retry, policies.answers)
        {
            if let parent = item.parent {
                parent.report("a route without a name cannot have a parent")
            } else if item.route.entity == nil, item.node["relationship"] == nil {
                node.report("a route without a name needs an \"entity\" that it serves")
            } else {
                let known = routes.all.compactMap(\.name)
                item.settings.cache.reportUnknownRoutes(item.node, known: known, Set(known))
                add(item)
            }
        }
    }

    mutating func add(_ item: DocumentRoute) {
        let route = item.route
        if route.template.standsForEveryPath, !(item.node["catchAll"]?.value.bool ?? false) {
            item.node.report(
                "the path would match every path; if it should, write \"catchAll\": true")
        }
        let added: Void? = item.node.routing { () throws(RoutingError) in
            try add(route, item.settings, at: item.node)
        }
        guard added != nil else { return }
        item.endpoint?.check(route.template, item.node)
        functions.mention(item.settings.body, of: item.node)
        functions.mention(
            modifiers: item.node["modifiers"], interceptors: item.node["interceptors"])
        if item.settings.dataMapper != nil || item.settings.transport != nil {
            plugins.ofRoutes.append(
                RoutePlugins(
                    route: route.name, settings: item.settings, hasBody: !item.requests.isEmpty,
                    documentPath: item.node.place.text))
        }
        // Answers to OPTIONS and TRACE are mapped only if the route is for nothing else.
        let usual = route.methods.filter(\.answersWithObjects)
        let methods = usual.isEmpty ? route.methods : usual
        for response in item.responses {
            add(response, methods: methods, template: route.template, routeKey: route.key)
        }
        for var request in item.requests {
            request.template = route.template
            request.routeKey = route.key
            rules.add(request, at: item.node)
        }
    }

    mutating func add(
        _ route: Route, _ settings: RouteSettings, at node: DocumentNode
    ) throws(RoutingError) {
        try routes.add(route)
        rules.routeSettings[route.key] = settings
        rules.add(.route(route), at: node)
    }
}
