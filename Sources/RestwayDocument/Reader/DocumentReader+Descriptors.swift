import RestwayJSON
package import RestwayMapping
package import RestwayRouting

/// The section `responses`.
extension DocumentReader {
    /// The keys that `response` of a route and an entry of `responses` have in common.
    struct ResponsePart {
        let node: DocumentNode
        let mapping: EntityMapping
        let keyPath: [String]
        let statuses: StatusRange
        let hook: String?

        func descriptor(
            methods: [Method], template: PathTemplate?, routeKey: String?
        ) -> ResponseDescriptor {
            ResponseDescriptor(
                methods: methods, template: template, statuses: statuses, keyPath: keyPath,
                mapping: mapping, routeKey: routeKey, hook: hook)
        }
    }

    package mutating func addResponse(_ node: DocumentNode) {
        let known = ["method", "path", "entity", "keyPath", "status", "hook"]
        guard let object = node.object(known) else { return }
        let methods = object["method"].map { $0.methods() } ?? []
        let template = object["path"].map { $0.template() }
        guard let part = responsePart(object) else { return }
        if case .some(nil) = template { return }
        let descriptor = part.descriptor(
            methods: methods, template: template ?? nil, routeKey: nil)
        if isNew(descriptor, node) {
            definition.responseDescriptors.append(descriptor)
            claim(descriptor, node.path)
        }
    }

    mutating func responsePart(_ object: DocumentObject) -> ResponsePart? {
        let keyPath = object["keyPath"].map { $0.keyPath() } ?? []
        let statuses = object["status"].map { $0.statuses() } ?? .success
        let hook = object["hook"].flatMap { readHook($0) }
        guard
            let entity = object.required("entity"), let mapping = mapping(entity),
            let keyPath, let statuses
        else { return nil }
        return ResponsePart(
            node: object.node, mapping: mapping, keyPath: keyPath, statuses: statuses,
            hook: hook)
    }

    /// Reads the name of a hook. A client reports a missing hook when it begins.
    private mutating func readHook(_ node: DocumentNode) -> String? {
        guard let name = node.nonEmptyString() else { return nil }
        definition.hookNames.add(name, at: node.path)
        return name
    }

    /// Whether `descriptor` may be added. It reports a descriptor that equals an earlier one.
    package mutating func isNew(_ descriptor: ResponseDescriptor, _ node: DocumentNode) -> Bool {
        problems.step()
        if definition.responseEssences.insert(descriptor.essence).inserted { return true }
        problems.reportDuplicate(
            node.path, "an equal response descriptor stands before this one")
        return false
    }

    /// Returns the mapping of the entity that `node` names.
    package func mapping(_ node: DocumentNode) -> EntityMapping? {
        guard let name = node.nonEmptyString() else { return nil }
        if let mapping = definition.mappings[name] { return mapping }
        // An entity with a problem of its own was already reported.
        if definition.entityIndices[name] == nil {
            node.report(unknown("entity", name, definition.entityNames))
        }
        return nil
    }
}

extension DocumentNode {
    /// Reads one method or several, each once.
    package func methods() -> [Method] {
        let methods = oneOrMany().compactMap { node -> Method? in
            guard let token = node.string() else { return nil }
            if let method = Method(token: token) { return method }
            let all = Method.allCases.map(\.rawValue).joined(separator: ", ")
            node.report("unknown method \"\(token)\" (there are \(all))")
            return nil
        }
        if value.kind == .array, value.elements?.isEmpty ?? false {
            report("must name at least one method")
        }
        var unique: [Method] = []
        var repeated: [Method] = []
        for method in methods {
            if !unique.contains(method) {
                unique.append(method)
            } else if !repeated.contains(method) {
                repeated.append(method)
                report("names \(method.rawValue) more than once")
            }
        }
        return unique
    }

    /// Reads `"2xx"`, `"404"`, `"200-299"` or the number 404.
    package func statuses() -> StatusRange? {
        guard let text = value.integer.map({ String($0) }) ?? value.string else {
            report("must be a string or a whole number, is \(value.kind.withArticle)")
            return nil
        }
        if let range = StatusRange(text) { return range }
        report("\"\(text)\" is no status: write 404, \"404\", \"2xx\" or \"200-299\"")
        return nil
    }

    package func template() -> PathTemplate? {
        guard let text = string() else { return nil }
        return routing { () throws(RoutingError) in try PathTemplate(text) }
    }

    package func parameters() -> [Parameter]? {
        namedMembers()?.map { Parameter(keys: [$0.name], value: $0.node.value) }
    }
}
