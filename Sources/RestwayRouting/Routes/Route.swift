import RestwayText

/// One or more methods and a path template, with further properties.
///
/// It is a class because each request receives a reference to its route.
package final class Route: Sendable {
    package let name: String?
    /// The methods; the first is the default. The list is never empty.
    package let methods: [Method]
    package let template: PathTemplate
    /// The entity whose objects the route serves.
    package let entity: String?
    /// Whether the path may be an absolute URL.
    package let isAbsolute: Bool
    /// The number of routes to which this route was joined, one after the other.
    package let parentCount: Int
    /// The properties whose names start with `x-`, as JSON text by name.
    package let properties: [String: String]
    /// The name, or a text like "GET enterprises/:itemID" for a route without a name.
    package let displayName: String
    /// Identifies the route among the routes of its document, also in files.
    package let key: String

    /// Creates a route. A route without methods has the method GET.
    package init(
        name: String? = nil, methods: [Method] = [.get], template: PathTemplate,
        entity: String? = nil, isAbsolute: Bool = false, parentCount: Int = 0,
        properties: [String: String] = [:]
    ) {
        self.name = name
        self.methods = methods.isEmpty ? [.get] : methods
        self.template = template
        self.entity = entity
        self.isAbsolute = isAbsolute
        self.parentCount = parentCount
        self.properties = properties
        let names = self.methods.map(\.rawValue).joined(separator: "|")
        displayName = name ?? "\(names) \(template.text)"
        key = name.map { "name \($0)" } ?? "entity \(entity ?? "") \(displayName)"
    }

    /// The limit on the chain of parents, which limits the work.
    package static let parentCountMax = 64

    /// Returns the same route with its path after the path of `parent`.
    ///
    /// - Parameter isAbsolute: Whether the joined path may be an absolute URL.
    package func joined(
        to parent: Route, name: String?, isAbsolute: Bool
    ) throws(RoutingError) -> Route {
        let parentCount = parent.parentCount + 1 + self.parentCount
        guard parentCount <= Self.parentCountMax else {
            throw .tooManyParents(route: name ?? displayName, limit: Self.parentCountMax)
        }
        return Route(
            name: name, methods: methods, template: try parent.template.joining(template),
            entity: entity, isAbsolute: isAbsolute, parentCount: parentCount,
            properties: properties)
    }
}
