import RestwayMapping
import RestwayObjects

/// Finds the rows of an answer that tell about the objects that were sent.
///
/// That of the outermost object is given. From there on objects are found by the relationship that
/// led to them: those that were sent with an identity by that, the others by their place among what
/// is left, if that is as many as were sent.
struct AnswerMatching {
    /// By sent object.
    private(set) var rows: [Int: Int] = [:]
    /// By sent object, its relationships of which the answer tells something that does not fit what
    /// was sent.
    private(set) var mismatches: [Int: Set<Int>] = [:]
    /// The sent objects that only such relationships led to.
    private(set) var lost: Set<Int> = []

    private let sent: [SentObject]
    private let told: [Snapshot]

    /// - Parameter root: The row of the outermost object; nil when there is none.
    init(_ sent: [SentObject], _ told: [Snapshot], root: Int?) {
        self.sent = sent
        self.told = told
        guard !sent.isEmpty, let root, told[root].entity === sent[0].entity else { return }
        rows[0] = root
        var waiting = [0]
        while let object = waiting.popLast() {
            for (relationship, links) in sent[object].links {
                waiting += match(object, relationship, links)
            }
        }
    }

    /// What the answer calls a sent object; nil when it does not say.
    func identity(of object: Int) -> Identity? {
        rows[object].flatMap { told[$0].identity }
    }

    /// The cells of a sent object, of `entity`, that the answer tells otherwise.
    func mismatchedCells(of object: Int, _ entity: Entity) -> Set<Int> {
        Set((mismatches[object] ?? []).map { entity.attributes.count + $0 })
    }

    /// Matches what one relationship led to; the sent objects that were found.
    private mutating func match(
        _ object: Int, _ relationship: Int, _ links: [SentObject.Link]
    ) -> [Int] {
        guard let row = rows[object], let found = targets(row, relationship) else { return [] }
        var pairs: [(object: Int, row: Int)] = []
        for link in links {
            guard let identity = link.identity, let other = link.object,
                let row = found.first(where: { told[$0].identity == identity })
            else { continue }
            pairs.append((other, row))
        }
        let known = Set(links.compactMap(\.identity))
        let fresh = links.filter { $0.identity == nil }.compactMap(\.object)
        let left = found.filter { !(told[$0].identity.map(known.contains) ?? false) }
        if !fresh.isEmpty {
            if left.count == fresh.count {
                pairs += zip(fresh, left).map { ($0, $1) }
            } else {
                mismatches[object, default: []].insert(relationship)
                for object in fresh { lose(object) }
            }
        }
        for (object, row) in pairs { rows[object] = row }
        return pairs.map(\.object)
    }

    /// The rows that relationship `index` of `row` leads to; nil when it says nothing.
    private func targets(_ row: Int, _ index: Int) -> [Int]? {
        let row = told[row]
        let relationship = row.entity.relationships[index]
        guard !row.relationshipCell(at: index).isAbsent else { return nil }
        let keys = row.relatedKeys(at: index)
        if keys.isEmpty, relationship.isMany, relationship.policy == .merge { return nil }
        return keys.compactMap { Cell.row(ofReference: $0) }
    }

    /// Nothing is known of `object`, nor of what only it led to.
    private mutating func lose(_ object: Int) {
        guard lost.insert(object).inserted else { return }
        for links in sent[object].links {
            for other in links.links.compactMap(\.object) { lose(other) }
        }
    }
}
