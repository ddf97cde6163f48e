import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayRouting

/// The section `requests`, and the requests of routes.
extension DocumentReader {
    /// The keys that `request` of a route and an entry of `requests` have in common.
    struct RequestPart {
        /// The methods that it names.
        let methods: [Method]
        let mapping: EntityMapping
        let keyPath: [String]
        let excluded: Set<String>
        let keepsNulls: Bool
        let isChangedOnly: Bool

        func descriptor(template: PathTemplate?, routeKey: String?) -> RequestDescriptor {
            RequestDescriptor(
                methods: methods, template: template, mapping: mapping, keyPath: keyPath,
                excluded: excluded, keepsNulls: keepsNulls, isChangedOnly: isChangedOnly,
                routeKey: routeKey)
        }
    }

    /// The keys that say how an object is written.
    static let encodingKeys = ["entity", "keyPath", "exclude", "nulls", "changedOnly"]

    package mutating func addRequest(_ node: DocumentNode) {
        guard let object = node.object(["method", "path", "parameters"] + Self.encodingKeys) else {
            return
        }
        let methods = object["method"].map { $0.methods() } ?? []
        let template = object.required("path")?.template()
        let parameters = object["parameters"]?.parameters()
        var part: RequestPart?
        if object["entity"] != nil {
            part = requestPart(object, methods: methods, entity: nil)
        } else {
            if object["parameters"] == nil {
                node.report("says nothing: \"parameters\" or \"entity\" is missing")
            }
            for key in Self.encodingKeys where object[key] != nil {
                object[key]?.report("stands without \"entity\", which it is about")
            }
        }
        guard let template else { return }
        if let parameters {
            definition.requestDefaults.append(
                RequestDefaults(methods: methods, template: template, parameters: parameters))
        }
        if let part {
            let descriptor = part.descriptor(template: template, routeKey: nil)
            definition.requestDescriptors.append(descriptor)
            claim(descriptor, node.path)
        }
    }

    /// Reads the one or several requests of a route.
    func requestParts(
        _ node: DocumentNode?, routeMethods: [Method], entity: DocumentNode?
    ) -> [RequestPart] {
        (node?.oneOrMany() ?? []).compactMap { node in
            guard let object = node.object(["method"] + Self.encodingKeys) else { return nil }
            let usual = routeMethods.filter { !$0.parametersGoIntoQuery }
            let methods = object["method"].map { $0.methods() } ?? usual
            if let method = object["method"],
                let stranger = methods.first(where: { !routeMethods.contains($0) })
            {
                method.report("\(stranger.rawValue) is no method of the route")
            }
            if methods.isEmpty, object["method"] == nil {
                node.report(
                    "no method of the route has a body by itself; name one with \"method\"")
            }
            return requestPart(object, methods: methods, entity: entity)
        }
    }

    /// Reads one request.
    ///
    /// - Parameter entity: The entity of the request if the request does not name one.
    private func requestPart(
        _ object: DocumentObject, methods: [Method], entity: DocumentNode?
    ) -> RequestPart? {
        if methods.contains(.head) {
            (object["method"] ?? object.node).report("a HEAD request has no body")
        }
        let keyPath = object["keyPath"].map { $0.keyPath() } ?? []
        let keepsNulls = object["nulls"].map { $0.keepsNulls() } ?? true
        let isChangedOnly = object["changedOnly"].map { $0.bool() } ?? false
        let named = object["entity"] ?? entity
        if named == nil { object.node.report("neither this nor its route names an \"entity\"") }
        let mapping = named.flatMap(mapping)
        var excluded: [String] = []
        for node in object["exclude"]?.elements() ?? [] {
            guard let name = node.nonEmptyString() else { continue }
            excluded.append(name)
            guard let entity = mapping?.entity, entity.relationshipIndex(named: name) == nil else {
                continue
            }
            node.report(unknown("relationship", name, entity.relationships.map(\.name)))
        }
        guard let mapping, let keyPath, let keepsNulls, let isChangedOnly else { return nil }
        return RequestPart(
            methods: methods, mapping: mapping, keyPath: keyPath, excluded: Set(excluded),
            keepsNulls: keepsNulls, isChangedOnly: isChangedOnly)
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
