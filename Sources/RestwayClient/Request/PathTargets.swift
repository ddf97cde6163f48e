import RestwayMapping
import RestwayObjects
import RestwayRouting

/// Finds the objects that a request by path is about: those whose identity a variable of the path
/// names.
struct PathTargets {
    let definition: APIDefinition
    let method: Method
    let path: String
    let route: Route?

    /// What a DELETE removes.
    var deletions: [ChangeSet.Deletion] {
        all.map { .identity($0.entity, $0.identity) }
    }

    var all: [(entity: Entity, identity: Identity)] {
        var targets: [(entity: Entity, identity: Identity)] = []
        for (entity, identity) in candidates
        where !targets.contains(where: { $0.entity === entity && $0.identity == identity }) {
            targets.append((entity, identity))
        }
        return targets
    }

    private var candidates: [(Entity, Identity)] {
        var found: [(Entity, Identity)] = []
        // A route is where objects of its entity are sent to.
        let routes = route.map { [$0] } ?? definition.routes.all
        for route in routes where route.methods.contains(method) {
            guard let name = route.entity, let entity = definition.mappings[name]?.entity else {
                continue
            }
            found += identities(entity, route.template).map { (entity, $0) }
        }
        // A descriptor may be about part of an object: only if the path ends with its identity.
        for descriptor in definition.descriptors
        where descriptor.methods.isEmpty || descriptor.methods.contains(method) {
            let entity = descriptor.mapping.entity
            found += endingIdentities(entity, descriptor.template).map { (entity, $0) }
        }
        for descriptor in definition.allRequestDescriptors
        where descriptor.methods.contains(method) {
            let entity = descriptor.mapping.entity
            found += endingIdentities(entity, descriptor.template).map { (entity, $0) }
        }
        return found
    }

    private func endingIdentities(_ entity: Entity, _ template: PathTemplate?) -> [Identity] {
        guard let template, let name = variable(entity, template),
            let last = template.text.split(separator: "/").last, Self.holds(last, name)
        else { return [] }
        return identities(entity, template)
    }

    /// Whether `part` stands in `text`. The standard library's own search brings an engine for
    /// regular expressions along, more than a megabyte of it.
    private static func holds(_ text: Substring, _ part: String) -> Bool {
        var rest = text[...]
        while !rest.isEmpty {
            if rest.hasPrefix(part) { return true }
            rest.removeFirst()
        }
        return false
    }

    /// The variable that is called as the identity, or else the only one.
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
        // The payload decides what it is: there is at most one of both.
        default: return [.string(text)] + (integer.map { [$0] } ?? [])
        }
    }
}
