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

    /// The objects that a DELETE removes.
    package var deletions: [ChangeSet.Deletion] {
        all.map { .identity($0.entity, $0.identity) }
    }

    package var all: [(entity: Entity, identity: Identity)] {
        var targets: [(entity: Entity, identity: Identity)] = []
        for (entity, identity) in candidates
        where !targets.contains(where: {
            $0.entity.isOfFamily(of: entity) && $0.identity == identity
        }) {
            targets.append((entity, identity))
        }
        return targets
    }

    /// A route or a descriptor that says which objects are at a path.
    private struct Claim {
        let template: PathTemplate
        /// The entity; `nil` for a route without an entity, which still displaces less
        /// specific routes.
        let entity: Entity?
        /// Whether the path must end with the object's identity. A descriptor counts only then,
        /// because it may be about a part of an object.
        let isEnding: Bool
    }

    private var candidates: [(Entity, Identity)] {
        let choice = DescriptorChoice(route: route, path: path)
        return choice.mostSpecific(claims(choice), \.template).flatMap { claim in
            guard let entity = claim.entity else { return [(Entity, Identity)]() }
            if claim.isEnding, !ends(claim.template, entity) { return [] }
            return identities(entity, claim.template).map { (entity, $0) }
        }
    }

    private func claims(_ choice: DescriptorChoice) -> [Claim] {
        var claims: [Claim] = []
        // Objects of an entity are sent to the routes of that entity.
        let routes = route.map { [$0] } ?? definition.routes.routes(method: method, path: path)
        for route in routes {
            let entity = route.entity.flatMap { definition.mapping(named: $0)?.entity }
            claims.append(Claim(template: route.template, entity: entity, isEnding: false))
        }
        for descriptor in definition.descriptors
        where descriptor.methodSet.contains(method) && descriptor.statuses.overlaps(.success)
            && descriptor.valueConversion == nil && descriptor.union?.members.count ?? 1 == 1
        {
            guard let template = descriptor.template, choice.fits(template, of: descriptor.routeKey)
            else { continue }
            let entity = descriptor.mapping.entity
            claims.append(Claim(template: template, entity: entity, isEnding: true))
        }
        for descriptor in definition.rules.requestDescriptors
        where descriptor.methods.contains(method) {
            guard let template = descriptor.template, choice.fits(template, of: descriptor.routeKey)
            else { continue }
            let entity = descriptor.mapping.entity
            claims.append(Claim(template: template, entity: entity, isEnding: true))
        }
        return claims
    }

    private func ends(_ template: PathTemplate, _ entity: Entity) -> Bool {
        guard let name = variable(entity, template),
            let last = template.text.split(separator: "/").last
        else { return false }
        return Self.holds(last, name)
    }

    /// Whether `text` contains `part`. The standard library's own search would link its engine for
    /// regular expressions, which is more than a megabyte.
    private static func holds(_ text: Substring, _ part: String) -> Bool {
        var rest = text[...]
        while !rest.isEmpty {
            if rest.hasPrefix(part) { return true }
            rest.removeFirst()
        }
        return false
    }

    /// Returns the variable with the name of the identity attribute or, if no variable has this
    /// name, the only variable; `nil` if there are several.
    private func variable(_ entity: Entity, _ template: PathTemplate) -> String? {
        guard let index = entity.identityIndex else { return nil }
        let name = entity.attributes[index].name
        if template.variableNames.contains(name) { return name }
        return template.variableNames.count == 1 ? template.variableNames[0] : nil
    }

    private func identities(_ entity: Entity, _ template: PathTemplate) -> [Identity] {
        guard let index = entity.identityIndex, let name = variable(entity, template),
            let text = template.match(path)?[name], !text.isEmpty
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
}

extension LoadedAPI {
    /// Returns the objects that a request by path is about.
    package func targets(_ method: Method, _ path: String, _ route: Route?) -> PathTargets {
        PathTargets(definition: definition, method: method, path: path, route: route)
    }
}
