import RestwayObjects

/// Finds the rows of an answer that no store takes.
struct UnkeptRows {
    private struct Named: Hashable {
        let family: ObjectIdentifier
        let identity: Identity

        init?(_ row: Snapshot) {
            guard let identity = row.identity else { return nil }
            self.identity = identity
            family = ObjectIdentifier(row.entity.family)
        }
    }

    private let rows: [Snapshot]
    private(set) var found: Set<Int> = []
    /// Rows that were found and whose links have not been followed.
    private var waiting: [Int] = []

    /// - Parameter results: The results of the descriptors whose objects are not kept.
    init(_ rows: [Snapshot], results: [Int]) {
        self.rows = rows
        for row in results { add(row) }
        // Another row of the answer may be about the same object.
        let named = Set(results.compactMap { Named(rows[$0]) })
        for (index, row) in rows.enumerated() {
            if !row.entity.isKept {
                add(index)
            } else if !named.isEmpty, let name = Named(row), named.contains(name) {
                add(index)
            }
        }
        while let row = waiting.popLast() { followLinks(of: rows[row]) }
    }

    private mutating func add(_ row: Int) {
        if found.insert(row).inserted { waiting.append(row) }
    }

    /// Adds the rows without identity that belong to a row, because it links to them.
    private mutating func followLinks(of row: Snapshot) {
        for relationship in row.entity.relationships.indices {
            for key in row.relatedKeys(at: relationship) {
                guard let linked = Cell.row(ofReference: key),
                    rows[linked].identityCell.kind == .null
                else { continue }
                add(linked)
            }
        }
    }
}
