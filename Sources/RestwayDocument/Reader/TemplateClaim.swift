package import RestwayMapping
import RestwayObjects
package import RestwayRouting

/// A route or a descriptor that applies to the paths that match its template.
package struct TemplateClaim: Sendable {
    package enum Kind: Sendable {
        case route
        case response(StatusRange)
        case request(entityIndex: Int)
    }

    package let kind: Kind
    package let methods: MethodSet
    package let template: PathTemplate
    /// The key of the route itself, or of the route that the descriptor belongs to.
    package let routeKey: String?
    /// The place in the document.
    package let path: String
    /// The name that messages use.
    package let name: String

    /// Whether both may apply to one request. Descriptors of two routes are not compared, because
    /// the routes themselves are.
    func isRival(of other: TemplateClaim) -> Bool {
        guard !methods.isDisjoint(with: other.methods) else { return false }
        switch (kind, other.kind) {
        case (.route, .route):
            return true
        case (.response(let statuses), .response(let others)):
            return statuses.overlaps(others) && (routeKey == nil || other.routeKey == nil)
        case (.request(let entity), .request(let otherEntity)):
            return entity == otherEntity && (routeKey == nil || other.routeKey == nil)
        case (.route, _), (.response, _), (.request, _):
            return false
        }
    }
}

extension TemplateClaim {
    init(_ route: Route, _ path: String) {
        self.init(
            kind: .route, methods: MethodSet(route.methods), template: route.template,
            routeKey: route.key, path: path, name: "route \"\(route.displayName)\"")
    }

    /// A descriptor without a template claims no path.
    init?(_ descriptor: ResponseDescriptor, _ path: String) {
        guard let template = descriptor.template else { return nil }
        self.init(
            kind: .response(descriptor.statuses), methods: descriptor.methodSet,
            template: template, routeKey: descriptor.routeKey, path: path,
            name: "the response descriptor for objects of \(descriptor.mapping.entity.name)")
    }

    init?(_ descriptor: RequestDescriptor, _ path: String) {
        guard let template = descriptor.template else { return nil }
        self.init(
            kind: .request(entityIndex: descriptor.mapping.entity.index),
            methods: descriptor.methodSet, template: template, routeKey: descriptor.routeKey,
            path: path,
            name: "the request descriptor for objects of \(descriptor.mapping.entity.name)")
    }
}
