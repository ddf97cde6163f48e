import RestwayObjects
import RestwaySQLite
import RestwayThreads

/// Records what stored requests changed in the object store. The record is deleted when the server
/// has accepted the request, and marked as due to be undone when the item is dropped.
extension JournalTransaction {
    /// An object with changes, in one store.
    private struct Place: Hashable {
        let life: String?
        let subject: OutboxChange.Subject

        var values: [JournalConnection.Value] {
            [.text(life ?? ""), .text(subject.entity), .integer(subject.storeKey)]
        }

        init(_ row: Statement) {
            let life = row.string(0) ?? ""
            self.life = life.isEmpty ? nil : life
            subject = .init(entity: row.string(1) ?? "", storeKey: row.integer(2))
        }
    }

    private var hasChanges: Bool {
        get throws(OutboxError) { try file.exists(Self.anyChange) }
    }

    private static let anyChange = SQL("SELECT 1 FROM change LIMIT 1")

    // MARK: Delivered

    /// Handles items that the server has accepted: their values are now the true ones, even if an
    /// older item that is still stored had set others before.
    func agree(_ items: [Int64]) throws(OutboxError) {
        guard !items.isEmpty, try hasChanges else { return }
        for item in items {
            try file.run(Self.overruling, .integer(item))
            try file.run(Self.forgetting, .integer(item))
        }
    }

    private static let overruling = SQL(
        "DELETE FROM change WHERE (life, entity, storeKey, name, item) IN ("
            + "SELECT older.life, older.entity, older.storeKey, older.name, older.item "
            + "FROM change AS newer CROSS JOIN change AS older ON older.life = newer.life "
            + "AND older.entity = newer.entity AND older.storeKey = newer.storeKey "
            + "AND older.name = newer.name AND older.item < newer.item AND older.fate = 0 "
            + "WHERE newer.item = ?1 AND newer.fate = 0 AND newer.name != '')")
    private static let forgetting = SQL("DELETE FROM change WHERE item = ?1 AND fate = 0")

    // MARK: Dropped

    /// Handles deleted items: marks the changes that the object store is to undo, and gives each
    /// change that stays its new previous value.
    func takeBack(_ items: [Int64]) throws(OutboxError) {
        guard try hasChanges else { return }
        var places: Set<Place> = []
        for item in items {
            places.formUnion(try file.all(Self.placesOfItem, [.integer(item)], read: Place.init))
        }
        for place in places { try takeBack(Set(items), place) }
    }

    private static let placesOfItem = SQL(
        "SELECT DISTINCT life, entity, storeKey FROM change WHERE item = ?1 AND fate = 0")

    private func takeBack(_ dropped: Set<Int64>, _ place: Place) throws(OutboxError) {
        let layers = try file.all(Self.layersOfObject, place.values) { row in
            OutboxTakeBack.Layer(
                item: row.integer(0), row.string(1) ?? "", before: ChangeRow.value(row, 2),
                after: ChangeRow.value(row, 4))
        }
        let maker = layers.first { $0.name == ChangeRow.object }?.item
        let decision = OutboxTakeBack(
            layers.filter { $0.name != ChangeRow.object }, maker: maker, dropping: dropped)
        for layer in decision.moved {
            try file.run(
                Self.moving,
                place.values + [.text(layer.name), .integer(layer.item)]
                    + ChangeRow.parameters(layer.before))
        }
        if let heir = decision.heir {
            try ChangeRow.insert(file, place.life, place.subject, madeBy: heir)
        }
        for (item, step) in decision.steps {
            let (name, fate): (String, ChangeRow.Fate) =
                switch step {
                case .delete: (ChangeRow.object, .due)
                case .restore(let name, _, _, needsUnsent: true): (name, .dueUnlessSent)
                case .restore(let name, _, _, needsUnsent: false): (name, .due)
                }
            try file.run(
                Self.marking,
                place.values + [.text(name), .integer(item), .integer(fate.rawValue)])
        }
        for item in dropped where layers.contains(where: { $0.item == item }) {
            try file.run(Self.forgettingObject, place.values + [.integer(item)])
        }
    }

    private static let ofObject = "life = ?1 AND entity = ?2 AND storeKey = ?3"
    private static let layersOfObject = SQL(
        "SELECT item, name, beforeKind, beforeValue, afterKind, afterValue FROM change "
            + "WHERE \(ofObject) AND fate = 0")
    private static let moving = SQL(
        "UPDATE change SET beforeKind = ?6, beforeValue = ?7 WHERE \(ofObject) AND name = ?4 "
            + "AND item = ?5")
    private static let marking = SQL(
        "UPDATE change SET fate = ?6 WHERE \(ofObject) AND name = ?4 AND item = ?5")
    private static let forgettingObject = SQL(
        "DELETE FROM change WHERE \(ofObject) AND item = ?4 AND fate = 0")

    /// Handles the deletion of all items. Objects that one of them made are deleted without being
    /// emptied first.
    func takeAllBack() throws(OutboxError) {
        guard try hasChanges else { return }
        try file.run(
            "DELETE FROM change WHERE fate = 0 AND name != '' AND EXISTS (SELECT 1 FROM change "
                + "AS made WHERE made.life = change.life AND made.entity = change.entity "
                + "AND made.storeKey = change.storeKey AND made.name = '' "
                + "AND made.item = change.item)")
        try file.run("UPDATE change SET fate = 1 WHERE fate = 0")
    }
}

/// Changes of dropped items, until the object store has undone them.
extension OutboxJournal {
    /// Returns the steps of the newest of those items, newest first, always with all steps of an
    /// item.
    package func dueRestorations(itemsMax: Int) throws(OutboxError) -> [OutboxRestoration] {
        try reader.withLock { (file) throws(OutboxError) in
            try file.all(Self.dueSteps, [.integer(Int64(itemsMax))], read: Self.restoration)
        }
    }

    private static let dueSteps = SQL(
        "SELECT item, life, entity, storeKey, name, fate, beforeKind, beforeValue, afterKind, "
            + "afterValue FROM change WHERE fate != 0 AND item IN (SELECT DISTINCT item "
            + "FROM change WHERE fate != 0 ORDER BY item DESC LIMIT ?1) ORDER BY item DESC, name")

    private static func restoration(_ row: Statement) -> OutboxRestoration {
        let (life, name) = (row.string(1) ?? "", row.string(4) ?? "")
        let needsUnsent = row.integer(5) == ChangeRow.Fate.dueUnlessSent.rawValue
        let step: OutboxTakeBack.Step =
            name == ChangeRow.object
            ? .delete
            : .restore(
                name, from: ChangeRow.value(row, 8), to: ChangeRow.value(row, 6),
                needsUnsent: needsUnsent)
        return OutboxRestoration(
            item: row.integer(0), life: life.isEmpty ? nil : life,
            .init(entity: row.string(2) ?? "", storeKey: row.integer(3)), step)
    }

    /// Forgets the steps of these dropped items, because the object store has carried them out.
    package func forgetRestorations(of items: Set<Int64>) throws(OutboxError) {
        try writes.run { (transaction) throws(OutboxError) in
            for item in items {
                try transaction.file.run(Self.forgettingSteps, .integer(item))
            }
        }
    }

    private static let forgettingSteps = SQL("DELETE FROM change WHERE item = ?1 AND fate != 0")
}
