import RestwayObjects
import RestwaySQLite

/// Makes tables and columns in a file for everything that the entities of a document hold.
///
/// Columns that the document no longer needs stay, with their values. The caller has opened a
/// transaction for all of it.
struct SchemaMigration {
    let connection: Connection
    /// The name of SQLite's module for full text searches.
    private let textModule: String
    /// The names of tables in lower case, because SQLite ignores the case of names.
    private var tableNames: Set<String>
    /// The earlier columns of attributes that have got another type, by attribute.
    private var olderPlaces: [String: String] = [:]

    init(_ connection: Connection, textModule: String) throws(SQLiteError) {
        self.connection = connection
        self.textModule = textModule
        tableNames = try Self.names(connection.prepare("SELECT name FROM sqlite_schema"))
    }

    mutating func run(_ entities: [Entity]) throws(StoreError) {
        let families = StoredFamily.all(entities)
        let shapes = ShapeMigration(connection: connection)
        var schema = try StoreError.wrapping(StoreSchema(reading: connection))
        for family in families where schema.tables[family.base.name] == nil {
            try StoreError.wrapping(create(family.base))
        }
        schema = try StoreError.wrapping(StoreSchema(reading: connection))
        for family in families where schema.layout(family) == nil {
            guard let table = schema.tables[family.base.name] else { continue }
            try shapes.number(family, table)
            try change(table, for: family.base)
        }
        try moveShapes(families, shapes)
    }

    /// Moves the objects of entities that have become shapes of other entities.
    private func moveShapes(
        _ families: [StoredFamily], _ shapes: ShapeMigration
    ) throws(StoreError) {
        for family in families {
            for shape in family.entities.dropFirst() {
                let schema = try StoreError.wrapping(StoreSchema(reading: connection))
                guard let old = schema.tables[shape.name] else { continue }
                guard let table = schema.tables[family.base.name],
                    let layout = schema.layout(family, isMoving: true)
                else { continue }
                try StoreError.wrapping(shapes.move(old, shape, into: layout, table))
                if let parts = layout.entity.identityParts, let column = layout.identityColumn,
                    old.identity != layout.entity.storedIdentity
                {
                    let names = parts.attributes.map { layout.columnNames[$0] }
                    try StoreError.wrapping(
                        compose(parts, layout.columnNames[column], names, table))
                }
            }
        }
    }

    // MARK: New tables

    /// Makes a table with its columns. SQLite reads the whole schema again for each column that is
    /// added to a table later.
    private mutating func create(_ entity: Entity) throws(SQLiteError) {
        let table = Self.free(entity.name, &tableNames)
        var taken = Self.ownColumns.union(Self.rowNames)
        let wanted = WantedColumn.all(of: entity).filter { $0.kind != .many }
        // Too many columns are refused later, with a message that names the entity.
        let columns =
            wanted.count + Self.ownColumns.count > connection.columnsMax
            ? [] : wanted.map { (column: $0, place: Self.free($0.name, &taken)) }
        let declarations = columns.map {
            ", \($0.place.quotedForSQL) \($0.column.coding.declaration)"
        }
        try connection.run(
            """
            CREATE TABLE \(table.quotedForSQL) (
                _key INTEGER PRIMARY KEY, _kinds TEXT, _anonymous INTEGER\(declarations.joined()))
            """)
        try connection.prepare(
            """
            INSERT INTO restway_entities (name, place, identity, nextNumber)
            VALUES (?1, ?2, NULL, ?3)
            """, .text(entity.name), .text(table), .integer(Int64(columns.count))
        ).run()
        try StoreSchema.noteThatUnloadedAreNoted(
            try connection.integer("SELECT last_insert_rowid()") ?? 0, connection)
        for (number, (column, place)) in columns.enumerated() {
            try connection.prepare(
                """
                INSERT INTO restway_columns
                SELECT number, ?2, ?3, ?4, ?5, ?6 FROM restway_entities WHERE name = ?1
                """, .text(entity.name), .text(column.name), .text(column.kind.rawValue),
                .text(column.type), .text(place), .integer(Int64(number))
            ).run()
        }
    }

    /// The columns that every table has.
    private static let ownColumns: Set<String> = ["_key", "_kinds", "_anonymous"]
    /// The names by which SQLite finds the number of a row, if no column has them.
    private static let rowNames: Set<String> = ["rowid", "oid", "_rowid_"]

    // MARK: Tables that are there

    private mutating func change(
        _ table: StoreSchema.Table, for entity: Entity
    ) throws(StoreError) {
        let wanted = WantedColumn.all(of: entity)
        try refuseTooManyColumns(wanted, table, entity)
        olderPlaces = [:]
        // The columns of the attributes have the places of the attributes.
        let place = entity.identityIndex.flatMap { cell in
            wanted.firstIndex { $0.cell == cell }
        }
        let identity = place.map { wanted[$0] }
        let isOther = table.identity != entity.storedIdentity
        let oldType = identity.flatMap { table.column($0.name, $0.kind)?.type }
        let needsIndex = isOther || oldType != nil && oldType != identity?.type
        let index = "\(table.name)._identity".quotedForSQL
        if needsIndex { try StoreError.wrapping(connection.run("DROP INDEX IF EXISTS \(index)")) }
        let (places, nextNumber) = try StoreError.wrapping(change(table, to: wanted))
        if needsIndex, let place, let identity {
            if let parts = entity.identityParts {
                try StoreError.wrapping(
                    compose(
                        parts, places[place].quotedForSQL,
                        parts.attributes.map { places[$0].quotedForSQL }, table))
            }
            try makeIdentityIndex(
                index, entity, identity.name, places[place], table, checksLosses: !isOther)
        }
        try StoreError.wrapping(changeTextIndex(table, entity, places))
        try StoreError.wrapping(
            connection.prepare(
                "UPDATE restway_entities SET identity = ?2, nextNumber = ?3 WHERE number = ?1",
                .integer(table.number), .text(entity.storedIdentity), .integer(Int64(nextNumber))
            ).run())
    }

    /// Makes or changes the columns of a table.
    ///
    /// - Returns: The places of the wanted columns, and the number that the next column gets.
    private mutating func change(
        _ table: StoreSchema.Table, to wanted: [WantedColumn]
    ) throws(SQLiteError) -> (places: [String], nextNumber: Int) {
        for column in table.columns where column.number != nil {
            if !wanted.contains(where: { $0.name == column.name && $0.kind == column.kind }) {
                let number = column.lastNumber.map(StoreSchema.resting)
                try record(column.name, column.kind, column.type, column.place, number, table)
            }
        }
        var places: [String] = []
        var nextNumber = table.nextNumber
        for column in wanted {
            let old = table.column(column.name, column.kind)
            let other = column.other.flatMap { table.column(column.name, $0) }
            // If the relationship changed between one object and many, the form that the document
            // had last counts.
            let isOutdated = (other?.lastNumber ?? -1) > (old?.lastNumber ?? -1)
            let (place, number): (String, Int)
            if let old, old.type == column.type || column.kind != .attribute, !isOutdated {
                (place, number) = (old.place, old.lastNumber ?? nextNumber)
            } else {
                number = nextNumber
                place = try self.place(column, old, table, number)
                if let other { try takeLinks(column, place, other, table, nextNumber) }
            }
            try record(column.name, column.kind, column.type, place, number, table)
            places.append(place)
            nextNumber = max(nextNumber, number + 1)
        }
        return (places, nextNumber)
    }

    /// Refuses too many columns with a clear message, because SQLite's own error does not say more.
    private func refuseTooManyColumns(
        _ wanted: [WantedColumn], _ table: StoreSchema.Table, _ entity: Entity
    ) throws(StoreError) {
        let count = try StoreError.wrapping(columnNames(table)).count
        let added = wanted.count { column in
            guard column.kind != .many else { return false }
            guard let old = table.column(column.name, column.kind) else { return true }
            return column.kind == .attribute && old.type != column.type
        }
        guard count + added > connection.columnsMax else { return }
        throw .incompatible(
            path: connection.path,
            reason: "entity \"\(entity.name)\": its table would have \(count + added) columns, and "
                + "SQLite allows \(connection.columnsMax)")
    }

    /// Returns the place of a column that is new, outdated, or of another type than `old`.
    private mutating func place(
        _ column: WantedColumn, _ old: StoreSchema.Column?, _ table: StoreSchema.Table,
        _ number: Int
    ) throws(SQLiteError) -> String {
        if column.kind != .attribute, let old { return old.place }
        if column.kind == .many { return try addLinks(column, table) }
        var names = try columnNames(table).union(Self.rowNames)
        let tableName = table.name.quotedForSQL
        var place = column.name
        if let old {
            // The current column gets the name, and the earlier one stays beside it under another
            // name.
            let renamed = Self.free("\(column.name)_was_\(old.type)", &names)
            try connection.run(
                "ALTER TABLE \(tableName) RENAME COLUMN \(old.place.quotedForSQL) TO "
                    + renamed.quotedForSQL)
            olderPlaces[column.name] = renamed
            place = old.place
        } else {
            place = Self.free(column.name, &names)
        }
        try connection.run(
            "ALTER TABLE \(tableName) ADD COLUMN \(place.quotedForSQL) "
                + column.coding.declaration)
        if let old, let older = olderPlaces[column.name], let type = column.coding.type {
            let cases = TypeChange.cases(
                from: old.type, to: type, older.quotedForSQL, Self.letter(old.lastNumber))
            let values = cases.map { "WHEN \($0.condition) THEN \($0.value)" }
            let letters = cases.map { "WHEN \($0.condition) THEN \(Self.kinds($0.letter, number))" }
            try connection.run(
                """
                UPDATE \(tableName) SET
                    \(place.quotedForSQL) = CASE \(values.joined(separator: " ")) END,
                    _kinds = CASE \(letters.joined(separator: " ")) ELSE _kinds END
                """)
        }
        return place
    }

    private mutating func addLinks(
        _ column: WantedColumn, _ table: StoreSchema.Table
    ) throws(SQLiteError) -> String {
        let place = Self.free("\(table.name)__\(column.name)", &tableNames)
        try connection.run(
            """
            CREATE TABLE \(place.quotedForSQL) (
                owner INTEGER NOT NULL, position INTEGER NOT NULL, target INTEGER NOT NULL,
                PRIMARY KEY (owner, position)) WITHOUT ROWID
            """)
        return place
    }

    /// Fills a relationship that has changed between one object and many from its earlier form
    /// `other`. Null and an empty list are treated as equal.
    private func takeLinks(
        _ column: WantedColumn, _ place: String, _ other: StoreSchema.Column,
        _ table: StoreSchema.Table, _ number: Int
    ) throws(SQLiteError) {
        let (name, own, its) = (
            table.name.quotedForSQL, place.quotedForSQL, other.place.quotedForSQL
        )
        let itsLetter = Self.letter(other.lastNumber)
        if column.kind == .one {
            let first = "(SELECT target FROM \(its) WHERE owner = _key ORDER BY position LIMIT 1)"
            try connection.run(
                """
                UPDATE \(name) SET \(own) = \(first),
                    _kinds = CASE WHEN \(first) IS NULL AND \(itsLetter) IN ('l', '0')
                        THEN \(Self.kinds(ColumnCoding.Letter.null, number)) ELSE _kinds END
                """)
            return
        }
        // A list that begins with the single object is still valid from before, and is kept.
        try connection.run(
            """
            DELETE FROM \(own) WHERE owner NOT IN (
                SELECT _key FROM \(name) WHERE \(its) = (
                    SELECT target FROM \(own) WHERE owner = _key ORDER BY position LIMIT 1));
            INSERT INTO \(own) SELECT _key, 0, \(its) FROM \(name)
            WHERE \(its) IS NOT NULL AND _key NOT IN (SELECT owner FROM \(own));
            UPDATE \(name) SET _kinds = \(Self.kinds(ColumnCoding.Letter.list, number))
            WHERE \(its) IS NULL AND \(itsLetter) = '0'
            """)
    }

    // MARK: Letters, in SQL

    /// Returns SQL for the letter with this number in a row.
    private static func letter(_ number: Int?) -> String {
        number.map { "coalesce(substr(_kinds, \($0 + 1), 1), '')" } ?? "''"
    }

    /// Returns SQL for the letters of a row with one more letter at `number`, which is above all
    /// other numbers.
    private static func kinds(_ letter: UInt8?, _ number: Int) -> String {
        guard let letter else { return "_kinds" }
        let absent = String(repeating: "-", count: number)
        return "substr(coalesce(_kinds, '') || '\(absent)', 1, \(number)) || "
            + "'\(Character(UnicodeScalar(letter)))'"
    }

    private func record(
        _ name: String, _ kind: StoreSchema.Column.Kind, _ type: String, _ place: String,
        _ number: Int?, _ table: StoreSchema.Table
    ) throws(SQLiteError) {
        try connection.prepare(
            "INSERT OR REPLACE INTO restway_columns VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            .integer(table.number), .text(name), .text(kind.rawValue), .text(type), .text(place),
            .integer(number.map { Int64($0) })
        ).run()
    }

    // MARK: The identity

    /// Writes identities of several parts into their column.
    ///
    /// - Parameters:
    ///   - column: The quoted name of the column.
    ///   - parts: The quoted names of the columns of the parts, in the order of the parts.
    private func compose(
        _ identity: IdentityParts, _ column: String, _ parts: [String],
        _ table: StoreSchema.Table
    ) throws(SQLiteError) {
        let name = table.name.quotedForSQL
        try connection.run("UPDATE \(name) SET \(column) = NULL")
        guard !parts.isEmpty else { return }
        let codings = identity.parts.map { ColumnCoding($0.type) }
        let columns = parts.joined(separator: ", ")
        let rows = try connection.prepare("SELECT _key, \(columns) FROM \(name)")
        let change = try connection.prepare("UPDATE \(name) SET \(column) = ?2 WHERE _key = ?1")
        var found: [(key: Int64, text: String)] = []
        while try rows.step() {
            var cells: [Int: Cell] = [:]
            for (place, part) in identity.parts.enumerated() {
                cells[part.attribute] = codings[place].read(rows, Int32(place + 1), nil)
            }
            guard let text = identity.text({ cells[$0] ?? .absent }) else { continue }
            found.append((rows.integer(0), String(decoding: text, as: UTF8.self)))
        }
        for (key, text) in found {
            change.bind(1, key)
            change.bind(2, text)
            try change.run()
        }
    }

    private func makeIdentityIndex(
        _ name: String, _ entity: Entity, _ attribute: String, _ place: String,
        _ table: StoreSchema.Table, checksLosses: Bool
    ) throws(StoreError) {
        let shown = entity.identityParts == nil ? "\"\(attribute)\"" : entity.identityNames
        let type = entity.identityType ?? .any
        let (tableName, column) = (table.name.quotedForSQL, place.quotedForSQL)
        func refusal(_ why: String) -> StoreError {
            .incompatible(
                path: connection.path,
                reason: "entity \"\(entity.name)\": \(shown) cannot become the identity"
                    + (entity.identityParts == nil ? " of type \(type.rawValue)" : "")
                    + ": \(why)")
        }
        if checksLosses, let old = olderPlaces[attribute]?.quotedForSQL {
            let lost = try StoreError.wrapping(
                connection.integer(
                    """
                    SELECT count(*) FROM \(tableName)
                    WHERE \(old) IS NOT NULL AND \(column) IS NULL AND _anonymous IS NULL
                    """))
            if let lost, lost > 0 {
                throw refusal("\(lost) objects have a value that does not fit this type")
            }
        }
        do throws(SQLiteError) {
            try connection.run(
                """
                UPDATE \(tableName) SET _anonymous =
                    CASE WHEN typeof(\(column)) IN ('null', 'integer', 'text') THEN NULL ELSE 1 END;
                CREATE UNIQUE INDEX \(name) ON \(tableName) (\(column))
                WHERE _anonymous IS NULL
                """)
        } catch {
            throw error.isConstraint
                ? refusal("two objects would have the same identity") : StoreError(error)
        }
    }

    // MARK: The text index

    /// Makes the index of the texts anew if its columns have changed.
    private func changeTextIndex(
        _ table: StoreSchema.Table, _ entity: Entity, _ places: [String]
    ) throws(SQLiteError) {
        let index = TextIndex(
            table: table.name, columnNames: entity.fullText.map { places[$0].quotedForSQL })
        let wanted = entity.fullText.isEmpty ? nil : index.columns
        let isRenamed = entity.fullText.contains { olderPlaces[entity.attributes[$0].name] != nil }
        guard wanted != table.textColumns || wanted != nil && isRenamed else { return }
        if table.textColumns != nil { try index.drop(connection) }
        if wanted != nil { try index.create(connection, textModule) }
        let name = StoreSchema.textIndexName(table.number)
        try connection.prepare("DELETE FROM restway_store WHERE name = ?1", .text(name)).run()
        guard let wanted else { return }
        try connection.prepare(
            "INSERT INTO restway_store VALUES (?1, ?2)", .text(name), .text(wanted)
        ).run()
    }

    // MARK: Names

    private func columnNames(_ table: StoreSchema.Table) throws(SQLiteError) -> Set<String> {
        try Self.names(
            connection.prepare("SELECT name FROM pragma_table_info(?1)", .text(table.name)))
    }

    /// Returns the names that a query finds, in lower case.
    private static func names(_ rows: Statement) throws(SQLiteError) -> Set<String> {
        var names: Set<String> = []
        while try rows.step() { names.insert((rows.string(0) ?? "").lowercased()) }
        return names
    }

    /// Returns `name`, or a similar name that is not taken yet. SQLite does not distinguish "Name"
    /// from "name".
    private static func free(_ name: String, _ taken: inout Set<String>) -> String {
        var wanted = String(name.unicodeScalars.map { $0 == "\0" ? "_" : Character($0) })
        let lowered = wanted.lowercased()
        if lowered.hasPrefix("sqlite_") || lowered.hasPrefix("restway_") { wanted = "_" + wanted }
        var candidate = wanted
        var number = 2
        while !taken.insert(candidate.lowercased()).inserted {
            candidate = "\(wanted)_\(number)"
            number += 1
        }
        return candidate
    }
}

/// Converts the values of an attribute that gets another type.
enum TypeChange {
    /// The rows whose value has a meaning in both types.
    struct Case {
        let condition: String
        /// The value for the new column.
        let value: String
        /// The letter for the new column in `_kinds`; `nil` if the value needs no letter.
        var letter: UInt8?
    }

    /// Returns the cases in SQL. If several conditions hold, the first one counts. Values that are
    /// lost come back with the next response.
    ///
    /// - Parameters:
    ///   - old: The type as the file names it. It may be a type of a later version.
    ///   - column: The column with the values.
    ///   - letter: The letter in `_kinds`; never null.
    static func cases(
        from old: String, to new: AttributeType, _ column: String, _ letter: String
    ) -> [Case] {
        typealias Letter = ColumnCoding.Letter
        let null = Case(
            condition: "\(column) IS NULL AND \(letter) = '0'", value: "NULL", letter: Letter.null)
        let isInteger = "typeof(\(column)) = 'integer'"
        let isInt = "\(isInteger) AND \(letter) NOT IN ('b', 't')"
        let isBool = "\(isInteger) AND \(letter) = 'b'"
        let isDate = "\(isInteger) AND \(letter) = 't'"
        let isNumber = "typeof(\(column)) = 'real'"
        let asInteger = "CAST(\(column) AS INTEGER)"
        // Doubles of this size represent every integer exactly.
        let isWhole =
            "\(isNumber) AND abs(\(column)) < 9e15 AND CAST(\(asInteger) AS REAL) = \(column)"
        let isText = "typeof(\(column)) = 'text'"
        let isString = "\(isText) AND \(letter) <> 'j'"
        let isIntegerText = "\(isString) AND CAST(\(asInteger) AS TEXT) = \(column)"
        func same(_ condition: String, _ letter: UInt8? = nil) -> Case {
            Case(condition: condition, value: column, letter: letter)
        }
        func cast(_ condition: String, _ type: String) -> Case {
            Case(condition: condition, value: "CAST(\(column) AS \(type))")
        }
        let values: [Case] =
            switch (AttributeType(rawValue: old), new) {
            case (.bool, .any): [same(isInteger, Letter.bool)]
            case (.date, .any): [same(isInteger, Letter.date)]
            case (.json, .any): [same("\(isText) AND \(letter) <> 's'", Letter.json), same(isText)]
            case (.int, .any): [same(isInt)]
            case (.double, .any): [same(isNumber)]
            case (.string, .any): [same(isString)]
            case (.bytes, .any), (.any, .bytes): [same("typeof(\(column)) = 'blob'")]
            case (.any, .int): [same(isInt), cast(isIntegerText, "INTEGER")]
            case (.bool, .int): [same(isInteger)]
            case (.double, .int): [cast(isWhole, "INTEGER")]
            case (.string, .int): [cast(isIntegerText, "INTEGER")]
            case (.any, .bool): [same(isBool), same("\(isInt) AND \(column) IN (0, 1)")]
            case (.int, .bool): [same("\(isInt) AND \(column) IN (0, 1)")]
            case (.any, .double), (.int, .double):
                [cast(isInt, "REAL"), same(isNumber)]
            case (.any, .string), (.int, .string): [same(isString), cast(isInt, "TEXT")]
            case (.any, .date): [same(isDate)]
            case (.any, .json): [same("\(isText) AND \(letter) = 'j'")]
            default: []
            }
        return [null] + values
    }
}
