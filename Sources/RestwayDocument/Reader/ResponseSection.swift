package import RestwayMapping
package import RestwayRouting

/// A response descriptor as a document declares it: the keys that `response` of a route and an
/// entry of `responses` have in common.
package struct DocumentResponse {
    package static let keys = ["entity", "keyPath", "status", "hook"]

    package let node: DocumentNode
    private let mapping: EntityMapping
    private let keyPath: [String]
    private let statuses: StatusRange
    /// The name of the hook and its place in the document.
    package let hook: (name: String, path: String)?

    init?(_ object: DocumentObject, _ entities: EntityCatalog) {
        let keyPath = object["keyPath"].map { $0.keyPath() } ?? []
        let statuses = object["status"].map { $0.statuses() } ?? .success
        hook = object["hook"].flatMap { node in
            node.nonEmptyString().map { (name: $0, path: node.path) }
        }
        guard let mapping = object.required("entity").flatMap(entities.mapping), let keyPath,
            let statuses
        else { return nil }
        node = object.node
        self.mapping = mapping
        self.keyPath = keyPath
        self.statuses = statuses
    }

    package func descriptor(
        methods: [Method], template: PathTemplate?, routeKey: String?
    ) -> ResponseDescriptor {
        ResponseDescriptor(
            methods: methods, template: template, statuses: statuses, keyPath: keyPath,
            mapping: mapping, routeKey: routeKey, hook: hook?.name)
    }
}

extension APIDefinition {
    /// Adds an entry of `responses`.
    package mutating func addResponse(_ node: DocumentNode) {
        guard let object = node.object(["method", "path"] + DocumentResponse.keys) else { return }
        let methods = object["method"].map { $0.methods() } ?? []
        let template = object["path"].map { $0.template() }
        guard let response = DocumentResponse(object, entityCatalog) else { return }
        if case .some(nil) = template { return }
        add(response, methods: methods, template: template ?? nil, routeKey: nil)
    }

    /// Adds a descriptor to its route or, without one, to the descriptors for paths.
    package mutating func add(
        _ response: DocumentResponse, methods: [Method], template: PathTemplate?, routeKey: String?
    ) {
        if let hook = response.hook { functions.mention(hook: hook.name, at: hook.path) }
        rules.add(
            response.descriptor(methods: methods, template: template, routeKey: routeKey),
            at: response.node)
    }
}
