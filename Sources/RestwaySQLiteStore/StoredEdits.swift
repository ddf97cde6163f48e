import RestwayObjects
import RestwaySQLite

/// The pending edits of a file as the connection that writes knows them.
///
/// The keys of all covered objects are in memory, so that rows about other objects cost nothing. A
/// cover is read when it is needed.
struct StoredEdits {
    /// The most covers that stay in memory.
    private static let coversMax = 20_000

    private(set) var keys: Set<Int64>
    private var covers: [Int64: Cover] = [:]

    init(_ file: StoreConnection) throws(SQLiteError) {
        keys = try file.coveredKeys()
    }

    mutating func cover(
        _ key: Int64, _ table: TableAccess, _ file: StoreConnection
    ) throws(SQLiteError) -> Cover {
        guard keys.contains(key) else { return Cover() }
        if let cover = covers[key] { return cover }
        let cover = try file.cover(key, table)
        note(cover, key)
        return cover
    }

    /// Notes a cover that the file has.
    mutating func note(_ cover: Cover, _ key: Int64) {
        guard !cover.isEmpty else {
            keys.remove(key)
            covers[key] = nil
            return
        }
        if covers.count >= Self.coversMax { covers.removeAll() }
        keys.insert(key)
        covers[key] = cover
    }
}

/// Reads pending edits.
extension StoreConnection {
    /// The condition on a layer that hides its object.
    static let isHidden = "hides = 1 AND active = 1 AND parked = 0"

    func coveredKeys() throws(SQLiteError) -> Set<Int64> {
        try keys("SELECT DISTINCT key FROM restway_layers")
    }

    /// Returns the keys of the objects that waiting deletions hide.
    func hiddenKeys() throws(SQLiteError) -> Set<Int64> {
        try keys("SELECT key FROM restway_layers WHERE \(Self.isHidden)")
    }

    private func keys(_ sql: String) throws(SQLiteError) -> Set<Int64> {
        let statement = try statement(sql)
        defer { statement.reset() }
        var keys: Set<Int64> = []
        while try statement.step() { keys.insert(statement.integer(0)) }
        return keys
    }

    /// Returns the cover of an object; an empty one if the object has no edits. Attributes that the
    /// document no longer has, or has with another type, are left out.
    func cover(_ key: Int64, _ table: TableAccess) throws(SQLiteError) -> Cover {
        let entity = table.layout.entity
        let layers = try statement(
            """
            SELECT outbox, edits.number, place, made, hides, active, restway_layers.parked, name,
                beforeKind, beforeValue, afterKind, afterValue
            FROM restway_layers JOIN restway_edits AS edits ON edits.id = edit
                LEFT JOIN restway_layer_cells ON layer = restway_layers.id
            WHERE key = ?1
            """)
        defer { layers.reset() }
        layers.bind(1, key)
        var found: [EditID: Cover.Layer] = [:]
        while try layers.step() {
            let edit = EditID(outbox: layers.integer(0), number: layers.integer(1))
            var layer = found[edit] ?? Cover.Layer(edit, place: layers.integer(2))
            layer.made = layers.integer(3) != 0
            layer.hides = layers.integer(4) != 0
            layer.isActive = layers.integer(5) != 0
            layer.isParked = layers.integer(6) != 0
            if let cell = layers.string(7).flatMap(entity.cellIndex),
                let after = entity.fit(layers.value(10), cell: cell)
            {
                let before = entity.fit(layers.value(8), cell: cell) ?? .absent
                layer.cells[cell] = Cover.Values(before: before, after: after)
            }
            found[edit] = layer
        }
        let values = try statement("SELECT name, kind, value FROM restway_base WHERE key = ?1")
        defer { values.reset() }
        values.bind(1, key)
        var base: [Int: Value] = [:]
        while try values.step() {
            guard let cell = values.string(0).flatMap(entity.cellIndex) else { continue }
            base[cell] = entity.fit(values.value(1), cell: cell) ?? .absent
        }
        return Cover(base: base, layers: Array(found.values))
    }

    func record(of edit: EditID) throws(SQLiteError) -> EditRecord? {
        let statement = try statement(
            "SELECT place, suspended, parked FROM restway_edits WHERE outbox = ?1 AND number = ?2")
        defer { statement.reset() }
        statement.bind(1, edit.outbox)
        statement.bind(2, edit.number)
        guard try statement.step() else { return nil }
        return statement.record(0)
    }

    func edits(ofOutbox outbox: Int64) throws(SQLiteError) -> [ListedEdit] {
        let statement = try statement(
            """
            SELECT number, place, suspended, parked FROM restway_edits WHERE outbox = ?1
            ORDER BY place, number
            """)
        defer { statement.reset() }
        statement.bind(1, outbox)
        var edits: [ListedEdit] = []
        while try statement.step() {
            let id = EditID(outbox: outbox, number: statement.integer(0))
            edits.append(ListedEdit(id, statement.record(1)))
        }
        return edits
    }

    /// Returns the objects of an edit, or of all edits: the numbers of their entities, and their
    /// keys.
    func coveredObjects(_ edit: EditID?) throws(SQLiteError) -> [(entity: Int64, key: Int64)] {
        let condition =
            edit == nil
            ? ""
            : """
            WHERE edit = (SELECT id FROM restway_edits WHERE outbox = ?1 AND number = ?2)
            """
        let statement = try statement(
            "SELECT DISTINCT entity, key FROM restway_layers \(condition) ORDER BY key")
        defer { statement.reset() }
        if let edit {
            statement.bind(1, edit.outbox)
            statement.bind(2, edit.number)
        }
        var objects: [(entity: Int64, key: Int64)] = []
        while try statement.step() { objects.append((statement.integer(0), statement.integer(1))) }
        return objects
    }
}

/// Writes pending edits.
extension StoreConnection {
    func setRecord(_ record: EditRecord?, of edit: EditID) throws(SQLiteError) {
        guard let record else {
            // Layers of entities that the document no longer has are left.
            try run(
                """
                DELETE FROM restway_layers
                WHERE edit = (SELECT id FROM restway_edits WHERE outbox = ?1 AND number = ?2)
                """, edit.outbox, edit.number)
            return try run(
                "DELETE FROM restway_edits WHERE outbox = ?1 AND number = ?2", edit.outbox,
                edit.number)
        }
        try run(
            """
            INSERT INTO restway_edits (outbox, number, place, suspended, parked)
            VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (outbox, number) DO UPDATE SET place = ?3, suspended = ?4, parked = ?5
            """, edit.outbox, edit.number, record.place, record.isSuspended ? 1 : 0,
            record.isParked ? 1 : 0)
    }

    /// Returns the place for an edit over all others, or directly under another edit.
    func place(under other: EditID?) throws(SQLiteError) -> Int64 {
        guard let other, let upper = try record(of: other)?.place else {
            return EditPlaces.over(try largestPlace("SELECT max(place) FROM restway_edits"))
        }
        let lower = try largestPlace(
            "SELECT max(place) FROM restway_edits WHERE place < ?1", upper)
        return EditPlaces.between(lower, upper)
    }

    private func largestPlace(
        _ sql: String, _ parameter: Int64? = nil
    ) throws(SQLiteError) -> Int64? {
        let statement = try statement(sql)
        defer { statement.reset() }
        if let parameter { statement.bind(1, parameter) }
        guard try statement.step(), statement.storage(0) != .null else { return nil }
        return statement.integer(0)
    }

    /// Writes the differences between two covers of an object.
    func write(
        _ cover: Cover, over older: Cover, _ key: Int64, _ table: TableAccess
    ) throws(SQLiteError) {
        for layer in older.layers where cover.layer(layer.edit) == nil {
            try deleteLayer(layer.edit, key)
        }
        for layer in cover.layers where older.layer(layer.edit) != layer {
            try write(layer, key, table)
        }
        let entity = table.layout.entity
        for cell in older.base.keys where cover.base[cell] == nil {
            let statement = try statement("DELETE FROM restway_base WHERE key = ?1 AND name = ?2")
            statement.bind([.integer(key), .text(entity.cellName(cell))])
            try statement.run()
        }
        for (cell, value) in cover.base where !(older.base[cell]?.isIdentical(to: value) ?? false) {
            let statement = try statement(
                "INSERT OR REPLACE INTO restway_base VALUES (?1, ?2, ?3, ?4)")
            statement.bind([.integer(key), .text(entity.cellName(cell))] + CodedValue(value).values)
            try statement.run()
        }
    }

    private func deleteLayer(_ edit: EditID, _ key: Int64) throws(SQLiteError) {
        try run(
            """
            DELETE FROM restway_layers WHERE key = ?1
                AND edit = (SELECT id FROM restway_edits WHERE outbox = ?2 AND number = ?3)
            """, key, edit.outbox, edit.number)
    }

    private func write(
        _ layer: Cover.Layer, _ key: Int64, _ table: TableAccess
    ) throws(SQLiteError) {
        try deleteLayer(layer.edit, key)
        try run(
            """
            INSERT INTO restway_layers (key, edit, entity, made, hides, active, parked)
            SELECT ?1, id, ?4, ?5, ?6, ?7, ?8 FROM restway_edits WHERE outbox = ?2 AND number = ?3
            """, key, layer.edit.outbox, layer.edit.number, table.layout.number,
            layer.made ? 1 : 0, layer.hides ? 1 : 0, layer.isActive ? 1 : 0,
            layer.isParked ? 1 : 0)
        for (cell, values) in layer.cells {
            let statement = try statement(
                """
                INSERT INTO restway_layer_cells SELECT restway_layers.id, ?4, ?5, ?6, ?7, ?8
                FROM restway_layers JOIN restway_edits AS edits ON edits.id = edit
                WHERE key = ?1 AND outbox = ?2 AND edits.number = ?3
                """)
            statement.bind(
                [
                    .integer(key), .integer(layer.edit.outbox), .integer(layer.edit.number),
                    .text(table.layout.entity.cellName(cell)),
                ] + CodedValue(values.before).values + CodedValue(values.after).values)
            try statement.run()
        }
    }

    /// Deletes the edits of objects, but not the edits themselves.
    func deleteAllLayers() throws(SQLiteError) {
        try run("DELETE FROM restway_layers")
        try run("DELETE FROM restway_base")
    }
}

extension CodedValue {
    /// The letter and the content as SQLite stores them.
    fileprivate var values: [Statement.Value] {
        let content: Statement.Value =
            switch content {
            case .none: .null
            case .integer(let integer): .integer(integer)
            case .text(let text): .text(text)
            case .bytes(let bytes): .bytes(bytes)
            }
        return [.text(letter), content]
    }
}

extension Statement {
    /// Returns the record of an edit in the columns of a row: its place, whether it is suspended,
    /// and whether it is parked.
    fileprivate func record(_ column: Int32) -> EditRecord {
        EditRecord(
            place: integer(column), isSuspended: integer(column + 1) != 0,
            isParked: integer(column + 2) != 0)
    }

    /// Returns the value in two columns of a row, the first of which has the letter of its type.
    fileprivate func value(_ column: Int32) -> RestwayObjects.Value {
        RestwayObjects.Value(
            letter: string(column) ?? "", integer: { integer(column + 1) },
            text: { string(column + 1) ?? "" }, bytes: { Array(bytes(column + 1)) })
    }
}
