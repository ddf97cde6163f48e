import RestwayMapping
import RestwayObjects

/// The key `identity` of a relationship: the names of attributes by the names of the parts of the
/// linked objects' identity.
struct LinkIdentityNames: Sendable {
    let parts: [(part: String, attribute: String)]
    /// Whether the relationship has a `source`.
    let hasSource: Bool

    /// Reads `{"owner": "owner", "repo": "repositoryName"}`.
    init?(_ node: DocumentNode, hasSource: Bool) {
        guard let members = node.namedMembers() else { return nil }
        if members.isEmpty { node.report("must name a part of the identity") }
        parts = members.compactMap { member in
            member.node.nonEmptyString().map { (member.name, $0) }
        }
        self.hasSource = hasSource
    }
}

/// Relationships to objects that several attributes identify, or that attributes of the object with
/// the link identify.
extension EntityCatalog {
    /// Returns the parts of an entity with the attributes that its links by identity use.
    func withLinkIdentities(
        _ own: EntityParts, _ problems: DocumentProblems
    ) -> EntityParts {
        var own = own
        for (index, mapping) in own.relationshipMappings.enumerated() {
            let names = own.linkIdentities[index]
            guard names != nil || mapping.form == .identity, mapping.union == nil,
                let target = mappings[own.relationships[index].targets[0]]
            else { continue }
            own.relationshipMappings[index].identity = linkIdentity(
                names, of: own, index, target.entity, problems)
        }
        return own
    }

    private func linkIdentity(
        _ names: LinkIdentityNames?, of own: EntityParts, _ index: Int, _ target: Entity,
        _ problems: DocumentProblems
    ) -> LinkIdentity? {
        let relationship = own.relationships[index]
        let place = own.place(of: relationship.name)
        let identity = target.identityAttributes
        var parts: [LinkIdentity.Part] = []
        for (part, attribute) in names?.parts ?? [] {
            let place = DocumentPlace.member(of: .member(of: place, key: "identity"), key: part)
            let found = identity.first { target.attributes[$0].name == part }
            guard let found else {
                let known = identity.map { target.attributes[$0].name }
                let what = "part of the identity of \(target.name)"
                problems.report(place, problems.unknown(what, part, among: known))
                continue
            }
            let attributes = chain(own).flatMap(\.attributes)
            guard let known = attributes.first(where: { $0.name == attribute }) else {
                problems.report(
                    place,
                    problems.unknown("attribute", attribute, among: attributes.map(\.name)))
                continue
            }
            let type = target.attributes[found].type
            if known.type != type, type != .any || known.type != .int && known.type != .string {
                problems.report(
                    place,
                    "\"\(attribute)\" is of type \(known.type.rawValue), and \"\(part)\" of type "
                        + type.rawValue)
            }
            parts.append(LinkIdentity.Part(attribute: found, name: attribute))
        }
        let missing = identity.filter { part in !parts.contains { $0.attribute == part } }
        let isWhole = missing.isEmpty && !parts.isEmpty
        let scalar = missing.count == 1 ? missing[0] : nil
        if isWhole, relationship.isMany {
            problems.report(
                .member(of: place, key: "identity"),
                "names the whole identity of one object, and the relationship leads to many")
        }
        if own.relationshipMappings[index].form == .identity, scalar == nil, !identity.isEmpty {
            problems.report(
                .member(of: place, key: "byIdentity"),
                isWhole
                    ? "\"identity\" names the whole identity, so that no value is sent"
                    : "a value is one part of the identity of \(target.name): \"identity\" names "
                        + "the attributes with the other parts")
        }
        guard names != nil else { return nil }
        return LinkIdentity(
            parts: parts, scalar: scalar, isWhole: isWhole,
            isRead: names?.hasSource ?? true || !isWhole)
    }
}
