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

    /// A route that is read, but not yet joined to its parent.
    private struct PendingRoute {
        var route: Route
        var settings: RouteSettings
        var responses: [ResponsePart]
        var requests: [RequestPart]
        let node: DocumentNode
        let parent: DocumentNode?

        var parentName: String { parent?.value.string ?? "" }
    }

    /// Adds routes, parents before children whatever their order in the document.
    mutating func addRoutes(_ members: [(name: String, node: DocumentNode)]) {
        let names = members.map(\.name) + definition.routes.all.compactMap(\.name)
        var pending: [PendingRoute] = []
        for (name, node) in members {
            if let route = read(name, node) { pending.append(route) }
        }
        var templates: [String: PathTemplate] = [:]
        for route in definition.routes.all {
            if let name = route.name { templates[name] = route.template }
        }
        // Each round joins the children of the routes of the round before.
        while !pending.isEmpty {
            var waiting: [PendingRoute] = []
            for var item in pending {
                if let parent = item.parent {
                    guard let template = templates[item.parentName] else {
                        if names.contains(item.parentName) {
                            waiting.append(item)
                        } else {
                            parent.report(unknown("route", item.parentName, names))
                        }
                        continue
                    }
                    let joined = parent.routing { () throws(RoutingError) in
                        try template.joining(item.route.template)
                    }
                    guard let joined else { continue }
                    item.route = item.route.with(joined)
                }
                templates[item.route.name ?? ""] = item.route.template
                add(item)
            }
            if waiting.count == pending.count {
                reportCircles(waiting)
                return
            }
            pending = waiting
        }
    }

    /// Reports the routes that are their own ancestors. One that only hangs on such a circle, or on
    /// a route with a problem of its own, is no second problem.
    private func reportCircles(_ waiting: [PendingRoute]) {
        var parents: [String: String] = [:]
        for item in waiting { parents[item.route.name ?? ""] = item.parentName }
        for item in waiting {
            var ancestor = parents[item.route.name ?? ""]
            for _ in waiting where ancestor != item.route.name {
                ancestor = ancestor.flatMap { parents[$0] }
            }
            if ancestor == item.route.name {
                item.parent?.report("is part of a circle of parents")
            }
        }
    }

    /// Reads a route, all of it whatever is wrong; `nil` when there is none to go on with.
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
            definition.transportsOfRoutes.append((node.path, transport))
        }
        let responses = (object["response"]?.oneOrMany() ?? []).compactMap { response in
            response.object(["entity", "keyPath", "status", "hook"]).flatMap { responsePart($0) }
        }
        let requests = requestParts(
            object["request"], routeMethods: methods, entity: object["entity"])
        if let name = settings.dataMapper, let node = object["dataMapper"] {
            definition.dataMappersOfRoutes.append(
                RouteMapper(
                    name: name, hasBody: !requests.isEmpty, contentType: settings.contentType,
                    documentPath: node.path))
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
        for part in item.responses {
            let descriptor = part.descriptor(
                methods: item.route.methods, template: item.route.template, routeName: key)
            if isNew(descriptor, part.node) { definition.routeDescriptors.append(descriptor) }
        }
        for part in item.requests {
            definition.routeRequestDescriptors.append(
                part.descriptor(template: item.route.template, routeName: key))
        }
    }

    /// Adds one route without a place in a document: `name` may be `nil`.
    mutating func addRoute(_ name: String?, _ node: DocumentNode) {
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
