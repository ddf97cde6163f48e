import RestwayJSON
import RestwayMapping
import RestwayObjects

/// The entities that a relationship or an answer leads to.
struct EntityTarget {
    /// The indices of the entities; a union has several.
    let entities: [Int]
    let union: EntityUnion?
}

/// The section `unions`, and unions in the place of the name of an entity.
extension EntityCatalog {
    /// Reads the name of an entity or of a union, or a union itself.
    func target(_ node: DocumentNode) -> EntityTarget? {
        if node.value.kind == .object {
            return union(node, named: nil).map { EntityTarget(entities: $0.members, union: $0) }
        }
        guard let name = node.nonEmptyString() else { return nil }
        if let index = index(named: name) { return EntityTarget(entities: [index], union: nil) }
        guard let known = unions[name] else {
            node.reportUnknown("entity", name, among: names + unions.keys.sorted())
            return nil
        }
        // A union with a problem was already reported.
        return known.map { EntityTarget(entities: $0.members, union: $0) }
    }

    /// Reads `{"oneOf": ["Bug", "Story"], "discriminator", "keys", "prefixes", "default"}`.
    func union(_ node: DocumentNode, named name: String?) -> EntityUnion? {
        guard let object = node.object(.union),
            let members = object.required("oneOf").flatMap(members)
        else { return nil }
        let fallback = object["default"].flatMap { member($0, of: members) }
        var discriminator: EntityUnion.Discriminator?
        if let node = object["discriminator"] {
            guard let read = self.discriminator(node, members, fallback) else { return nil }
            discriminator = read
            object["keys"]?.report("stands beside \"discriminator\"; write one or the other")
        } else if resources.isUsed {
            discriminator = resources.discriminator(members)
            object["keys"]?.report("does not go with JSON:API, whose types tell resources apart")
        }
        var requiredKeys: [Int: [[String]]] = [:]
        for (entity, node) in object["keys"]?.namedMembers() ?? [] {
            guard let member = member(entity, at: node, of: members),
                let elements = node.elements()
            else { continue }
            if elements.isEmpty { node.report("must name a key") }
            requiredKeys[member] = elements.compactMap { $0.keyPath() }
        }
        var prefixes: [EntityUnion.Prefix] = []
        for (text, node) in object["prefixes"]?.namedMembers() ?? [] {
            guard let member = member(node, of: members) else { continue }
            prefixes.append(EntityUnion.Prefix(text: text, member: member))
        }
        return EntityUnion(
            name: name ?? members.map { names[$0] }.joined(separator: " | "), members: members,
            discriminator: discriminator, requiredKeys: requiredKeys, prefixes: prefixes,
            fallback: fallback)
    }

    private func members(_ node: DocumentNode) -> [Int]? {
        guard let elements = node.elements() else { return nil }
        var members: [Int] = []
        for element in elements {
            guard let index = index(element) else { continue }
            if members.contains(index) {
                element.report("\"\(names[index])\" stands twice")
            } else {
                members.append(index)
            }
        }
        if elements.isEmpty { node.report("must name an entity") }
        return members.isEmpty ? nil : members
    }

    /// Reads `"type"`, `["a.b"]` or `{"keyPath": "type", "values": {"bug": "Bug"}}`.
    private func discriminator(
        _ node: DocumentNode, _ members: [Int], _ fallback: Int?
    ) -> EntityUnion.Discriminator? {
        var place: DocumentNode? = node
        var values: DocumentNode?
        if node.value.kind == .object {
            guard let object = node.object(.discriminator) else { return nil }
            place = object.required("keyPath")
            values = object["values"]
        }
        guard let keyPath = place?.keyPath() else { return nil }
        guard let values else {
            let known = members.map { (names[$0], $0) }
            return EntityUnion.Discriminator(
                keyPath: keyPath, members: Dictionary(uniqueKeysWithValues: known),
                written: Dictionary(uniqueKeysWithValues: known.map { ($1, $0) }))
        }
        var found: [String: Int] = [:]
        var written: [Int: String] = [:]
        for (value, node) in values.namedMembers() ?? [] {
            guard let member = member(node, of: members) else { continue }
            found[value] = member
            if written[member] == nil { written[member] = value }
        }
        for member in members where member != fallback && written[member] == nil {
            values.report("no value stands for \"\(names[member])\"")
        }
        return EntityUnion.Discriminator(keyPath: keyPath, members: found, written: written)
    }

    private func member(_ node: DocumentNode, of members: [Int]) -> Int? {
        node.nonEmptyString().flatMap { member($0, at: node, of: members) }
    }

    private func member(_ name: String, at node: DocumentNode, of members: [Int]) -> Int? {
        if let index = index(named: name), members.contains(index) { return index }
        node.reportUnknown("entity of the union", name, among: members.map { names[$0] })
        return nil
    }

    // MARK: Members that cannot be told apart

    /// Checks all unions. Whether their members can be told apart depends on identities, which
    /// programs may change.
    func checkUnions(_ problems: DocumentProblems) {
        for (name, place) in unionPlaces {
            if let union = unions[name] ?? nil { check(union, at: place, problems) }
        }
        for own in parts.compactMap({ $0 }) {
            for (index, mapping) in own.relationshipMappings.enumerated() {
                guard let union = mapping.union, (unions[union.name] ?? nil) != union else {
                    continue
                }
                let place = own.place(of: own.relationships[index].name)
                check(union, at: .member(of: place, key: "entity"), problems)
            }
        }
    }

    /// Reports a member that no object can be of, because an earlier member takes each of its
    /// objects.
    func check(
        _ union: EntityUnion, at place: DocumentPlace, _ problems: DocumentProblems
    ) {
        guard union.discriminator == nil else { return }
        let tried = union.members.filter { $0 != union.fallback }
        for (position, later) in tried.enumerated() {
            guard let needed = keys(later, union) else { continue }
            for earlier in tried[..<position] {
                guard let known = keys(earlier, union), Self.implies(needed, known),
                    !haveOtherConstants(earlier, later)
                else { continue }
                let (first, second) = (names[earlier], names[later])
                problems.report(
                    place,
                    Self.implies(known, needed)
                        ? "nothing tells \"\(first)\" and \"\(second)\" apart; give a "
                            + "\"discriminator\" or \"keys\""
                        : "no object can be of \"\(second)\", because \"\(first)\", which stands "
                            + "before it, needs fewer keys")
                break
            }
        }
    }

    /// The key paths that an object of a member must have; `nil` for an entity with a problem.
    private func keys(_ member: Int, _ union: EntityUnion) -> [[String]]? {
        if let keys = union.requiredKeys[member] { return keys }
        guard let mapping = mapping(at: member) else { return nil }
        return mapping.attributes.filter { mapping.entity.isIdentity(attribute: $0.attribute) }
            .map(\.source)
    }

    /// Whether two members have different constants in one place, so that no object is of both.
    private func haveOtherConstants(_ first: Int, _ second: Int) -> Bool {
        guard let first = mapping(at: first), let second = mapping(at: second) else { return false }
        return first.constants.contains { own in
            second.constants.contains { $0.source == own.source && $0.text != own.text }
        }
    }

    /// Whether an object that has all of `keys` also has all of `others`.
    private static func implies(_ keys: [[String]], _ others: [[String]]) -> Bool {
        others.allSatisfy { other in
            keys.contains { $0.count >= other.count && Array($0[..<other.count]) == other }
        }
    }
}
