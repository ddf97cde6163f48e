import RestwayObjects
import RestwaySQLite

/// The rows of the pending edits of items: what the requests changed in the object store. They are
/// kept until their items are gone.
extension JournalConnection {
    func insert(_ change: OutboxChange, item: Int64) throws(OutboxError) {
        for object in change.objects {
            let identity: Statement.Value =
                switch object.identity {
                case .integer(let integer): .integer(integer)
                case .string(let string): .text(string)
                case nil: .null
                }
            try run(
                "INSERT INTO edited (item, storeKey, store, entity, identity, made, hidden) "
                    + "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                .integer(item), .integer(object.storeKey), .integer(change.store),
                .text(object.entity), identity, .integer(object.isMade ? 1 : 0),
                .integer(object.isHidden ? 1 : 0))
            for cell in object.cells {
                try run(
                    "INSERT INTO change (item, storeKey, name, beforeKind, beforeValue, afterKind, "
                        + "afterValue) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                    [.integer(item), .integer(object.storeKey), .text(cell.name)]
                        + EditValue.coded(cell.before) + EditValue.coded(cell.after))
            }
        }
    }

    /// Deletes the rows of an item that is gone.
    func deleteEdit(of item: Int64) throws(OutboxError) {
        try run("DELETE FROM edited WHERE item = ?1", .integer(item))
        try run("DELETE FROM change WHERE item = ?1", .integer(item))
    }
}

extension JournalQueries {
    /// Returns the items that have a pending edit, oldest first.
    func editedItems() throws(OutboxError) -> [EditedItem] {
        try all(
            "SELECT id, edit, state, conflict IS NOT NULL FROM item WHERE edit IS NOT NULL "
                + "AND \(DeliveredItems.excluded) ORDER BY id"
        ) { row in
            EditedItem(
                item: row.integer(0), edit: row.integer(1),
                isDead: row.integer(2) == ItemRow.State.dead,
                isParked: row.integer(2) == ItemRow.State.parked,
                mayBeRewritten: row.integer(3) != 0)
        }
    }

    /// Returns the pending edit of an item; `nil` if it has none.
    func change(of item: Int64) throws(OutboxError) -> OutboxChange? {
        let edit = try first("SELECT edit FROM item WHERE id = ?1", .integer(item)) {
            $0.integerIfAny(0)
        }
        guard let edit = edit ?? nil else { return nil }
        var store: Int64 = 0
        var objects = try all(
            "SELECT storeKey, store, entity, identity, made, hidden FROM edited WHERE item = ?1",
            .integer(item)
        ) { row in
            store = row.integer(1)
            return OutboxChange.Object(
                entity: row.string(2) ?? "", storeKey: row.integer(0), identity: identity(row, 3),
                isMade: row.integer(4) != 0, isHidden: row.integer(5) != 0)
        }
        let cells = try all(
            "SELECT storeKey, name, beforeKind, beforeValue, afterKind, afterValue FROM change "
                + "WHERE item = ?1 ORDER BY name", .integer(item)
        ) { row in
            (row.integer(0), OutboxChange.Cell(
                name: row.string(1) ?? "", before: EditValue.read(row, 2),
                after: EditValue.read(row, 4)))
        }
        for (key, cell) in cells {
            guard let index = objects.firstIndex(where: { $0.storeKey == key }) else { continue }
            objects[index].cells.append(cell)
        }
        return OutboxChange(edit: edit, store: store, objects: objects)
    }

    private func identity(_ row: Statement, _ column: Int32) -> Identity? {
        row.integerIfAny(column).map { .integer($0) } ?? row.string(column).map { .string($0) }
    }
}

/// The pending edits of items, for the object store.
extension OutboxJournal {
    /// Whether an item has a pending edit.
    func holdsEdits() throws(OutboxError) -> Bool {
        try exists("SELECT 1 FROM item WHERE edit IS NOT NULL LIMIT 1")
    }

    // MARK: Accepted edits

    /// Returns the edits that the server has accepted of late. A store may still show one of them
    /// as pending: the store of another client, or one that has lost the answer in a power failure.
    func acceptedEdits() throws(OutboxError) -> Set<Int64> {
        Set(try all("SELECT edit FROM accepted") { $0.integer(0) })
    }

    /// Forgets the edits that were accepted before a time.
    func forgetEdits(acceptedBefore time: Int64) throws(OutboxError) {
        guard try exists("SELECT 1 FROM accepted WHERE at < ?1 LIMIT 1", .integer(time)) else {
            return
        }
        try writes.run { (transaction) throws(OutboxError) in
            try transaction.file.run("DELETE FROM accepted WHERE at < ?1", .integer(time))
        }
    }
}

/// A value of an edit as two columns of a row: a letter for its type, and the value as SQLite
/// stores it.
enum EditValue {
    static func coded(_ value: Value) -> [Statement.Value] {
        let coded = CodedValue(value)
        let content: Statement.Value =
            switch coded.content {
            case .none: .null
            case .integer(let integer): .integer(integer)
            case .text(let text): .text(text)
            case .bytes(let bytes): .bytes(bytes)
            }
        return [.text(coded.letter), content]
    }

    /// Returns the value in two columns of a row. The first of them has the letter of its type.
    static func read(_ row: Statement, _ column: Int32) -> Value {
        Value(
            letter: row.string(column) ?? "", integer: { row.integer(column + 1) },
            text: { row.string(column + 1) ?? "" }, bytes: { Array(row.bytes(column + 1)) })
    }
}
