package import RestwayRouting

/// Says which mapping applies to which responses, and where in them.
///
/// A class, as several are looked at for each response, and none is ever changed.
package final class ResponseDescriptor: Sendable {
    /// Empty for any.
    package let methods: [Method]
    /// Nil for any path; for a route's own response: for that route only.
    package let template: PathTemplate?
    package let statuses: StatusRange
    /// The keys that lead to the object, or list of objects; empty for the whole body.
    package let keyPath: [String]
    package let mapping: EntityMapping
    /// The route whose own response this is: it matches by route, and as every other by path.
    package let routeName: String?
    /// The host's function that looks at the rows before the store does.
    package let hook: String?
    /// `methods` again: asked of each response, more often than once.
    private let methodSet: MethodSet

    package init(
        methods: [Method] = [], template: PathTemplate? = nil, statuses: StatusRange = .success,
        keyPath: [String] = [], mapping: EntityMapping, routeName: String? = nil,
        hook: String? = nil
    ) {
        self.methods = methods
        methodSet = methods.isEmpty ? .all : MethodSet(methods)
        self.template = template
        self.statuses = statuses
        self.keyPath = keyPath
        self.mapping = mapping
        self.routeName = routeName
        self.hook = hook
    }

    /// The same with another mapping.
    package func with(_ mapping: EntityMapping) -> ResponseDescriptor {
        ResponseDescriptor(
            methods: methods, template: template, statuses: statuses, keyPath: keyPath,
            mapping: mapping, routeName: routeName, hook: hook)
    }

    /// Whether this applies to an answer with `status` to a request for `path`, relative to the
    /// base URL (nil for a URL elsewhere), that was made with the route `routeName`, if with any.
    package func matches(
        method: Method, path: String?, status: Int, routeName: String? = nil
    ) -> Bool {
        guard statuses.contains(status), methodSet.contains(method) else { return false }
        if let own = self.routeName, own == routeName { return true }
        guard let template else { return self.routeName == nil }
        guard let path else { return false }
        return template.matches(path)
    }

    /// Whether both apply to the same answers and make the same of them: one too many. By which
    /// route, if any, they came to be does not count where both have a path.
    package func isEqual(to other: ResponseDescriptor) -> Bool {
        Set(methods) == Set(other.methods) && template == other.template
            && (template != nil || routeName == other.routeName)
            && statuses == other.statuses && keyPath == other.keyPath
            && mapping.isEqual(to: other.mapping)
    }
}
