import RestwayJSON
import RestwayMapping
import RestwayRouting

/// The section `routes`.
extension DocumentReader {
    static let routeKeys = [
        "method", "path", "parent", "entity", "response", "request", "absolute", "headers",
        "parameters", "timeoutMilliseconds", "retry", "auth", "dataMapper", "transport",
        "offline",
    ]

    static let routeKeysOfLaterVersions = [
        "cacheTTL", "invalidatesCachedRouteNames", "serializationName",
        "gzip", "lane",
    ]

    /// A route that was read but is not yet joined to its parent.
    private struct PendingRoute {
        var route: Route
        var settings: RouteSettings
        var responses: [ResponsePart]
        var requests: [RequestPart]
        let node: DocumentNode
        let parent: DocumentNode?

        var parentName: String { parent?.value.string ?? "" }
    }

    /// Adds routes in their order, each joined to its parent. The parent may stand anywhere.
    mutating func addRoutes(_ members: [(name: String, node: DocumentNode)]) {
        var pending: [PendingRoute] = []
        for (name, node) in members {
            if let route = read(name, node) { pending.append(route) }
        }
        var family = RouteFamily(
            pending.map {
                RouteFamily.Member(route: $0.route, parent: $0.parent == nil ? nil : $0.parentName)
            }, of: definition.routes)
        let known = members.map(\.name) + definition.routes.all.compactMap(\.name)
        let names = Set(known)
        for var item in pending {
            problems.step()
            let name = item.route.name ?? ""
            switch family.join(name) {
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
                item.parent?.report(unknown("route", item.parentName, known))
            }
        }
    }

    /// Reads a route and reports all its problems; `nil` if they leave no route.
    private mutating func read(_ name: String?, _ node: DocumentNode) -> PendingRoute? {
        guard let object = node.object(Self.routeKeys, unsupported: Self.routeKeysOfLaterVersions)
        else { return nil }
        let methods = object["method"].map { $0.methods() } ?? [.get]
        if let entity = object["entity"] { _ = mapping(entity) }
        let isAbsolute = object["absolute"]?.bool() ?? false
        let parent = object["parent"].flatMap { $0.nonEmptyString() == nil ? nil : $0 }
        let settings = RouteSettings(
            headers: object["headers"]?.headers() ?? [],
            parameters: object["parameters"]?.parameters() ?? [],
            timeoutMilliseconds: object["timeoutMilliseconds"]?.milliseconds(),
            retry: object["retry"]?.routeRetryPolicy(over: definition.retry),
            auth: object["auth"]?.routeAuthMode(),
            dataMapper: object["dataMapper"]?.nonEmptyString(),
            transport: object["transport"]?.transport(),
            mayBeStored: object["offline"].flatMap { offline($0, methods) })
        if let transport = settings.transport, let node = object["transport"] {
            definition.transportsOfRoutes.append((name, node.path, transport))
        }
        let responses = (object["response"]?.oneOrMany() ?? []).compactMap { response in
            response.object(["entity", "keyPath", "status", "hook"]).flatMap { responsePart($0) }
        }
        let requests = requestParts(
            object["request"], routeMethods: methods, entity: object["entity"])
        let routeName = name
        if let name = settings.dataMapper, let node = object["dataMapper"] {
            definition.dataMappersOfRoutes.append(
                RouteMapper(
                    route: routeName, name: name, hasBody: !requests.isEmpty,
                    contentType: settings.contentType, documentPath: node.path))
        }
        guard let template = object.required("path")?.template(), !methods.isEmpty else {
            return nil
        }
        let route = Route(
            name: name, methods: methods, template: template,
            entity: object["entity"]?.value.string, isAbsolute: isAbsolute,
            properties: object.extensions)
        return PendingRoute(
            route: route, settings: settings, responses: responses, requests: requests, node: node,
            parent: parent)
    }

    private mutating func add(_ item: PendingRoute) {
        let added: Void? = item.node.routing { () throws(RoutingError) in
            try definition.routes.add(item.route)
        }
        guard added != nil else { return }
        let key = item.route.key
        definition.routeSettings[key] = item.settings
        claim(item.route, item.node.path)
        for part in item.responses {
            let descriptor = part.descriptor(
                methods: item.route.methods, template: item.route.template, routeKey: key)
            if isNew(descriptor, part.node) {
                definition.routeDescriptors.append(descriptor)
                claim(descriptor, part.node.path)
            }
        }
        for part in item.requests {
            let descriptor = part.descriptor(template: item.route.template, routeKey: key)
            definition.routeRequestDescriptors.append(descriptor)
            claim(descriptor, item.node.path)
        }
    }

    /// Adds one route that stands in no document; its `name` may be `nil`.
    package mutating func addRoute(_ name: String?, _ node: DocumentNode) {
        if let name {
            addRoutes([(name, node)])
        } else if let pending = read(nil, node) {
            if let parent = pending.parent {
                parent.report("a route without a name cannot have a parent")
            } else if pending.route.entity == nil {
                node.report("a route without a name needs an \"entity\" that it serves")
            } else {
                add(pending)
            }
        }
    }
}
