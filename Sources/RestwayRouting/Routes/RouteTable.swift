/// All routes of an api, by name, and by entity and method (the object router).
///
/// It is a value type; its owner locks it.
package struct RouteTable: Sendable {
    /// Identifies the objects that a route serves. Only one route may have each key.
    private struct ObjectKey: Hashable {
        let entity: String
        let method: Method
        let shape: PathTemplate.Shape
    }

    /// The routes in the order of registration.
    package private(set) var all: [Route] = []
    private var indexByName: [String: Int] = [:]
    private var indexByKey: [String: Int] = [:]
    private var indicesByEntity: [String: [Int]] = [:]
    private var indicesOfObjects: [ObjectKey: Int] = [:]

    package init() {}

    /// Makes room for `count` more routes. Otherwise all of them would be hashed again whenever
    /// their number doubles.
    package mutating func reserveCapacity(_ count: Int) {
        let count = all.count + count
        all.reserveCapacity(count)
        indexByName.reserveCapacity(count)
        indexByKey.reserveCapacity(count)
        indicesByEntity.reserveCapacity(count)
        indicesOfObjects.reserveCapacity(count)
    }

    /// Adds a route. A name may occur once. For routes with an entity, so may the combination of
    /// entity, method and template; the names of variables do not count.
    package mutating func add(_ route: Route) throws(RoutingError) {
        if let name = route.name, let index = indexByName[name] {
            throw .duplicateRoute(
                "\"\(name)\" names both \(Self.path(all[index])) and \(Self.path(route))")
        }
        let keys = Self.objectKeys(route)
        if let entity = route.entity,
            let equal = keys.compactMap({ indicesOfObjects[$0] }).first
        {
            throw .duplicateRoute(
                "\"\(all[equal].displayName)\" and \"\(route.displayName)\" both serve "
                    + "\(Self.path(route)) for objects of \(entity)")
        }
        let index = all.count
        all.append(route)
        if let name = route.name { indexByName[name] = index }
        indexByKey[route.key] = index
        for key in keys { indicesOfObjects[key] = index }
        if let entity = route.entity { indicesByEntity[entity, default: []].append(index) }
    }

    /// Removes a route, so that another route of its name can be added.
    package mutating func remove(named name: String) {
        guard let index = indexByName[name] else { return }
        var rest = RouteTable()
        for (position, route) in all.enumerated() where position != index {
            // A route that was added once can be added again.
            try? rest.add(route)
        }
        self = rest
    }

    private static func objectKeys(_ route: Route) -> [ObjectKey] {
        guard let entity = route.entity else { return [] }
        let shape = route.template.shape
        return route.methods.map { ObjectKey(entity: entity, method: $0, shape: shape) }
    }

    /// The route with this `Route.key`; nil if it no longer exists.
    package func route(key: String) -> Route? {
        indexByKey[key].map { all[$0] }
    }

    /// The routes for a request by path: the matching routes with the most specific template.
    package func routes(method: Method, path: String) -> [Route] {
        DescriptorChoice.mostSpecific(
            all.filter { $0.methods.contains(method) && $0.template.matches(path) }, \.template)
    }

    package func route(named name: String) throws(RoutingError) -> Route {
        guard let index = indexByName[name] else { throw .unknownRoute(name) }
        return all[index]
    }

    /// The route that serves objects of `entity`.
    ///
    /// If there are several, POST takes the route whose path has no variables, and every other
    /// method takes the route whose path has variables. Variables of a query do not count. A route
    /// whose query has fixed parameters is taken only if no other route is left. Among the
    /// remaining routes, a more specific template replaces other templates that match the same
    /// paths.
    package func route(
        forEntity entity: String, method: Method
    ) throws(RoutingError) -> Route {
        let candidates = indicesByEntity[entity, default: []].map { all[$0] }
            .filter { $0.methods.contains(method) }
        let preferred = candidates.filter { $0.template.hasPathVariables == (method != .post) }
        let rest = preferred.isEmpty ? candidates : preferred
        let usual = rest.filter { !$0.template.hasFixedQuery }
        let left = DescriptorChoice.mostSpecific(usual.isEmpty ? rest : usual, \.template)
        guard let route = left.first else {
            throw .noRouteForObject(entity: entity, method: method)
        }
        if left.count > 1 {
            throw .ambiguousRoute(
                entity: entity, method: method, candidates: left.map(\.displayName))
        }
        return route
    }

    /// The method of a request to `route`: the requested method, or the route's first.
    package func method(_ requested: Method?, of route: Route) throws(RoutingError) -> Method {
        guard let requested else { return route.methods.first ?? .get }
        guard route.methods.contains(requested) else {
            throw .methodNotAllowed(
                requested, route: route.displayName, allowed: route.methods)
        }
        return requested
    }

    /// Returns a route with the path of `child` after the path of `parent`. It is absolute if
    /// either route is. All other properties are the child's.
    package func joined(
        name: String, parent: String, child: String
    ) throws(RoutingError) -> Route {
        let parent = try route(named: parent)
        let child = try route(named: child)
        return try child.joined(
            to: parent, name: name, isAbsolute: child.isAbsolute || parent.isAbsolute)
    }

    private static func path(_ route: Route) -> String {
        "\(route.methods.map(\.rawValue).joined(separator: "|")) \(route.template.text)"
    }
}
