package import RestwayObjects
package import RestwayRouting

/// Describes how an object is written, and into which requests.
package struct RequestDescriptor: Sendable {
    /// The methods; empty for the methods that usually have a body: POST, PUT and PATCH.
    package let methods: [Method]
    /// The methods of the requests that this descriptor writes objects into.
    package let methodSet: MethodSet
    /// The path template; nil for any path.
    package var template: PathTemplate?
    package var mapping: EntityMapping
    /// The keys that wrap the object; empty if it is not wrapped.
    package let keyPath: [String]
    /// The attributes and relationships that are left out of objects of this entity.
    package let excluded: Set<String>
    package let keepsNulls: Bool
    package let isChangedOnly: Bool
    /// The key of the route that owns this descriptor. Requests by other routes never use it.
    package var routeKey: String?

    package init(
        methods: [Method] = [], template: PathTemplate? = nil, mapping: EntityMapping,
        keyPath: [String] = [], excluded: Set<String> = [], keepsNulls: Bool = true,
        isChangedOnly: Bool = false, routeKey: String? = nil
    ) {
        self.methods = methods
        methodSet = methods.isEmpty ? .withBodies : MethodSet(methods)
        self.template = template
        self.mapping = mapping
        self.keyPath = keyPath
        self.excluded = excluded
        self.keepsNulls = keepsNulls
        self.isChangedOnly = isChangedOnly
        self.routeKey = routeKey
    }

    /// Whether an attribute or a relationship is left out of an object of `entity`.
    package func leavesOut(_ name: String, of entity: Entity) -> Bool {
        excluded.contains(name) && entity.isA(mapping.entity)
    }

    /// Whether this descriptor may write objects of `entity`, which is its entity or extends it,
    /// into a request. Descriptors with more specific templates, or of nearer entities, come first.
    package func fits(method: Method, entity: Entity, _ choice: DescriptorChoice) -> Bool {
        entity.isA(mapping.entity) && methodSet.contains(method)
            && choice.fits(template, of: routeKey)
    }
}
