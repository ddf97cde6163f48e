import RestwayHTTP
import RestwayObjects
import RestwaySQLite

/// The values in the row of `outbox`. It counts all items up to `lastItem`. All items after
/// `lastItem` are waiting and have consecutive numbers, so a transaction that only adds items need
/// not write the row.
struct JournalCounters: Equatable {
    var lastItem: Int64 = 0
    var lastIdentity: Int64 = 0
    var waiting: Int64 = 0
    var dead: Int64 = 0
    /// Items that wait until the program decides a conflict.
    var parked: Int64 = 0
    /// The rule with which the turns were given.
    var deadLetters = OutboxRules.DeadLetters.blockTheirLane
    /// Items that are done but whose rows still exist. They do not count as waiting.
    var delivered: Int64 = 0
    /// In whose name the last sender sent. Items that it may not send have no turn.
    var owner = ItemOwner()
    /// A counter that grows with each transaction that does more than add items or mark items as
    /// done. A reader that has read ahead then reads again.
    var changes: Int64 = 0

    /// Returns the counters with the items up to `last`, all of which are waiting.
    func adding(through last: Int64) -> JournalCounters {
        guard last > lastItem else { return self }
        var sum = self
        sum.waiting += last - lastItem
        sum.lastItem = last
        return sum
    }
}

extension JournalConnection {
    /// Reads the row of `outbox`.
    ///
    /// - Returns: The counters as they are stored, and with the items that are not counted there.
    func counters() throws(OutboxError) -> (stored: JournalCounters, current: JournalCounters) {
        let row = try first(Self.countersSelection) { row in
            let stored = JournalCounters(
                lastItem: row.integer(0), lastIdentity: row.integer(1), waiting: row.integer(2),
                dead: row.integer(3),
                parked: row.integer(9),
                deadLetters: .init(rawValue: row.integer(4)) ?? .blockTheirLane,
                delivered: row.integer(5), owner: ItemOwner(text: row.string(8)),
                changes: row.integer(6))
            return (stored, stored.adding(through: row.integer(7)))
        }
        if let row { return row }
        throw .file(.corrupt(connection.path, "the table outbox has no row"))
    }

    private static let countersSelection =
        "SELECT lastItem, lastIdentity, waiting, dead, deadLetters, delivered, changes, "
        + "coalesce((SELECT max(id) FROM item), 0), owner, parked FROM outbox"
}

/// The writes between `BEGIN` and `COMMIT`: the rows of items and the counts.
///
/// Each operation decides before it writes: if it throws any error but `.file`, it has changed
/// nothing. After `.file` the transaction is rolled back.
final class JournalTransaction {
    let file: JournalConnection
    /// The names of headers that are not stored.
    let secretHeaders: [String]
    /// The mappers of stored bodies. They run in the transaction, as what they write is stored with
    /// the identity.
    let mappers: BodyMappers
    private let stored: JournalCounters
    var counters: JournalCounters

    var turns: LaneTurns { LaneTurns(transaction: self) }

    /// Begins the work. A transaction of the connection must be open.
    init(
        _ file: JournalConnection, secretHeaders: [String], mappers: BodyMappers
    ) throws(OutboxError) {
        self.file = file
        self.secretHeaders = secretHeaders
        self.mappers = mappers
        (stored, counters) = try file.counters()
    }

    /// Writes the counts before the commit, unless the transaction has only added items.
    func finish() throws(OutboxError) {
        if counters == stored.adding(through: counters.lastItem) { return }
        try file.run(
            Self.countersUpdate, .integer(counters.lastItem), .integer(counters.lastIdentity),
            .integer(counters.waiting), .integer(counters.dead),
            .integer(counters.deadLetters.rawValue), .integer(counters.delivered),
            .integer(counters.changes), .text(counters.owner.text), .integer(counters.parked))
    }

    private static let countersUpdate =
        "UPDATE outbox SET lastItem = ?1, lastIdentity = ?2, waiting = ?3, dead = ?4, "
        + "deadLetters = ?5, delivered = ?6, changes = ?7, owner = ?8, parked = ?9"

    /// Prepares a change of stored items. Everything but adding items and marking them as done
    /// begins with it.
    func beginChange() throws(OutboxError) {
        try takeOutDelivered()
        counters.changes += 1
    }

    // MARK: Rows

    func item(_ id: Int64) throws(OutboxError) -> OutboxItem? { try file.row(of: id) }

    /// Returns the items that wait for the object, oldest first.
    func dependents(of local: LocalID) throws(OutboxError) -> [Int64] {
        try file.all(
            "SELECT item FROM dependency WHERE local = ?1 ORDER BY item", .text(local.text)
        ) { $0.integer(0) }
    }

    /// Returns the texts of an item with the places of the local identities in them.
    func text(_ item: OutboxItem) throws(OutboxError) -> LocalIDText {
        let entry = item.entry
        return LocalIDText(
            path: entry.path, headers: HeaderText.stored(entry.headers), body: entry.body,
            mapper: mappers.mapper(route: entry.origin.route, headers: entry.headers),
            places: try file.places(of: item.id))
    }

    /// Writes a changed request and the objects that it waits for now.
    func write(
        _ id: Int64, _ text: LocalIDText, waitingFor missing: some Sequence<LocalID>
    ) throws(OutboxError) {
        try file.run(
            "UPDATE item SET path = ?2, headers = ?3, body = ?4 WHERE id = ?1", .integer(id),
            .text(text.path), .text(text.headers), .bytes(text.body))
        try deleteDependencies(of: id)
        try file.insertDependencies(missing, item: id, text.places)
    }

    /// Deletes an item and passes the turn of its lane on.
    func delete(_ item: OutboxItem) throws(OutboxError) {
        try file.run("DELETE FROM item WHERE id = ?1", .integer(item.id))
        if item.entry.edit != nil { try file.deleteEdit(of: item.id) }
        switch item.state {
        case .waiting, .inFlight: counters.waiting -= 1
        case .dead: counters.dead -= 1
        case .parked: counters.parked -= 1
        }
        try turns.pass(item.entry.lane.name)
    }

    func deleteDependencies(of id: Int64) throws(OutboxError) {
        try file.run("DELETE FROM dependency WHERE item = ?1", .integer(id))
    }

    // MARK: Sending

    /// Notes that the server may know these items from now on. Returns the items that still exist.
    func depart(_ ids: [Int64]) throws(OutboxError) -> Set<Int64> {
        var left: Set<Int64> = []
        for id in ids {
            try file.run(
                "UPDATE item SET mayHaveArrived = \(ItemRow.MayHaveArrived.beforeAttempt) "
                    + "WHERE id = ?1 AND state = 0", .integer(id))
            if file.connection.changedRowCount > 0 { left.insert(id) }
        }
        return left
    }

    /// Notes that the server may know items of an earlier sender, and counts the attempts that its
    /// death has ended. An item that has other attempts by now has got its result.
    func count(_ flights: [SenderLock.Flight]) throws(OutboxError) {
        for flight in flights where try wasReady(flight.id) {
            try file.run(
                "UPDATE item SET attempts = attempts + ?3, "
                    + "mayHaveArrived = \(ItemRow.MayHaveArrived.yes) "
                    + "WHERE id = ?1 AND attempts = ?2 AND state = 0",
                .integer(flight.id), .integer(flight.attempts),
                .integer(flight.isUnderWay ? 1 : 0))
        }
    }

    /// Whether an item that was taken can have been sent. It cannot if it still had to be compared
    /// with the server's values.
    func wasReady(_ id: Int64) throws(OutboxError) -> Bool {
        try item(id)?.conflict.map(\.isRewritten) ?? true
    }
}
