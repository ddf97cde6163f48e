package import RestwayObjects
package import RestwayRouting

/// Says how an object is written into which requests.
package struct RequestDescriptor: Sendable {
    /// Empty for all that have a body by themselves: POST, PUT and PATCH.
    package let methods: [Method]
    /// Nil for any path.
    package let template: PathTemplate?
    package var mapping: EntityMapping
    /// The keys that the object is wrapped in; empty for none.
    package let keyPath: [String]
    /// The relationships that are left out, of objects of this entity.
    package let excluded: Set<String>
    package let keepsNulls: Bool
    package let isChangedOnly: Bool
    /// The route whose own request this is: it comes before all others, and matches by path too.
    package let routeName: String?

    package init(
        methods: [Method] = [], template: PathTemplate? = nil, mapping: EntityMapping,
        keyPath: [String] = [], excluded: Set<String> = [], keepsNulls: Bool = true,
        isChangedOnly: Bool = false, routeName: String? = nil
    ) {
        self.methods = methods
        self.template = template
        self.mapping = mapping
        self.keyPath = keyPath
        self.excluded = excluded
        self.keepsNulls = keepsNulls
        self.isChangedOnly = isChangedOnly
        self.routeName = routeName
    }

    /// Whether this writes objects of `entity` into requests for `path`, relative to the base URL
    /// (nil for a URL elsewhere), that are made with the route `routeName`, if with any.
    package func matches(
        method: Method, path: String?, entity: Entity, routeName: String? = nil
    ) -> Bool {
        guard mapping.entity === entity else { return false }
        guard methods.isEmpty ? !method.parametersGoIntoQuery : methods.contains(method)
        else { return false }
        if let own = self.routeName, own == routeName { return true }
        guard let template else { return self.routeName == nil }
        return path.map { template.match($0) != nil } ?? false
    }
}
