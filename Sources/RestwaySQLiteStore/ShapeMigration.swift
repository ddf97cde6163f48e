import RestwayObjects
import RestwaySQLite

/// Notes the entities of families in a file, and moves the objects of an entity that now extends
/// another one from its own table into the table of the family.
struct ShapeMigration {
    let connection: Connection

    /// Gives a number to each shape without a number.
    func number(_ family: StoredFamily, _ table: StoreSchema.Table) throws(StoreError) {
        guard !family.base.family.isAlone else { return }
        var next = (table.shapes.values.max() ?? -1) + 1
        for entity in family.entities where table.shapes[entity.name] == nil {
            guard next < StoredShapes.shapesMax else {
                throw .incompatible(
                    path: connection.path,
                    reason: "entity \"\(family.base.name)\": the file knows "
                        + "\(StoredShapes.shapesMax) shapes of it already")
            }
            try StoreError.wrapping(
                connection.prepare(
                    "INSERT INTO restway_shapes (entity, number, name) VALUES (?1, ?2, ?3)",
                    .integer(table.number), .integer(Int64(next)), .text(entity.name)
                ).run())
            next += 1
        }
    }

    /// Moves the objects of `old`, the own table of a shape, into the table of its family. An
    /// object that both tables have is one object from now on: it keeps the values of the family's
    /// table, and takes the values that are absent there.
    func move(
        _ old: StoreSchema.Table, _ shape: Entity, into layout: TableLayout,
        _ table: StoreSchema.Table
    ) throws(SQLiteError) {
        let pairs = columns(old, layout, table)
        let shapes = shapesSQL(old, shape, table)
        try connection.run(
            "CREATE TEMP TABLE restway_moving (older INTEGER PRIMARY KEY, newer INTEGER NOT NULL)")
        if let index = layout.identityColumn, let pair = identityPair(pairs, old, layout) {
            try connection.run(
                """
                INSERT INTO restway_moving SELECT o._key, n._key FROM \(old.name.quotedForSQL) o
                JOIN \(layout.table.quotedForSQL) n
                ON n.\(layout.columnNames[index]) = \(pair.oldValue)
                WHERE o._anonymous IS NULL AND n._anonymous IS NULL
                """)
        }
        try insertNew(old, layout, pairs, shapes)
        try complete(old, layout, pairs, shapes)
        try moveUnloaded(old, layout)
        try redirect()
        try connection.run(
            "UPDATE restway_layers SET entity = \(layout.number) WHERE entity = \(old.number)")
        try connection.run("DROP TABLE restway_moving")
        try retire(old, shape)
    }

    /// A column or a table of links in both tables.
    private struct Pair {
        let old: StoreSchema.Column
        let new: StoreSchema.Column

        /// The value of the old row `o` in the type of the new column.
        var oldValue: String {
            guard let cases else { return column }
            if cases.isEmpty { return "NULL" }
            let values = cases.map { "WHEN \($0.condition) THEN \($0.value)" }
            return "CASE \(values.joined(separator: " ")) END"
        }

        /// The letter of the old row `o`; "-" for a row without a letter.
        var oldLetter: String {
            guard let cases else { return Self.letter("o", old.lastNumber) }
            if cases.isEmpty { return "'-'" }
            let letters = cases.map { each in
                let letter = each.letter.map { String(Character(UnicodeScalar($0))) } ?? "-"
                return "WHEN \(each.condition) THEN '\(letter)'"
            }
            return "CASE \(letters.joined(separator: " ")) ELSE '-' END"
        }

        private var column: String { "o.\(old.place.quotedForSQL)" }

        /// The values that mean the same in both types; `nil` if the types are equal.
        private var cases: [TypeChange.Case]? {
            guard new.kind == .attribute, old.type != new.type else { return nil }
            guard let type = AttributeType(rawValue: new.type) else { return [] }
            return TypeChange.cases(
                from: old.type, to: type, column, Self.letter("o", old.lastNumber))
        }

        /// The letter of the row `n` in the table of the family.
        var newLetter: String { Self.letter("n", new.number) }

        private static func letter(_ row: String, _ number: Int?) -> String {
            guard let number else { return "'-'" }
            return "coalesce(nullif(substr(\(row)._kinds, \(number + 1), 1), ''), '-')"
        }
    }

    private func columns(
        _ old: StoreSchema.Table, _ layout: TableLayout, _ table: StoreSchema.Table
    ) -> [Pair] {
        WantedColumn.all(of: layout.entity).compactMap { wanted in
            guard wanted.kind != .shapes,
                wanted.kind != .identity || old.identity == layout.entity.storedIdentity,
                let new = table.column(wanted.name, wanted.kind),
                let old = old.column(wanted.name, wanted.kind), old.number != nil
            else { return nil }
            return Pair(old: old, new: new)
        }
    }

    /// Returns the columns of the identity in both tables; `nil` if the old table has no such
    /// column.
    private func identityPair(
        _ pairs: [Pair], _ old: StoreSchema.Table, _ layout: TableLayout
    ) -> Pair? {
        let entity = layout.entity
        if entity.identityParts != nil { return pairs.first { $0.new.kind == .identity } }
        return entity.identityIndex.flatMap { index in
            pairs.first { $0.new.name == entity.attributes[index].name }
        }
    }

    /// Returns SQL for the shapes of the old row `o`, with their numbers in the family's table.
    private func shapesSQL(
        _ old: StoreSchema.Table, _ shape: Entity, _ table: StoreSchema.Table
    ) -> String {
        var own: Int64 = 0
        for (number, member) in shape.family.members.enumerated()
        where shape.shape.shapes.contains(number) {
            if let place = table.shapes[member.name] { own |= 1 << Int64(place) }
        }
        var terms = [String(own)]
        if let column = old.columns.first(where: { $0.kind == .shapes })?.place.quotedForSQL {
            for (name, number) in old.shapes {
                guard let place = table.shapes[name] else { continue }
                terms.append("((coalesce(o.\(column), 0) >> \(number) & 1) << \(place))")
            }
        }
        return "(" + terms.joined(separator: " | ") + ")"
    }

    private func insertNew(
        _ old: StoreSchema.Table, _ layout: TableLayout, _ pairs: [Pair], _ shapes: String
    ) throws(SQLiteError) {
        let scalars = pairs.filter { $0.new.kind != .many }
        let letters = (0..<layout.letterCount).map { number in
            pairs.first { $0.new.number == number }?.oldLetter ?? "'-'"
        }
        guard let shapesColumn = layout.shapes?.columnName else { return }
        let names = ["_key", "_kinds", "_anonymous", shapesColumn]
            + scalars.map(\.new.place.quotedForSQL)
        let values = ["o._key", letters.joined(separator: " || "), "o._anonymous", shapes]
            + scalars.map(\.oldValue)
        try connection.run(
            """
            INSERT INTO \(layout.table.quotedForSQL) (\(names.joined(separator: ", ")))
            SELECT \(values.joined(separator: ", ")) FROM \(old.name.quotedForSQL) o
            WHERE o._key NOT IN (SELECT older FROM restway_moving)
            """)
        for pair in pairs where pair.new.kind == .many {
            try connection.run(
                """
                INSERT OR IGNORE INTO \(pair.new.place.quotedForSQL) (owner, position, target)
                SELECT owner, position, target FROM \(pair.old.place.quotedForSQL)
                WHERE owner IN (SELECT _key FROM \(old.name.quotedForSQL))
                AND owner NOT IN (SELECT older FROM restway_moving)
                """)
        }
    }

    /// Gives the objects that both tables have what is absent in the table of the family.
    private func complete(
        _ old: StoreSchema.Table, _ layout: TableLayout, _ pairs: [Pair], _ shapes: String
    ) throws(SQLiteError) {
        guard let shapesColumn = layout.shapes?.columnName else { return }
        let both = """
            FROM restway_moving m JOIN \(old.name.quotedForSQL) o ON o._key = m.older
            WHERE m.newer = n._key
            """
        let absent = String(repeating: "-", count: layout.letterCount)
        for pair in pairs {
            guard let number = pair.new.number else { continue }
            let (own, its) = (pair.new.place.quotedForSQL, pair.old.place.quotedForSQL)
            var changes: [String] = []
            var condition = "\(pair.newLetter) = '-'"
            if pair.new.kind == .many {
                condition += " AND n._key NOT IN (SELECT owner FROM \(own))"
            } else {
                condition += " AND n.\(own) IS NULL"
                changes.append("\(own) = \(pair.oldValue)")
            }
            changes.append(
                "_kinds = substr(coalesce(n._kinds, '') || '\(absent)', 1, \(number)) || "
                    + "\(pair.oldLetter) || substr(coalesce(n._kinds, ''), \(number + 2))")
            if pair.new.kind == .many {
                try connection.run(
                    """
                    INSERT INTO \(own) (owner, position, target)
                    SELECT n._key, l.position, l.target FROM restway_moving m
                    JOIN \(layout.table.quotedForSQL) n ON n._key = m.newer
                    JOIN \(its) l ON l.owner = m.older
                    WHERE \(condition)
                    """)
            }
            try connection.run(
                """
                UPDATE \(layout.table.quotedForSQL) AS n SET \(changes.joined(separator: ", "))
                \(both) AND \(pair.newLetter) = '-'\(
                    pair.new.kind == .many ? "" : " AND n.\(own) IS NULL")
                """)
        }
        try connection.run(
            """
            UPDATE \(layout.table.quotedForSQL) AS n
            SET \(shapesColumn) = coalesce(n.\(shapesColumn), 0) | \(shapes) \(both)
            """)
    }

    /// Moves the notes about the objects that only links have named. An object that both tables
    /// have is loaded if it is loaded in one of them.
    private func moveUnloaded(
        _ old: StoreSchema.Table, _ layout: TableLayout
    ) throws(SQLiteError) {
        try connection.run(
            """
            DELETE FROM restway_unloaded WHERE entity = \(layout.number) AND key IN (
                SELECT newer FROM restway_moving WHERE older NOT IN (
                    SELECT key FROM restway_unloaded WHERE entity = \(old.number)));
            DELETE FROM restway_unloaded WHERE entity = \(old.number)
            AND key IN (SELECT older FROM restway_moving);
            UPDATE restway_unloaded SET entity = \(layout.number) WHERE entity = \(old.number)
            """)
    }

    /// Lets links and lists of the objects that both tables had lead to the object that stays. The
    /// layers of pending edits end with the other object; the edits themselves go on.
    private func redirect() throws(SQLiteError) {
        try connection.run(
            """
            INSERT OR REPLACE INTO restway_redirections SELECT older, newer FROM restway_moving;
            DELETE FROM restway_unsent WHERE key IN (SELECT older FROM restway_moving);
            UPDATE OR IGNORE restway_remembered SET key =
                (SELECT newer FROM restway_moving WHERE older = key)
            WHERE key IN (SELECT older FROM restway_moving);
            DELETE FROM restway_remembered WHERE key IN (SELECT older FROM restway_moving);
            DELETE FROM restway_versions WHERE key IN (SELECT older FROM restway_moving);
            DELETE FROM restway_layers WHERE key IN (SELECT older FROM restway_moving);
            DELETE FROM restway_base WHERE key IN (SELECT older FROM restway_moving)
            """)
    }

    /// Empties the own table of a shape. It stays under a name that no entity has, because an
    /// earlier document may have given it columns that no object uses now.
    private func retire(_ old: StoreSchema.Table, _ shape: Entity) throws(SQLiteError) {
        for column in old.columns where column.kind == .many {
            try connection.run("DELETE FROM \(column.place.quotedForSQL)")
        }
        try connection.run("DELETE FROM \(old.name.quotedForSQL)")
        try connection.prepare(
            "UPDATE restway_entities SET name = ?2 WHERE number = ?1",
            .integer(old.number), .text("\(shape.name) moved \(old.number)")
        ).run()
    }
}
