import RestwayJSON
import RestwayMapping
package import RestwayRouting

/// A route as a document declares it, before it is joined to its parent.
private struct DocumentRoute {
    static let keys = [
        "method", "path", "parent", "entity", "response", "request", "absolute", "headers",
        "parameters", "timeoutMilliseconds", "retry", "auth", "dataMapper", "transport",
        "offline",
    ]

    static let keysOfLaterVersions = [
        "cacheTTL", "invalidatesCachedRouteNames", "serializationName",
        "gzip", "lane",
    ]

    var route: Route
    let settings: RouteSettings
    let mapper: RouteMapper?
    let transport: RouteTransport?
    let responses: [DocumentResponse]
    let requests: [RequestDescriptor]
    let node: DocumentNode
    let parent: DocumentNode?

    var parentName: String { parent?.value.string ?? "" }

    /// Reads a route and reports all its problems; `nil` if they leave no route.
    init?(_ name: String?, _ node: DocumentNode, in definition: APIDefinition) {
        guard let object = node.object(Self.keys, unsupported: Self.keysOfLaterVersions)
        else { return nil }
        let entities = definition.entityCatalog
        let methods = object["method"].map { $0.methods() } ?? [.get]
        if let entity = object["entity"] { _ = entities.mapping(entity) }
        let isAbsolute = object["absolute"]?.bool() ?? false
        parent = object["parent"].flatMap { $0.nonEmptyString() == nil ? nil : $0 }
        let settings = RouteSettings(
            headers: object["headers"]?.headers() ?? [],
            parameters: object["parameters"]?.parameters() ?? [],
            timeoutMilliseconds: object["timeoutMilliseconds"]?.milliseconds(),
            retry: object["retry"].flatMap { RetryPolicy(ofRoute: $0, over: definition.retry) },
            auth: object["auth"].flatMap(AuthMode.init),
            dataMapper: object["dataMapper"]?.nonEmptyString(),
            transport: object["transport"].flatMap(TransportReference.init),
            mayBeStored: object["offline"].flatMap { OutboxDefinition.mayStore($0, methods) })
        self.settings = settings
        transport = settings.transport.map {
            RouteTransport(route: name, reference: $0, documentPath: node.path + ".transport")
        }
        responses = (object["response"]?.oneOrMany() ?? []).compactMap { response in
            response.object(DocumentResponse.keys).flatMap { DocumentResponse($0, entities) }
        }
        let requests = (object["request"]?.oneOrMany() ?? []).compactMap {
            RequestDescriptor(
                ofRoute: $0, methods: methods, entity: object["entity"], in: entities)
        }
        self.requests = requests
        mapper = settings.dataMapper.map {
            RouteMapper(
                route: name, name: $0, hasBody: !requests.isEmpty,
                contentType: settings.contentType, documentPath: node.path + ".dataMapper")
        }
        guard let template = object.required("path")?.template(), !methods.isEmpty else {
            return nil
        }
        route = Route(
            name: name, methods: methods, template: template,
            entity: object["entity"]?.value.string, isAbsolute: isAbsolute,
            properties: object.extensions)
        self.node = node
    }
}

/// The section `routes`.
extension APIDefinition {
    /// Adds routes in their order, each joined to its parent. The parent may stand anywhere.
    mutating func addRoutes(_ members: [(name: String, node: DocumentNode)]) {
        let declared = members.compactMap { DocumentRoute($0.name, $0.node, in: self) }
        var family = RouteFamily(
            declared.map {
                RouteFamily.Member(route: $0.route, parent: $0.parent == nil ? nil : $0.parentName)
            }, of: routes)
        let known = members.map(\.name) + routes.all.compactMap(\.name)
        let names = Set(known)
        for var item in declared {
            item.node.problems.step()
            switch family.join(item.route.name ?? "") {
            case .joined(let route):
                item.route = route
                add(item)
            case .unjoinable(let error):
                (item.parent ?? item.node).report(error.message)
            case .circle:
                item.parent?.report("is part of a circle of parents")
            case .orphan:
                // A parent with a problem of its own was already reported.
                if names.contains(item.parentName) { continue }
                item.parent?.reportUnknown("route", item.parentName, among: known)
            }
        }
    }

    /// Adds one route that stands in no document; its `name` may be `nil`.
    package mutating func addRoute(_ name: String?, _ node: DocumentNode) {
        if let name {
            addRoutes([(name, node)])
        } else if let item = DocumentRoute(nil, node, in: self) {
            if let parent = item.parent {
                parent.report("a route without a name cannot have a parent")
            } else if item.route.entity == nil {
                node.report("a route without a name needs an \"entity\" that it serves")
            } else {
                add(item)
            }
        }
    }

    private mutating func add(_ item: DocumentRoute) {
        let route = item.route
        let added: Void? = item.node.routing { () throws(RoutingError) in
            try add(route, item.settings, path: item.node.path, item.node.problems)
        }
        guard added != nil else { return }
        plugins.add(item.mapper, item.transport)
        for response in item.responses {
            add(response, methods: route.methods, template: route.template, routeKey: route.key)
        }
        for var request in item.requests {
            request.template = route.template
            request.routeKey = route.key
            rules.add(request, at: item.node)
        }
    }

    /// - Parameter path: The place of the route in the document.
    package mutating func add(
        _ route: Route, _ settings: RouteSettings, path: String, _ problems: DocumentProblems
    ) throws(RoutingError) {
        try routes.add(route)
        rules.routeSettings[route.key] = settings
        rules.add(TemplateClaim(route, path), problems)
    }
}
