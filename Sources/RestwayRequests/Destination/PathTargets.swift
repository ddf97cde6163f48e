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
    private func namedParts(of entity: Entity) -> [String]? {
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
        guard let index = entity.identityIndex else { return [] }
        let isNamed = pathVariableNames.contains(entity.attributes[index].variableName)
        guard isNamed || method != .post && endsWithIdentity(of: entity) else { return [] }
        return identities(of: entity, in: path)
    }
}

extension LoadedAPI {
    /// Returns the objects that a request by path is about.
    package func targets(_ method: Method, _ path: String, _ route: Route?) -> PathTargets {
        PathTargets(definition: definition, method: method, path: path, route: route)
    }
}
