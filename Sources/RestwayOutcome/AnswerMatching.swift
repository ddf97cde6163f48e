package import RestwayMapping
package import RestwayObjects

/// Finds the rows of an answer that are about the objects that were sent.
///
/// The row of the outermost object is given. The other objects are found through the relationship
/// that leads to them. An object that was sent with an identity is found by the identity. Objects
/// without an identity are matched by their order with the remaining rows, if there are as many
/// rows as objects.
package struct AnswerMatching {
    /// The row of each matched object. The key is the index of the sent object.
    package private(set) var rows: [Int: Int] = [:]
    /// The relationships for which the answer does not fit the sent objects. The key is the index
    /// of the sent object.
    package private(set) var mismatches: [Int: Set<Int>] = [:]
    /// The sent objects to which only relationships of `mismatches` lead.
    package private(set) var lost: Set<Int> = []

    private let sent: [SentObject]
    private let told: [Snapshot]

    /// - Parameter root: The row of the outermost object; nil if no row is about this object.
    package init(_ sent: [SentObject], _ told: [Snapshot], root: Int?) {
        self.sent = sent
        self.told = told
        guard !sent.isEmpty, let root,
            told[root].entity.isOfFamily(of: sent[0].entity)
        else { return }
        rows[0] = root
        var waiting = [0]
        while let object = waiting.popLast() {
            for (relationship, links) in sent[object].links {
                waiting += match(object, relationship, links)
            }
        }
    }

    /// Returns the identity that the answer gives to a sent object; nil if the answer gives no
    /// identity.
    package func identity(of object: Int) -> Identity? {
        rows[object].flatMap { told[$0].identity }
    }

    /// Returns the cells of a sent object of `entity` for which the answer has another value.
    package func mismatchedCells(of object: Int, _ entity: Entity) -> Set<Int> {
        Set((mismatches[object] ?? []).map { entity.attributes.count + $0 })
    }

    /// An object that the answer may have named. A relationship may lead to objects of several
    /// entities, whose identities may be equal.
    private struct Name: Hashable {
        /// Nil for any family.
        let family: ObjectIdentifier?
        let identity: Identity
    }

    /// Matches the objects of one relationship. Returns the sent objects that were found.
    private mutating func match(
        _ object: Int, _ relationship: Int, _ links: [SentObject.Link]
    ) -> [Int] {
        guard let row = rows[object], let found = targets(row, relationship) else { return [] }
        var pairs: [(object: Int, row: Int)] = []
        for link in links {
            guard let identity = link.identity, let other = link.object,
                let row = found.first(where: {
                    told[$0].identity == identity
                        && told[$0].entity.isOfFamily(of: sent[other].entity)
                })
            else { continue }
            pairs.append((other, row))
        }
        let known = Set(
            links.compactMap { link in
                link.identity.map { identity in
                    Name(
                        family: link.object.map { ObjectIdentifier(sent[$0].entity.family) },
                        identity: identity)
                }
            })
        let fresh = links.filter { $0.identity == nil }.compactMap(\.object)
        let left = found.filter { row in
            guard let identity = told[row].identity else { return true }
            let family = ObjectIdentifier(told[row].entity.family)
            return !known.contains(Name(family: family, identity: identity))
                && !known.contains(Name(family: nil, identity: identity))
        }
        if !fresh.isEmpty {
            if let found = inOrder(fresh, left) {
                pairs += found
            } else {
                mismatches[object, default: []].insert(relationship)
                for object in fresh { lose(object) }
            }
        }
        for (object, row) in pairs { rows[object] = row }
        return pairs.map(\.object)
    }

    /// Pairs new objects with the rows of their family, in order; nil if their numbers differ.
    private func inOrder(_ fresh: [Int], _ left: [Int]) -> [(object: Int, row: Int)]? {
        guard fresh.count == left.count else { return nil }
        var rest = left[...]
        var pairs: [(object: Int, row: Int)] = []
        for object in fresh {
            let entity = sent[object].entity
            // The answer may tell of an object in another shape. Members of a union that are
            // siblings are told apart as long as the answer has both.
            let near = rest.firstIndex { row in
                told[row].entity.isA(entity) || entity.isA(told[row].entity)
            }
            let place = near ?? rest.firstIndex { told[$0].entity.isOfFamily(of: entity) }
            guard let place else { return nil }
            pairs.append((object, rest[place]))
            if place == rest.startIndex { rest.removeFirst() } else { rest.remove(at: place) }
        }
        return pairs
    }

    /// Returns the rows to which relationship `index` of `row` leads; nil if the row does not say.
    private func targets(_ row: Int, _ index: Int) -> [Int]? {
        let row = told[row]
        let relationship = row.entity.relationships[index]
        guard !row.relationshipCell(at: index).isAbsent else { return nil }
        let keys = row.relatedKeys(at: index)
        if keys.isEmpty, relationship.isMany, relationship.policy == .merge { return nil }
        return keys.compactMap { Cell.row(ofReference: $0) }
    }

    /// Marks `object` as lost, and the objects to which it leads.
    private mutating func lose(_ object: Int) {
        guard lost.insert(object).inserted else { return }
        for links in sent[object].links {
            for other in links.links.compactMap(\.object) { lose(other) }
        }
    }
}
