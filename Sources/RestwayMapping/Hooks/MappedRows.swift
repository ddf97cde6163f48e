package import RestwayObjects

/// The rows of a response as hooks see and change them, before the store takes them.
///
/// Rows never change: a row that a hook sets is made anew when it is next read. `@unchecked
/// Sendable`: hooks run one after the other, and no other code has the rows at that time.
package final class MappedRows: @unchecked Sendable {
    /// Why a change by a hook is refused.
    package enum Refusal: Error, Equatable, Sendable {
        case noSuchRow(Int, count: Int)
        case noSuchResult(Int, count: Int)
        case unfit(attribute: String, expected: String)
        case tooManyLinks(relationship: String)
        case foreignLink(relationship: String, expected: String)
        case unkeptLink(relationship: String)

        package var message: String {
            switch self {
            case .noSuchRow(let row, let count): "there is no row \(row) of \(count)"
            case .noSuchResult(let index, let count): "there is no result \(index) of \(count)"
            case .unfit(let attribute, let expected): "\"\(attribute)\" takes \(expected)"
            case .tooManyLinks(let relationship):
                "\"\(relationship)\" leads to one object at most"
            case .foreignLink(let relationship, let expected):
                "\"\(relationship)\" leads to objects of \(expected)"
            case .unkeptLink(let relationship):
                "\"\(relationship)\" leads to rows and to objects of the store, and no store keeps "
                    + "this object"
            }
        }
    }

    /// The rows that are the results of each descriptor of the plan.
    package let results: [[Int]]
    /// The descriptor whose hook is running.
    package private(set) var ownResult = 0

    private var rows: [Snapshot]
    /// The values that a hook has set since the row was made, by row.
    private var changed: [Int: [Value]] = [:]
    /// Old versions of rows that were made anew. Values read from them are still lent to the hook.
    private var replaced: [Snapshot] = []

    package init(_ result: MappingResult) {
        rows = result.changeSet.rows
        results = result.results
    }

    package var count: Int { rows.count }

    package func begin(result: Int) {
        ownResult = result
    }

    /// The rows for the store.
    package func finish() -> [Snapshot] {
        for row in changed.keys { renew(row) }
        return rows
    }

    // MARK: Reading

    package func result(_ index: Int) throws(Refusal) -> [Int] {
        guard results.indices.contains(index) else {
            throw .noSuchResult(index, count: results.count)
        }
        return results[index]
    }

    package func entity(of row: Int) throws(Refusal) -> Entity {
        try check(row)
        return rows[row].entity
    }

    /// The current version of the row. It lives as long as these rows.
    package func snapshot(_ row: Int) throws(Refusal) -> Snapshot {
        try check(row)
        renew(row)
        return rows[row]
    }

    /// The rows that relationship `index` leads to.
    package func related(_ row: Int, relationship index: Int) throws(Refusal) -> [Int] {
        try snapshot(row).relatedKeys(at: index).compactMap { Cell.row(ofReference: $0) }
    }

    // MARK: Changing

    package func set(_ row: Int, attribute index: Int, _ value: Value) throws(Refusal) {
        let entity = try entity(of: row)
        let attribute = entity.attributes[index]
        guard let fitting = attribute.type.fit(value) else {
            throw .unfit(attribute: attribute.name, expected: attribute.type.withArticle)
        }
        if entity.isIdentity(attribute: index) {
            switch fitting {
            case .int64, .string, .null: break
            default: throw .unfit(attribute: attribute.name, expected: "an integer or a string")
            }
        }
        put(fitting, row, index)
    }

    package func relate(
        _ row: Int, relationship index: Int, toRows targets: [Int]
    ) throws(Refusal) {
        let found = try targets.map { (target) throws(Refusal) in
            try check(target)
            return (key: Cell.reference(toRow: target), object: rows[target])
        }
        try relate(row, index, found)
    }

    package func relate(
        _ row: Int, relationship index: Int, to objects: [Snapshot]
    ) throws(Refusal) {
        try relate(row, index, objects.map { ($0.storeKey, $0) })
    }

    private func relate(
        _ row: Int, _ index: Int, _ targets: [(key: Int64, object: Snapshot)]
    ) throws(Refusal) {
        let entity = try entity(of: row)
        let relationship = entity.relationships[index]
        guard relationship.isMany || targets.count <= 1 else {
            throw .tooManyLinks(relationship: relationship.name)
        }
        guard targets.allSatisfy(\.object.isKept) else {
            throw .unkeptLink(relationship: relationship.name)
        }
        // An object without a key has never been in a store.
        guard targets.allSatisfy({ $0.key != 0 && entity.links(relationship, to: $0.object) })
        else {
            throw .foreignLink(relationship: relationship.name, expected: relationship.targetName)
        }
        let keys = targets.map(\.key)
        let value: Value =
            relationship.isMany ? .links(keys) : keys.first.map(Value.link) ?? .null
        put(value, row, entity.attributes.count + index)
    }

    // MARK: Rows

    private func check(_ row: Int) throws(Refusal) {
        guard rows.indices.contains(row) else { throw .noSuchRow(row, count: rows.count) }
    }

    private func put(_ value: Value, _ row: Int, _ cell: Int) {
        let old = rows[row]
        changed[row, default: (0..<old.cellCount).map(old.value(at:))][cell] = value
    }

    private func renew(_ row: Int) {
        guard let values = changed.removeValue(forKey: row) else { return }
        replaced.append(rows[row])
        // The program has given the object a value, so the row does more than name it.
        rows[row] = Snapshot.make(rows[row].entity, values)
    }
}
