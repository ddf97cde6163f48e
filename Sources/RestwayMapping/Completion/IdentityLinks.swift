import RestwayObjects

/// Gives linked objects the parts of their identity that attributes of the object with the link
/// have, and makes the links that attributes alone say.
struct IdentityLinks {
    /// An object that only attributes name.
    private struct Named: Hashable {
        let entity: Int
        let identity: Identity
    }

    private let plan: MappingPlan
    /// The rows of objects that only attributes name. Each object has one row.
    private var rows: [Named: Int] = [:]

    init(_ plan: MappingPlan) {
        self.plan = plan
    }

    /// Completes the links of a complete row.
    ///
    /// - Parameter give: Receives values for a row that the row links to, by their cells.
    mutating func complete(
        _ number: Int, _ changes: inout ChangeSet, give: (Int, [Int: Value]) -> Void
    ) {
        guard let links = plan.identityLinks[changes.rows[number].entity.index] else { return }
        for mapping in links {
            guard let identity = mapping.identity else { continue }
            let row = changes.rows[number]
            let cell = row.entity.attributes.count + mapping.relationship
            if identity.isWhole, row.cell(at: cell).isAbsent {
                guard let link = link(row, mapping, identity, &changes) else { continue }
                changes.rows[number] = row.completed(with: [cell: link])
                continue
            }
            let values = Self.values(row, identity)
            for key in row.relatedKeys(at: mapping.relationship) {
                if let linked = Cell.row(ofReference: key), linked > number { give(linked, values) }
            }
        }
    }

    /// Returns the values of the parts that the row has, by the attributes of linked objects.
    private static func values(_ row: Snapshot, _ identity: LinkIdentity) -> [Int: Value] {
        var values: [Int: Value] = [:]
        for part in identity.parts {
            let value = row.value(at: part.own)
            if Identity(value) != nil { values[part.attribute] = value }
        }
        return values
    }

    /// Returns a link to the object that the attributes of a row identify: null if an attribute is
    /// null, and nil if the row does not say all parts.
    private mutating func link(
        _ row: Snapshot, _ mapping: RelationshipMapping, _ identity: LinkIdentity,
        _ changes: inout ChangeSet
    ) -> Value? {
        if identity.parts.contains(where: { row.cell(at: $0.own).kind == .null }) { return .null }
        let relationship = row.entity.relationships[mapping.relationship]
        let target = plan.entities[relationship.targets[0]].entity
        let values = Self.values(row, identity)
        guard values.count == identity.parts.count,
            let name = target.identity({ values[$0] ?? .absent })
        else { return nil }
        let named = Named(entity: target.index, identity: name)
        if let known = rows[named] { return .link(Cell.reference(toRow: known)) }
        let all = target.attributes.indices.map { values[$0] ?? .absent }
        let place = changes.rows.count
        changes.rows.append(
            Snapshot.make(target, all, isLoaded: target.isLoadedByLinks))
        if target.hasDefaults { changes.identityRows.insert(place) }
        rows[named] = place
        return .link(Cell.reference(toRow: place))
    }
}
