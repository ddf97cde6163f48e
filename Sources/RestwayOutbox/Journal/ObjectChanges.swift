import RestwayObjects
import RestwaySQLite
import RestwayThreads

/// Records what stored requests changed in the object store. The record is deleted when the server
/// has accepted the request, and marked as due to be undone when the item is dropped.
struct ObjectChanges {
    private typealias Subject = OutboxChange.Subject

    let file: JournalConnection

    /// Most outboxes record no changes.
    private var hasChanges: Bool {
        get throws(OutboxError) { try file.exists("SELECT 1 FROM change LIMIT 1") }
    }

    /// The action that a row stands for.
    private enum Fate: Int64 {
        /// There is nothing to do, because the item of the row is still stored.
        case kept = 0
        /// The change is to be undone: its item was dropped, and the object store has not undone it
        /// yet.
        case due = 1
        /// The change is to be undone unless a server has answered for the object.
        case dueUnlessSent = 2
    }

    /// The name of the row that says that the item made the object. No attribute has this name.
    private static let object = ""

    func insert(_ change: OutboxChange, item: Int64) throws(OutboxError) {
        for subject in change.made { try insert(subject, madeBy: item) }
        for cell in change.cells { try insert(cell, item) }
    }

    private func insert(_ subject: Subject, madeBy item: Int64) throws(OutboxError) {
        try insert(
            .init(subject: subject, name: Self.object, before: .absent, after: .absent), item)
    }

    private func insert(_ cell: OutboxChange.Cell, _ item: Int64) throws(OutboxError) {
        try file.run(
            "INSERT OR REPLACE INTO change (life, entity, storeKey, name, item, beforeKind, "
                + "beforeValue, afterKind, afterValue) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            cell.subject.values + [.text(cell.name), .integer(item)] + Self.coded(cell.before)
                + Self.coded(cell.after))
    }

    // MARK: Waiting

    /// Returns the store keys of the objects of an entity that stored requests have changed, each
    /// with the name of a changed attribute or relationship.
    ///
    /// - Parameter life: Identifies the store in memory; `nil` for a store in a file.
    static func waiting(
        in file: some JournalQueries, entity: String, life: String?
    ) throws(OutboxError) -> [(storeKey: Int64, name: String)] {
        try file.all(waitingSelection, .text(life ?? ""), .text(entity)) { row in
            (row.integer(0), row.string(1) ?? "")
        }
    }

    /// Returns the lists and links that a stored request has changed, before and after it.
    static func links(
        in file: some JournalQueries, of item: Int64
    ) throws(OutboxError) -> [OutboxChange.Cell] {
        try file.all(
            "SELECT life, entity, storeKey, name, beforeKind, beforeValue, afterKind, afterValue "
                + "FROM change WHERE item = ?1 AND fate = 0 AND beforeKind IN ('o', 'l')",
            .integer(item)
        ) { row in
            OutboxChange.Cell(
                subject: Subject(row), name: row.string(3) ?? "", before: value(row, 4),
                after: value(row, 6))
        }
    }

    private static let waitingSelection =
        "SELECT DISTINCT storeKey, name FROM change WHERE life = ?1 AND entity = ?2 "
        + "AND fate = 0 AND name != '' AND item NOT IN (SELECT id FROM delivered)"

    /// Returns the values that an item gives to objects, besides those that a later item changes.
    ///
    /// - Parameter life: Identifies the store in memory; `nil` for a store in a file.
    static func values(
        of item: Int64, in file: some JournalQueries, life: String?
    ) throws(OutboxError) -> [OutboxChange.Cell] {
        try file.all(valuesSelection, .integer(item), .text(life ?? "")) { row in
            OutboxChange.Cell(
                subject: Subject(row), name: row.string(3) ?? "", before: .absent,
                after: value(row, 4))
        }
    }

    private static let valuesSelection =
        "SELECT life, entity, storeKey, name, afterKind, afterValue FROM change AS own "
        + "WHERE item = ?1 AND life = ?2 AND fate = 0 AND name != '' AND NOT EXISTS ("
        + "SELECT 1 FROM change AS later WHERE later.life = own.life "
        + "AND later.entity = own.entity AND later.storeKey = own.storeKey "
        + "AND later.name = own.name AND later.item > own.item AND later.fate = 0)"

    // MARK: Delivered

    /// Handles an item that the server has accepted: its values are now the true values, even if an
    /// older item that is still stored had set other values before.
    func agree(_ item: Int64) throws(OutboxError) {
        guard try hasChanges else { return }
        try file.run(Self.overruling, .integer(item))
        try file.run(Self.forgetting, .integer(item))
    }

    private static let overruling =
        "DELETE FROM change WHERE (life, entity, storeKey, name, item) IN ("
        + "SELECT older.life, older.entity, older.storeKey, older.name, older.item "
        + "FROM change AS newer CROSS JOIN change AS older ON older.life = newer.life "
        + "AND older.entity = newer.entity AND older.storeKey = newer.storeKey "
        + "AND older.name = newer.name AND older.item < newer.item AND older.fate = 0 "
        + "WHERE newer.item = ?1 AND newer.fate = 0 AND newer.name != '')"
    private static let forgetting = "DELETE FROM change WHERE item = ?1 AND fate = 0"

    // MARK: Dropped

    /// Handles deleted items: marks the changes that the object store is to undo, and gives each
    /// change that stays its new previous value.
    func takeBack(_ items: Set<Int64>) throws(OutboxError) {
        guard try hasChanges else { return }
        var subjects: Set<Subject> = []
        for item in items {
            subjects.formUnion(
                try file.all(
                    "SELECT DISTINCT life, entity, storeKey FROM change "
                        + "WHERE item = ?1 AND fate = 0", .integer(item), read: Subject.init))
        }
        for subject in subjects { try takeBack(items, subject) }
    }

    private func takeBack(_ dropped: Set<Int64>, _ subject: Subject) throws(OutboxError) {
        let layers = try file.all(Self.layersOfObject, subject.values) { row in
            OutboxTakeBack.Layer(
                item: row.integer(0), name: row.string(1) ?? "", before: Self.value(row, 2),
                after: Self.value(row, 4))
        }
        let maker = layers.first { $0.name == Self.object }?.item
        let decision = OutboxTakeBack(
            layers.filter { $0.name != Self.object }, maker: maker, dropping: dropped)
        for layer in decision.moved {
            try file.run(
                Self.moving,
                subject.values + [.text(layer.name), .integer(layer.item)]
                    + Self.coded(layer.before))
        }
        if let newMaker = decision.newMaker { try insert(subject, madeBy: newMaker) }
        for (item, step) in decision.steps {
            let (name, fate): (String, Fate) =
                switch step {
                case .delete: (Self.object, .due)
                case .restore(let name, _, _, needsUnsent: true): (name, .dueUnlessSent)
                case .restore(let name, _, _, needsUnsent: false): (name, .due)
                }
            try file.run(
                Self.marking,
                subject.values + [.text(name), .integer(item), .integer(fate.rawValue)])
        }
        for item in dropped where layers.contains(where: { $0.item == item }) {
            try file.run(Self.forgettingObject, subject.values + [.integer(item)])
        }
    }

    private static let ofObject = "life = ?1 AND entity = ?2 AND storeKey = ?3"
    private static let layersOfObject =
        "SELECT item, name, beforeKind, beforeValue, afterKind, afterValue FROM change "
        + "WHERE \(ofObject) AND fate = 0"
    private static let moving =
        "UPDATE change SET beforeKind = ?6, beforeValue = ?7 WHERE \(ofObject) AND name = ?4 "
        + "AND item = ?5"
    private static let marking =
        "UPDATE change SET fate = ?6 WHERE \(ofObject) AND name = ?4 AND item = ?5"
    private static let forgettingObject =
        "DELETE FROM change WHERE \(ofObject) AND item = ?4 AND fate = 0"

    /// Handles the deletion of all items. Objects that a deleted item made are deleted without
    /// being emptied first.
    func takeAllBack() throws(OutboxError) {
        guard try hasChanges else { return }
        try file.run(
            "DELETE FROM change WHERE fate = 0 AND name != '' AND EXISTS (SELECT 1 FROM change "
                + "AS made WHERE made.life = change.life AND made.entity = change.entity "
                + "AND made.storeKey = change.storeKey AND made.name = '' "
                + "AND made.item = change.item)")
        try file.run("UPDATE change SET fate = 1 WHERE fate = 0")
    }

    // MARK: Undone

    /// Selects the steps of the newest `?1` of the dropped items, newest first, always with all
    /// steps of an item.
    fileprivate static let dueSelection =
        "SELECT life, entity, storeKey, item, name, fate, beforeKind, beforeValue, afterKind, "
        + "afterValue FROM change WHERE fate != 0 AND item IN (SELECT DISTINCT item FROM change "
        + "WHERE fate != 0 ORDER BY item DESC LIMIT ?1) ORDER BY item DESC, name"

    fileprivate static func restoration(_ row: Statement) -> OutboxRestoration {
        let name = row.string(4) ?? ""
        let step: OutboxTakeBack.Step =
            name == object
            ? .delete
            : .restore(
                name, from: value(row, 8), to: value(row, 6),
                needsUnsent: row.integer(5) == Fate.dueUnlessSent.rawValue)
        return OutboxRestoration(item: row.integer(3), subject: Subject(row), step: step)
    }

    // MARK: Values

    /// Returns a letter for the type of the value, and the value as SQLite stores it.
    private static func coded(_ value: Value) -> [Statement.Value] {
        switch value {
        case .absent: [.text("-"), .null]
        case .null: [.text("0"), .null]
        case .bool(let value): [.text("b"), .integer(value ? 1 : 0)]
        case .int64(let value): [.text("i"), .integer(value)]
        // The bits are stored because SQLite keeps neither NaN nor the sign of zero.
        case .double(let value): [.text("d"), .integer(Int64(bitPattern: value.bitPattern))]
        case .date(let value): [.text("t"), .integer(value)]
        case .string(let text): [.text("s"), .text(text)]
        case .bytes(let bytes): [.text("x"), .bytes(bytes)]
        case .json(let text): [.text("j"), .text(text)]
        case .link(let key): [.text("o"), .integer(key)]
        case .links(let keys):
            [.text("l"), .text(keys.map { String($0) }.joined(separator: " "))]
        }
    }

    /// Returns the value in two columns of a row. The first of them has the letter of its type.
    private static func value(_ row: Statement, _ column: Int32) -> Value {
        let next = column + 1
        return switch row.string(column) {
        case "0": .null
        case "b": .bool(row.integer(next) != 0)
        case "i": .int64(row.integer(next))
        case "d": .double(Double(bitPattern: UInt64(bitPattern: row.integer(next))))
        case "t": .date(row.integer(next))
        case "s": .string(row.string(next) ?? "")
        case "x": .bytes(Array(row.bytes(next)))
        case "j": .json(row.string(next) ?? "")
        case "o": .link(row.integer(next))
        case "l": .links((row.string(next) ?? "").split(separator: " ").compactMap { Int64($0) })
        default: .absent
        }
    }
}

extension OutboxChange.Subject {
    fileprivate var values: [Statement.Value] {
        [.text(life ?? ""), .text(entity), .integer(storeKey)]
    }

    fileprivate init(_ row: Statement) {
        let life = row.string(0) ?? ""
        self.init(
            life: life.isEmpty ? nil : life, entity: row.string(1) ?? "",
            storeKey: row.integer(2))
    }
}

/// Changes of dropped items, until the object store has undone them.
extension OutboxJournal {
    /// Returns the steps for the newest dropped items, newest first, always with all steps of an
    /// item.
    func dueRestorations(itemsMax: Int) throws(OutboxError) -> [OutboxRestoration] {
        try all(
            ObjectChanges.dueSelection, .integer(Int64(itemsMax)), read: ObjectChanges.restoration)
    }

    /// Forgets the steps of these dropped items, because the object store has carried them out.
    func forgetRestorations(of items: Set<Int64>) throws(OutboxError) {
        try writes.run { (transaction) throws(OutboxError) in
            for item in items {
                try transaction.file.run(
                    "DELETE FROM change WHERE item = ?1 AND fate != 0", .integer(item))
            }
        }
    }
}
