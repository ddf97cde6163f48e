import RestwayObjects
import RestwaySQLite

/// The conditions, in SQL, that find the objects of a table that only links have named
/// (`Snapshot.isLoaded`).
///
/// `restway_unloaded` has the keys of these objects, and it alone decides. So writing other objects
/// costs nothing, and a file without such objects needs no search. The values decide only once, for
/// a table that is older than `restway_unloaded`.
struct UnloadedRows: Sendable {
    /// The condition that a row has nothing but its identity: no column has a value, no attribute
    /// is null, and no list has links.
    let values: String
    /// The condition that a row of a statement is noted. It is made for a search of a table.
    let condition: String
    /// The expression that is 1 for a row that is not noted, and 0 for a noted row. It looks for
    /// each row by itself.
    let isLoaded: String

    /// - Parameters:
    ///   - number: The number of the entity in the file.
    ///   - columnNames: The quoted names of `columns`.
    ///   - letterCount: The most letters that a row may have.
    /// - Returns: `nil` if objects have no identity, so that no link can name them.
    init?(
        _ family: StoredFamily, number: Int64, table: String, _ columns: [TableLayout.Column],
        _ columnNames: [String], _ links: [TableLayout.Links], letterCount: Int,
        _ shapes: StoredShapes?
    ) {
        let loading = Set(family.base.loadingCells.cells)
        guard let cell = family.base.identityIndex,
            let identity = columns.firstIndex(where: { $0.cell == cell })
        else { return nil }
        let places = columns.indices.filter { loading.contains(columns[$0].cell) }
        let columnsAreEmpty = Self.joined(
            places.map { "\(columnNames[$0]) IS NULL" }[...] + [
                "\(columnNames[identity]) IS NOT NULL", "_anonymous IS NULL",
            ])
        var terms = [columnsAreEmpty]
        let lists = links.filter { loading.contains($0.cell) }
        let numbers = places.map { columns[$0].number } + lists.map(\.number)
        terms.append(Self.letters(absentAt: Set(numbers), letterCount))
        for list in lists {
            let links = list.table.quotedForSQL
            let key = "\(table.quotedForSQL)._key"
            terms.append("NOT EXISTS (SELECT 1 FROM \(links) WHERE owner = \(key))")
        }
        if family.entities.allSatisfy(\.isLoadedByLinks) {
            terms = ["0"]
        } else if let shapes, family.entities.contains(where: \.isLoadedByLinks) {
            terms.append(shapes.condition { !$0.isLoadedByLinks })
        }
        values = terms.joined(separator: " AND ")
        let noted = "FROM restway_unloaded WHERE entity = \(number)"
        condition = "_key IN (SELECT key \(noted))"
        isLoaded = "NOT EXISTS (SELECT 1 \(noted) AND key = _key)"
    }

    /// Joins conditions as a tree, because SQLite limits how deep an expression nests.
    private static func joined(_ conditions: ArraySlice<String>) -> String {
        if conditions.count <= 8 { return conditions.joined(separator: " AND ") }
        let middle = conditions.startIndex + conditions.count / 2
        return "(\(joined(conditions[..<middle]))) AND (\(joined(conditions[middle...])))"
    }

    /// Returns the condition that a row says of no attribute or relationship with one of these
    /// numbers that it is null.
    private static func letters(absentAt numbers: Set<Int>, _ letterCount: Int) -> String {
        let absent = Character(UnicodeScalar(ColumnCoding.Letter.absent))
        let padding = String(repeating: absent, count: letterCount)
        let pattern = String((0..<letterCount).map { numbers.contains($0) ? absent : "?" })
        return "(_kinds IS NULL OR _kinds || '\(padding)' GLOB '\(pattern)*')"
    }
}

extension TableLayout {
    /// Notes the rows of the table that have nothing but their identity. An earlier version has
    /// written them, and has not noted which objects only links had named.
    func findUnloaded(_ connection: Connection) throws(SQLiteError) {
        guard let unloaded else { return }
        try connection.run(
            "INSERT OR IGNORE INTO restway_unloaded "
                + "SELECT \(number), _key FROM \(table.quotedForSQL) "
                + "WHERE _key > 0 AND \(unloaded.values)")
        try StoreSchema.noteThatUnloadedAreNoted(number, connection)
    }

    /// Returns the condition, in SQL, for the objects that meet `loading`; `nil` if all objects do.
    func condition(_ loading: Query.Loading) -> String? {
        switch loading {
        case .loaded: unloaded.map { "NOT \($0.condition)" }
        case .unloaded: unloaded?.condition ?? "0"
        case .all: nil
        }
    }
}
