package import RestwayDocument
import RestwayMapping
package import RestwayObjects
package import RestwayRouting

/// Finds the objects that a request by path is about: the objects whose identities the variables of
/// the path name.
package struct PathTargets {
    package let definition: APIDefinition
    package let method: Method
    package let path: String
    package let route: Route?

    /// The objects that a DELETE removes. A path that does not end with an identity is the path of
    /// a list, or of a part of an object.
    package var deletions: [ChangeSet.Deletion] {
        targets(areEnding: true).map { .identity($0.entity, $0.identity) }
    }

    package var all: [(entity: Entity, identity: Identity)] { targets(areEnding: false) }

    private func targets(areEnding: Bool) -> [(entity: Entity, identity: Identity)] {
        var targets: [(entity: Entity, identity: Identity)] = []
        for (entity, identity) in candidates(areEnding: areEnding)
        where !targets.contains(where: {
            $0.entity.isOfFamily(of: entity) && $0.identity == identity
        }) {
            targets.append((entity, identity))
        }
        return targets
    }

    /// A route or a descriptor that says which objects are at a path.
    private struct Rule {
        let template: PathTemplate
        /// The entity; `nil` for a route without an entity, which still displaces less
        /// specific routes.
        let entity: Entity?
        /// Whether the path must end with the object's identity. A descriptor counts only then,
        /// because it may be about a part of an object.
        let isEnding: Bool
    }

    private func candidates(areEnding: Bool) -> [(Entity, Identity)] {
        let choice = DescriptorChoice(route: route, path: path)
        return choice.mostSpecific(rules(choice), \.template).flatMap { rule in
            guard let entity = rule.entity else { return [(Entity, Identity)]() }
            if entity.isSingleton {
                let identity = Identity.string(AnswerSource.identity(ofPath: path))
                return areEnding ? [(entity, identity)] : []
            }
            let mustEnd = areEnding || rule.isEnding
            if mustEnd, !rule.template.endsWithIdentity(of: entity) { return [] }
            return rule.template.identities(of: entity, in: path).map { (entity, $0) }
        }
    }

    private func rules(_ choice: DescriptorChoice) -> [Rule] {
        var rules: [Rule] = []
        // Objects of an entity are sent to the routes of that entity.
        let routes = route.map { [$0] } ?? definition.routes.routes(method: method, path: path)
        for route in routes {
            let entity = route.entity.flatMap { definition.mapping(named: $0)?.entity }
            rules.append(Rule(template: route.template, entity: entity, isEnding: false))
        }
        for descriptor in definition.descriptors
        where descriptor.methodSet.contains(method) && descriptor.statuses.overlaps(.success)
            && descriptor.valueConversion == nil && descriptor.relationship == nil
            && descriptor.union?.members.count ?? 1 == 1
        {
            guard let template = descriptor.template, choice.fits(template, of: descriptor.routeKey)
            else { continue }
            let entity = descriptor.mapping.entity
            rules.append(Rule(template: template, entity: entity, isEnding: true))
        }
        for descriptor in definition.rules.requestDescriptors
        where descriptor.methods.contains(method) {
            guard let template = descriptor.template, choice.fits(template, of: descriptor.routeKey)
            else { continue }
            let entity = descriptor.mapping.entity
            rules.append(Rule(template: template, entity: entity, isEnding: true))
        }
        return rules
    }
}

/// Paths in which objects get other identities.
extension PathTargets {
    /// Returns the path with another identity for an object; `nil` if no variables of the path
    /// stand for the identity of the object.
    package func path(renaming entity: Entity, from old: Identity, to new: Identity) -> String? {
        let choice = DescriptorChoice(route: route, path: path)
        let (old, new) = (entity.texts(of: old), entity.texts(of: new))
        for rule in choice.mostSpecific(rules(choice), \.template) {
            guard let owner = rule.entity, var values = rule.template.values(in: path) else {
                continue
            }
            var isRenamed = false
            for names in identityVariables(of: entity, in: rule.template, owner)
            where names.count == old.count && zip(names, old).allSatisfy({ values[$0] == $1 }) {
                for (name, text) in zip(names, new) { values[name] = text }
                isRenamed = true
            }
            guard isRenamed else { continue }
            let expanded = try? rule.template.expand(isData: { _ in true }) { name in
                values[name].map { .string($0) }
            }
            guard let expanded else { continue }
            let isOfPath = { (byte: UInt8) in
                byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
            }
            let rest = path.utf8.drop(while: isOfPath)
            return String(Substring(expanded.utf8.prefix(while: isOfPath)))
                + String(Substring(rest))
        }
        return nil
    }

    /// Returns the variables that stand for the identity of an object of `entity`, each time with
    /// one variable for each part.
    private func identityVariables(
        of entity: Entity, in template: PathTemplate, _ owner: Entity
    ) -> [[String]] {
        var found: [[String]] = []
        if owner.isOfFamily(of: entity) {
            if let names = template.namedParts(of: owner) { found.append(names) }
            if let name = template.identityVariable(of: owner, to: method) { found.append([name]) }
        }
        // `meeting.itemID` is an attribute of the object to which a relationship leads.
        let names = template.pathVariableNames
        var prefixes: [String] = []
        for name in names {
            guard let dot = name.lastIndex(of: ".") else { continue }
            let prefix = String(name[..<dot])
            if !prefixes.contains(prefix) { prefixes.append(prefix) }
        }
        for prefix in prefixes {
            guard let end = end(of: prefix, from: owner), end.isOfFamily(of: entity) else {
                continue
            }
            let parts = end.identityAttributes.map { "\(prefix).\(end.attributes[$0].name)" }
            if parts.allSatisfy(names.contains) { found.append(parts) }
        }
        return found
    }

    /// Returns the entity to which to-one relationships lead, one after the other.
    private func end(of path: String, from owner: Entity) -> Entity? {
        var owner = owner
        for name in path.split(separator: ".") {
            guard let index = owner.relationshipIndex(named: String(name)),
                let target = owner.relationships[index].targets.first,
                definition.entityMappings.indices.contains(target)
            else { return nil }
            owner = definition.entityMappings[target].entity
        }
        return owner
    }
}

extension PathTemplate {
    /// Returns the variable of the identity attribute or, if no variable of the path has this name,
    /// its only variable; `nil` if there are several. An identity of several parts has no single
    /// variable.
    fileprivate func variable(naming entity: Entity) -> String? {
        guard let index = entity.identityIndex, entity.identityParts == nil else { return nil }
        let (name, names) = (entity.attributes[index].variableName, pathVariableNames)
        if names.contains(name) { return name }
        return names.count == 1 ? names[0] : nil
    }

    /// Whether the path ends with the identity of an object, so that it is the path of the object
    /// and not that of a list or a part.
    fileprivate func endsWithIdentity(of entity: Entity) -> Bool {
        if let names = namedParts(of: entity) { return names.contains(where: endsWith(variable:)) }
        return variable(naming: entity).map(endsWith(variable:)) ?? false
    }

    /// Returns the names of the parts of an identity if the path has a variable for each; `nil`
    /// also for an identity of one part.
    fileprivate func namedParts(of entity: Entity) -> [String]? {
        guard let parts = entity.identityParts?.parts, !parts.isEmpty else { return nil }
        let names = parts.map { entity.attributes[$0.attribute].variableName }
        let known = Set(pathVariableNames)
        return names.allSatisfy(known.contains) ? names : nil
    }

    /// Returns the identity whose parts are the variables of a path.
    private func identityOfParts(
        _ parts: IdentityParts, of entity: Entity, in path: String
    ) -> Identity? {
        guard let texts = values(in: path) else { return nil }
        return parts.identity { attribute in
            guard let part = parts.parts.first(where: { $0.attribute == attribute }),
                let text = texts[entity.attributes[attribute].variableName], !text.isEmpty
            else { return .absent }
            guard part.type == .int else { return .string(text) }
            let integer = Int64(text).flatMap { String($0) == text ? $0 : nil }
            return integer.map(Value.int64) ?? .absent
        }
    }

    /// Returns the identities that the object named by a path may have.
    fileprivate func identities(of entity: Entity, in path: String) -> [Identity] {
        if let parts = entity.identityParts {
            guard namedParts(of: entity) != nil else { return [] }
            return identityOfParts(parts, of: entity, in: path).map { [$0] } ?? []
        }
        guard let index = entity.identityIndex, let name = variable(naming: entity),
            let text = values(in: path)?[name], !text.isEmpty
        else { return [] }
        let integer = Int64(text).flatMap { String($0) == text ? Identity.integer($0) : nil }
        switch entity.attributes[index].type {
        case .int: return integer.map { [$0] } ?? []
        case .string: return [.string(text)]
        // The payload decides the type of the identity: the object has at most one of the two
        // identities.
        default: return [.string(text)] + (integer.map { [$0] } ?? [])
        }
    }

    /// Returns the identities that the object of an answer may have because the path of its request
    /// names it: by the name of the identity attribute, or at its end. The variable of a POST may
    /// name anything else.
    package func identitiesOfAnswer(
        _ entity: Entity, to method: Method, at path: String
    ) -> [Identity] {
        if entity.identityParts != nil { return identities(of: entity, in: path) }
        guard identityVariable(of: entity, to: method) != nil else { return [] }
        return identities(of: entity, in: path)
    }

    /// Returns the variable that names the object of an answer; `nil` if the path does not name it.
    fileprivate func identityVariable(of entity: Entity, to method: Method) -> String? {
        guard let index = entity.identityIndex, entity.identityParts == nil else { return nil }
        let name = entity.attributes[index].variableName
        if pathVariableNames.contains(name) { return name }
        return method != .post && endsWithIdentity(of: entity) ? variable(naming: entity) : nil
    }
}

extension LoadedAPI {
    /// Returns the objects that a request by path is about.
    package func targets(_ method: Method, _ path: String, _ route: Route?) -> PathTargets {
        PathTargets(definition: definition, method: method, path: path, route: route)
    }
}
