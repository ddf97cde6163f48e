package import RestwayMapping
import RestwayObjects
package import RestwayRouting

extension RequestDescriptor {
    /// The keys that say how an object is written. `request` of a route and an entry of `requests`
    /// have them in common.
    fileprivate static let keys = ["entity", "keyPath", "exclude", "nulls", "changedOnly"]

    /// - Parameter entity: The entity of the request if the request does not name one.
    fileprivate init?(
        _ object: DocumentObject, methods: [Method], entity: DocumentNode?,
        in entities: EntityCatalog
    ) {
        if methods.contains(.head) {
            (object["method"] ?? object.node).report("a HEAD request has no body")
        }
        let keyPath = object["keyPath"].map { $0.keyPath() } ?? []
        let keepsNulls = object["nulls"].map { $0.keepsNulls() } ?? true
        let isChangedOnly = object["changedOnly"].map { $0.bool() } ?? false
        let named = object["entity"] ?? entity
        if named == nil { object.node.report("neither this nor its route names an \"entity\"") }
        let mapping = named.flatMap(entities.mapping)
        var excluded: Set<String> = []
        for node in object["exclude"]?.elements() ?? [] {
            guard let name = node.nonEmptyString() else { continue }
            excluded.insert(name)
            if let entity = mapping?.entity, entity.relationshipIndex(named: name) == nil {
                node.reportUnknown("relationship", name, among: entity.relationships.map(\.name))
            }
        }
        guard let mapping, let keyPath, let keepsNulls, let isChangedOnly else { return nil }
        self.init(
            methods: methods, mapping: mapping, keyPath: keyPath, excluded: excluded,
            keepsNulls: keepsNulls, isChangedOnly: isChangedOnly)
    }

    /// Reads one request of a route. The route's path and key are set when the route is added.
    ///
    /// - Parameter entity: The entity of the route.
    package init?(
        ofRoute node: DocumentNode, methods routeMethods: [Method], entity: DocumentNode?,
        in entities: EntityCatalog
    ) {
        guard let object = node.object(["method"] + Self.keys) else { return nil }
        let usual = routeMethods.filter { !$0.parametersGoIntoQuery }
        let methods = object["method"].map { $0.methods() } ?? usual
        if let method = object["method"],
            let stranger = methods.first(where: { !routeMethods.contains($0) })
        {
            method.report("\(stranger.rawValue) is no method of the route")
        }
        if methods.isEmpty, object["method"] == nil {
            node.report("no method of the route has a body by itself; name one with \"method\"")
        }
        self.init(object, methods: methods, entity: entity, in: entities)
    }
}

extension APIDefinition {
    /// Adds an entry of `requests`.
    package mutating func addRequest(_ node: DocumentNode) {
        let known = ["method", "path", "parameters"] + RequestDescriptor.keys
        guard let object = node.object(known) else { return }
        let methods = object["method"].map { $0.methods() } ?? []
        let template = object.required("path")?.template()
        let parameters = object["parameters"]?.parameters()
        var descriptor: RequestDescriptor?
        if object["entity"] != nil {
            descriptor = RequestDescriptor(
                object, methods: methods, entity: nil, in: entityCatalog)
        } else {
            if object["parameters"] == nil {
                node.report("says nothing: \"parameters\" or \"entity\" is missing")
            }
            for key in RequestDescriptor.keys {
                object[key]?.report("stands without \"entity\", which it is about")
            }
        }
        guard let template else { return }
        if let parameters {
            rules.requestDefaults.append(
                RequestDefaults(methods: methods, template: template, parameters: parameters))
        }
        if var descriptor {
            descriptor.template = template
            rules.add(descriptor, at: node)
        }
    }
}

extension DocumentNode {
    /// Reads `"keep"` or `"omit"`.
    fileprivate func keepsNulls() -> Bool? {
        guard let text = string() else { return nil }
        switch text {
        case "keep": return true
        case "omit": return false
        default:
            report("\"\(text)\" is neither \"keep\" nor \"omit\"")
            return nil
        }
    }
}
