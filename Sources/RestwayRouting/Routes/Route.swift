/// Method(s) and a path template, with what belongs to them.
package struct Route: Sendable {
    package var name: String?
    /// The first is the default. Never empty.
    package var methods: [Method]
    package var template: PathTemplate
    /// The entity whose objects the route serves.
    package var entity: String?
    /// Whether the path may be an absolute URL.
    package var isAbsolute: Bool
    /// Properties whose names start with `x-`: JSON text by name.
    package var properties: [String: String]

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
    }

    /// The name, or for a route without one "GET enterprises/:itemID".
    package var displayName: String {
        name ?? "\(methods.map(\.rawValue).joined(separator: "|")) \(template.text)"
    }
}
