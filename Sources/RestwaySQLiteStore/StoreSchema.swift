import RestwayJSON
import RestwayObjects
import RestwaySQLite

/// The file's description of its tables, from `restway_entities` and `restway_columns`.
struct StoreSchema {
    /// The description of an attribute or a relationship.
    struct Column {
        enum Kind: String {
            case attribute, one, many
            /// The column that says which shapes have brought an object.
            case shapes
            /// The column of an identity of several parts.
            case identity
        }

        let name: String
        let kind: Kind
        /// The type of an attribute, or the entity at the other end of a relationship.
        let type: String
        /// The name of its column or of its table of links.
        let place: String
        /// Its place among the letters; `nil` while the document does not have it.
        let number: Int?
        /// The place that it has or had last. Its letters stay in the rows.
        let lastNumber: Int?
    }

    struct Table {
        let number: Int64
        let name: String
        var columns: [Column] = []
        /// The attribute that is the identity, or the parts of the identity as JSON
        /// (`Entity.storedIdentity`).
        let identity: String?
        let nextNumber: Int
        /// The columns of its text index; `nil` if it has no text index.
        var textColumns: String?
        /// Whether `restway_unloaded` has its unloaded objects. An older
        /// table has to be searched for them first.
        var notesUnloaded = false
        /// The numbers of the shapes of its family, by their names.
        var shapes: [String: Int] = [:]

        func column(_ name: String, _ kind: Column.Kind) -> Column? {
            columns.first { $0.name == name && $0.kind == kind }
        }
    }

    static let applicationID: Int32 = 0x5273_7477  // "Rstw"

    static let migrations = Migrations(
        applicationID: applicationID,
        steps: [
            """
            CREATE TABLE restway_store (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
            CREATE TABLE restway_entities (
                number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, place TEXT NOT NULL,
                identity TEXT, nextNumber INTEGER NOT NULL);
            CREATE TABLE restway_columns (
                entity INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
                type TEXT NOT NULL, place TEXT NOT NULL, number INTEGER,
                PRIMARY KEY (entity, name, kind)) WITHOUT ROWID;
            CREATE TABLE restway_unsent (key INTEGER PRIMARY KEY);
            CREATE TABLE restway_redirections (older INTEGER PRIMARY KEY, newer INTEGER NOT NULL);
            """,
            """
            CREATE TABLE restway_lists (
                number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, entity TEXT NOT NULL,
                state TEXT NOT NULL);
            CREATE TABLE restway_list_items (
                list INTEGER NOT NULL, position INTEGER NOT NULL, key INTEGER NOT NULL,
                PRIMARY KEY (list, position)) WITHOUT ROWID;
            CREATE UNIQUE INDEX restway_list_keys ON restway_list_items (list, key);
            """,
            // Each set of remembered variables stands once, with the number of its objects.
            """
            CREATE TABLE restway_variables (
                number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, objects INTEGER NOT NULL);
            CREATE TABLE restway_remembered (
                key INTEGER PRIMARY KEY, variables INTEGER NOT NULL);
            CREATE TRIGGER restway_remembered_new AFTER INSERT ON restway_remembered BEGIN
                UPDATE restway_variables SET objects = objects + 1 WHERE number = new.variables;
            END;
            CREATE TRIGGER restway_remembered_gone AFTER DELETE ON restway_remembered BEGIN
                UPDATE restway_variables SET objects = objects - 1 WHERE number = old.variables;
                DELETE FROM restway_variables WHERE number = old.variables AND objects < 1;
            END;
            CREATE TRIGGER restway_remembered_other AFTER UPDATE ON restway_remembered BEGIN
                UPDATE restway_variables SET objects = objects + 1 WHERE number = new.variables;
                UPDATE restway_variables SET objects = objects - 1 WHERE number = old.variables;
                DELETE FROM restway_variables WHERE number = old.variables AND objects < 1;
            END;
            """,
            // The shapes of families, and their places in the columns `_shapes`.
            """
            CREATE TABLE restway_shapes (
                entity INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL,
                PRIMARY KEY (entity, number), UNIQUE (entity, name)) WITHOUT ROWID;
            """,
            // The objects that only links have named.
            """
            CREATE TABLE restway_unloaded (
                entity INTEGER NOT NULL, key INTEGER NOT NULL,
                PRIMARY KEY (entity, key)) WITHOUT ROWID;
            """,
            // The pending edits, their layers in objects, and the server's values under them.
            """
            CREATE TABLE restway_edits (
                id INTEGER PRIMARY KEY, outbox INTEGER NOT NULL, number INTEGER NOT NULL,
                place INTEGER NOT NULL, suspended INTEGER NOT NULL, UNIQUE (outbox, number));
            CREATE INDEX restway_edit_places ON restway_edits (place);
            CREATE TABLE restway_layers (
                id INTEGER PRIMARY KEY, key INTEGER NOT NULL, edit INTEGER NOT NULL,
                entity INTEGER NOT NULL, made INTEGER NOT NULL, hides INTEGER NOT NULL,
                active INTEGER NOT NULL, UNIQUE (key, edit));
            CREATE INDEX restway_layers_of_edits ON restway_layers (edit);
            CREATE INDEX restway_hiding_layers ON restway_layers (key) WHERE hides = 1;
            CREATE TABLE restway_layer_cells (
                layer INTEGER NOT NULL, name TEXT NOT NULL, beforeKind TEXT NOT NULL, beforeValue,
                afterKind TEXT NOT NULL, afterValue, PRIMARY KEY (layer, name)) WITHOUT ROWID;
            CREATE TRIGGER restway_layer_gone AFTER DELETE ON restway_layers BEGIN
                DELETE FROM restway_layer_cells WHERE layer = old.id;
            END;
            CREATE TABLE restway_base (
                key INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, value,
                PRIMARY KEY (key, name)) WITHOUT ROWID;
            """,
            // The edits that wait for a decision of the program, and the versions of objects.
            """
            ALTER TABLE restway_edits ADD COLUMN parked INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE restway_layers ADD COLUMN parked INTEGER NOT NULL DEFAULT 0;
            CREATE INDEX restway_parked_layers ON restway_layers (key) WHERE parked = 1;
            CREATE TABLE restway_versions (
                key INTEGER PRIMARY KEY, version TEXT NOT NULL, number INTEGER,
                current INTEGER NOT NULL, stale TEXT NOT NULL);
            """,
        ])

    /// The tables by the name of the entity.
    private(set) var tables: [String: Table] = [:]

    init(reading connection: Connection) throws(SQLiteError) {
        var nameOfNumber: [Int64: String] = [:]
        let entities = try connection.prepare(
            "SELECT number, name, place, identity, nextNumber FROM restway_entities")
        while try entities.step() {
            let name = entities.string(1) ?? ""
            nameOfNumber[entities.integer(0)] = name
            tables[name] = Table(
                number: entities.integer(0), name: entities.string(2) ?? "",
                identity: entities.string(3), nextNumber: Int(entities.integer(4)))
        }
        for (number, columns) in try Self.notes(Self.textIndexPrefix, connection) {
            if let name = nameOfNumber[number] { tables[name]?.textColumns = columns }
        }
        for (number, _) in try Self.notes(Self.unloadedPrefix, connection) {
            if let name = nameOfNumber[number] { tables[name]?.notesUnloaded = true }
        }
        let shapes = try connection.prepare("SELECT entity, number, name FROM restway_shapes")
        while try shapes.step() {
            guard let name = nameOfNumber[shapes.integer(0)] else { continue }
            tables[name]?.shapes[shapes.string(2) ?? ""] = Int(shapes.integer(1))
        }
        let columns = try connection.prepare(
            "SELECT entity, name, kind, type, place, number FROM restway_columns")
        while try columns.step() {
            let number = columns.storage(5) == .null ? nil : Int(columns.integer(5))
            guard let name = nameOfNumber[columns.integer(0)],
                let kind = Column.Kind(rawValue: columns.string(2) ?? "")
            else { continue }
            tables[name]?.columns.append(
                Column(
                    name: columns.string(1) ?? "", kind: kind, type: columns.string(3) ?? "",
                    place: columns.string(4) ?? "", number: number.flatMap { $0 < 0 ? nil : $0 },
                    lastNumber: number.map { $0 < 0 ? Self.resting($0) : $0 }))
        }
    }

    /// The name in `restway_store` under which the columns of an entity's text index stand.
    static func textIndexName(_ number: Int64) -> String { "\(textIndexPrefix)\(number)" }

    /// Notes in `restway_store` that `restway_unloaded` has the unloaded objects of an entity.
    static func noteThatUnloadedAreNoted(
        _ number: Int64, _ connection: Connection
    ) throws(SQLiteError) {
        try connection.prepare(
            "INSERT OR IGNORE INTO restway_store VALUES (?1, 1)",
            .text("\(unloadedPrefix)\(number)")
        ).run()
    }

    private static let textIndexPrefix = "textIndex."
    private static let unloadedPrefix = "unloaded."

    /// Returns the notes of one kind about entities, with the numbers of the entities.
    private static func notes(
        _ prefix: String, _ connection: Connection
    ) throws(SQLiteError) -> [(number: Int64, text: String?)] {
        let rows = try connection.prepare(
            "SELECT number, value FROM restway_store "
                + "JOIN restway_entities ON restway_store.name = ?1 || number", .text(prefix))
        var found: [(number: Int64, text: String?)] = []
        while try rows.step() { found.append((rows.integer(0), rows.string(1))) }
        return found
    }

    /// Whether the unloaded objects of a table have to be searched for, because the table is older
    /// than the notes about them.
    func needsSearchForUnloaded(_ layout: TableLayout) -> Bool {
        layout.unloaded != nil && tables[layout.entity.name]?.notesUnloaded == false
    }

    /// Converts a number to the form in which it is kept while the document does not use it, and
    /// back.
    static func resting(_ number: Int) -> Int { -1 - number }

    /// Returns the layout of a family; `nil` if the file has to be changed for it.
    ///
    /// - Parameter isMoving: Whether a shape may still have a table of its own.
    func layout(_ family: StoredFamily, isMoving: Bool = false) -> TableLayout? {
        let entity = family.base
        guard isMoving || family.entities.dropFirst().allSatisfy({ tables[$0.name] == nil })
        else { return nil }
        guard let table = tables[entity.name],
            table.identity == entity.storedIdentity,
            table.columns.count(where: { $0.number != nil }) == entity.cellCount
        else { return nil }
        var (names, columns): ([String], [TableLayout.Column]) = ([], [])
        var links: [TableLayout.Links] = []
        for wanted in WantedColumn.all(of: entity) {
            guard let column = table.column(wanted.name, wanted.kind),
                column.type == wanted.type, let number = column.number
            else { return nil }
            if wanted.kind == .many {
                links.append(.init(table: column.place, cell: wanted.cell, number: number))
            } else {
                names.append(column.place.quotedForSQL)
                columns.append(
                    .init(
                        cell: wanted.cell, number: number,
                        isIdentity: wanted.cell == entity.identityIndex, coding: wanted.coding))
            }
        }
        let textIndex =
            entity.fullText.isEmpty
            ? nil : TextIndex(table: table.name, columnNames: entity.fullText.map { names[$0] })
        guard textIndex?.columns == table.textColumns else { return nil }
        var shapes: StoredShapes?
        if !entity.family.isAlone {
            let cell = entity.valueCount
            guard let place = columns.firstIndex(where: { $0.cell == cell }),
                let known = StoredShapes(
                    family.entities, cell: cell, columnName: names[place], stored: table.shapes)
            else { return nil }
            shapes = known
        }
        let unloaded = UnloadedRows(
            family, number: table.number, table: table.name, columns, names, links,
            letterCount: table.nextNumber, shapes)
        return TableLayout(
            entity: entity, number: table.number, table: table.name, columnNames: names,
            columns: columns, links: links, letterCount: table.nextNumber,
            restingNumbers: table.columns.filter { $0.number == nil }.compactMap(\.lastNumber),
            textIndex: textIndex, shapes: shapes, unloaded: unloaded)
    }
}

/// An attribute or a relationship for which the file needs a place.
struct WantedColumn {
    let name: String
    let kind: StoreSchema.Column.Kind
    let type: String
    let cell: Int
    let coding: ColumnCoding

    static func all(of entity: Entity) -> [WantedColumn] {
        let attributes = entity.attributes.enumerated().map { index, attribute in
            WantedColumn(
                name: attribute.name, kind: .attribute, type: attribute.shape.storedName,
                cell: index, coding: ColumnCoding(attribute.type))
        }
        let relationships = entity.relationships.enumerated().map { index, relationship in
            WantedColumn(
                name: relationship.name, kind: relationship.isMany ? .many : .one,
                type: relationship.targetName, cell: entity.attributes.count + index,
                coding: .ofRelationship)
        }
        var all = attributes + relationships
        if !entity.family.isAlone {
            all.append(
                WantedColumn(
                    name: "_shapes", kind: .shapes, type: AttributeType.int.rawValue,
                    cell: entity.valueCount, coding: ColumnCoding(.int)))
        }
        if let cell = entity.identityIndex, entity.identityParts != nil {
            all.append(
                WantedColumn(
                    name: "_identity", kind: .identity, type: AttributeType.string.rawValue,
                    cell: cell, coding: ColumnCoding(.string)))
        }
        return all
    }

    /// The kind of the relationship if it led to many objects instead of one object, or to one
    /// object instead of many.
    var other: StoreSchema.Column.Kind? {
        switch kind {
        case .attribute, .shapes, .identity: nil
        case .one: .many
        case .many: .one
        }
    }
}

/// The places in the file where the objects of a family are stored.
struct TableLayout: Sendable {
    /// The column of an attribute or of a relationship to one object. It has no name, because
    /// the references of the name would be counted for each row.
    struct Column: Sendable {
        /// Its place among the cells of a snapshot.
        let cell: Int
        /// Its place among the letters of `_kinds`.
        let number: Int
        let isIdentity: Bool
        let coding: ColumnCoding
    }

    /// The table of a relationship to many objects.
    struct Links: Sendable {
        let table: String
        let cell: Int
        let number: Int
        let coding = ColumnCoding.ofRelationship
    }

    /// The base of the family.
    let entity: Entity
    /// The number of the entity in the file.
    let number: Int64
    let table: String
    /// The quoted names of `columns`.
    let columnNames: [String]
    /// The columns of the attributes in their order, then the columns of the relationships.
    let columns: [Column]
    let links: [Links]
    /// The most letters that a row may have.
    let letterCount: Int
    /// The numbers of attributes and relationships that the document no longer has. Their letters
    /// stay.
    let restingNumbers: [Int]
    /// The index of the texts; `nil` if the document names no attribute for full text searches.
    let textIndex: TextIndex?
    /// The shapes of the family; `nil` if it has only one.
    let shapes: StoredShapes?
    /// The objects that only links have named; `nil` if objects have no identity.
    let unloaded: UnloadedRows?
}

extension TableLayout {
    /// The place of the column of the identity among the columns; `nil` if objects have no
    /// identity.
    var identityColumn: Int? {
        // The columns of the attributes have the places of the attributes.
        entity.identityParts == nil
            ? entity.identityIndex : columns.firstIndex(where: \.isIdentity)
    }
}

extension Entity {
    /// The identity as the file describes it: the name of its attribute, or a JSON object with the
    /// names and the types of its parts.
    var storedIdentity: String? {
        guard let identityParts else { return identityIndex.map { attributes[$0].name } }
        var text = JSONText(capacity: 64)
        text.append("{")
        for (place, part) in identityParts.parts.enumerated() {
            if place > 0 { text.append(",") }
            text.append(string: part.name)
            text.append(":")
            text.append(string: part.type.rawValue)
        }
        text.append("}")
        return String(decoding: text.bytes, as: UTF8.self)
    }
}

extension String {
    /// The text as a quoted name in SQL.
    var quotedForSQL: String {
        var text = "\""
        for character in unicodeScalars {
            if character == "\"" { text += "\"" }
            text.unicodeScalars.append(character)
        }
        return text + "\""
    }
}
