/// All routes of an api: by name, and by entity and method (the object router).
///
/// A value type; its owner locks.
package struct RouteTable: Sendable {
    /// In the order of registration.
    package private(set) var all: [Route] = []
    private var indexByName: [String: Int] = [:]
    private var indicesByEntity: [String: [Int]] = [:]

    package init() {}

    /// Adds a route. A name may stand once; of routes with an entity, so may the combination of
    /// entity, method and template (but for the names of variables).
    package mutating func add(_ route: Route) throws(RoutingError) {
        if let name = route.name, let index = indexByName[name] {
            throw .duplicateRoute(
                "\"\(name)\" names both \(Self.path(all[index])) and \(Self.path(route))")
        }
        if let entity = route.entity {
            let methods = Set(route.methods)
            let equal = indicesByEntity[entity, default: []].first {
                !methods.isDisjoint(with: all[$0].methods)
                    && all[$0].template.isEquivalent(to: route.template)
            }
            if let equal {
                throw .duplicateRoute(
                    "\"\(all[equal].displayName)\" and \"\(route.displayName)\" both serve "
                        + "\(Self.path(route)) for objects of \(entity)")
            }
            indicesByEntity[entity, default: []].append(all.count)
        }
        if let name = route.name { indexByName[name] = all.count }
        all.append(route)
    }

    package func route(named name: String) throws(RoutingError) -> Route {
        guard let index = indexByName[name] else { throw .unknownRoute(name) }
        return all[index]
    }

    /// The route that serves objects of `entity`.
    ///
    /// Of several, POST takes the one whose path has no variables and every other method the one
    /// whose path has some; variables of a query do not count.
    package func route(
        forEntity entity: String, method: Method
    ) throws(RoutingError) -> Route {
        let candidates = indicesByEntity[entity, default: []].map { all[$0] }
            .filter { $0.methods.contains(method) }
        let preferred = candidates.filter { $0.template.hasPathVariables == (method != .post) }
        let left = preferred.isEmpty ? candidates : preferred
        guard let route = left.first else {
            throw .noRouteForObject(entity: entity, method: method)
        }
        if left.count > 1 {
            throw .ambiguousRoute(
                entity: entity, method: method, candidates: left.map(\.displayName))
        }
        return route
    }

    /// The method of a request to `route`: the requested one, or the route's first.
    package func method(_ requested: Method?, of route: Route) throws(RoutingError) -> Method {
        guard let requested else { return route.methods.first ?? .get }
        guard route.methods.contains(requested) else {
            throw .methodNotAllowed(
                requested, route: route.displayName, allowed: route.methods)
        }
        return requested
    }

    /// Adds a route with the path of `child` behind that of `parent`; it is absolute when either
    /// is, and everything else is the child's.
    @discardableResult
    package mutating func join(
        name: String, parent: String, child: String
    ) throws(RoutingError) -> Route {
        let parent = try route(named: parent)
        let child = try route(named: child)
        let joined = Route(
            name: name, methods: child.methods,
            template: try parent.template.joining(child.template), entity: child.entity,
            isAbsolute: child.isAbsolute || parent.isAbsolute, properties: child.properties)
        try add(joined)
        return joined
    }

    private static func path(_ route: Route) -> String {
        "\(route.methods.map(\.rawValue).joined(separator: "|")) \(route.template.text)"
    }
}
