/// Method(s) and a path template, with what belongs to them.
///
/// A class, as each request is handed the one that it takes.
package final class Route: Sendable {
    package let name: String?
    /// The first is the default. Never empty.
    package let methods: [Method]
    package let template: PathTemplate
    /// The entity whose objects the route serves.
    package let entity: String?
    /// Whether the path may be an absolute URL.
    package let isAbsolute: Bool
    /// Properties whose names start with `x-`: JSON text by name.
    package let properties: [String: String]
    /// The name, or for a route without one "GET enterprises/:itemID".
    package let displayName: String
    /// Tells it from the other routes of its document, also in files.
    package let key: String

    /// A route without methods takes GET.
    package init(
        name: String? = nil, methods: [Method] = [.get], template: PathTemplate,
        entity: String? = nil, isAbsolute: Bool = false, properties: [String: String] = [:]
    ) {
        self.name = name
        self.methods = methods.isEmpty ? [.get] : methods
        self.template = template
        self.entity = entity
        self.isAbsolute = isAbsolute
        self.properties = properties
        let names = self.methods.map(\.rawValue).joined(separator: "|")
        displayName = name ?? "\(names) \(template.text)"
        key = name.map { "name \($0)" } ?? "entity \(entity ?? "") \(displayName)"
    }

    /// The same route with another template.
    package func with(_ template: PathTemplate) -> Route {
        Route(
            name: name, methods: methods, template: template, entity: entity,
            isAbsolute: isAbsolute, properties: properties)
    }
}
