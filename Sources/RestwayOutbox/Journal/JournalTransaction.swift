import RestwayHTTP
import RestwayObjects
import RestwaySQLite

/// The writes between `BEGIN` and `COMMIT`: the rows of items, their turns, and the counts.
///
/// The row of `outbox` counts all items up to `lastItem`. All items after that one are waiting and
/// have consecutive numbers, so a transaction that only adds items need not write that row.
///
/// Each operation decides before it writes: if it throws any error but `.file`, it has changed
/// nothing. After `.file` the transaction is rolled back.
final class JournalTransaction {
    /// The values in the row of `outbox`.
    struct Counters: Equatable {
        var lastItem: Int64 = 0
        var lastIdentity: Int64 = 0
        var waiting: Int64 = 0
        var dead: Int64 = 0
        var deadLetters = OutboxRules.DeadLetters.blockTheirLane
        /// Items that are done but whose rows still exist. They do not count as waiting.
        var delivered: Int64 = 0
        /// A counter that grows with each transaction that changes items in another way than adding
        /// some or marking some as done. A reader that has read ahead then reads again.
        var changes: Int64 = 0

        /// Returns the counters with `count` more waiting items after the last one.
        func adding(_ count: Int64) -> Counters {
            guard count > 0 else { return self }
            var sum = self
            sum.lastItem += count
            sum.waiting += count
            return sum
        }
    }

    /// The first item of its lane that is not passed by.
    struct Head: Equatable {
        var id: Int64
        /// The turn that the item has. `rightfulTurn` is the turn that it should have.
        var turn: Int64?
        var rightfulTurn: Int64?
    }

    let file: JournalConnection
    /// The names of headers that are not stored.
    let secretHeaders: [String]
    private var stored: Counters
    private(set) var counters: Counters
    /// Whether an item was taken out.
    private var hasTaken = false
    /// The headers that were stored last: neighbouring requests usually have the same ones.
    var lastHeaders: (fields: [HeaderField], text: String)?
    /// The known occupied lanes (see `JournalMemory`).
    private var lanes: Set<String> = []

    /// Begins the work. A transaction of the connection must be open.
    init(_ file: JournalConnection, secretHeaders: [String]) throws(OutboxError) {
        self.file = file
        self.secretHeaders = secretHeaders
        file.forgetRows()
        // The memory is taken out because it is not valid if this transaction fails.
        if let memory = file.memory.take(), memory.mark == file.connection.changeMark {
            stored = memory.counters
            counters = memory.sums
            lanes = memory.lanes
            return
        }
        let counters = try file.first(
            Self.selection
        ) { row in
            let stored = Counters(
                lastItem: row.integer(0), lastIdentity: row.integer(1), waiting: row.integer(2),
                dead: row.integer(3),
                deadLetters: .init(rawValue: row.integer(4)) ?? .blockTheirLane,
                delivered: row.integer(5), changes: row.integer(6))
            return (stored, lastItem: row.integer(7))
        }
        guard let counters else {
            throw .file(
                SQLiteError(
                    code: SQLiteError.corrupt, message: "the table outbox has no row",
                    path: file.connection.path))
        }
        stored = counters.0
        self.counters = stored.adding(counters.lastItem - stored.lastItem)
    }

    private static let selection = SQL(
        "SELECT lastItem, lastIdentity, waiting, dead, deadLetters, delivered, changes, "
            + "coalesce((SELECT max(id) FROM item), 0) FROM outbox")

    /// Whether this transaction has done nothing but store requests.
    private var hasOnlyAdded: Bool {
        !hasTaken && counters == stored.adding(counters.lastItem - stored.lastItem)
    }

    /// Writes the remaining rows and the counts before the commit.
    func finish() throws(OutboxError) {
        try file.writeRows()
        if hasOnlyAdded { return }
        lanes = []
        defer { stored = counters }
        try file.run(
            Self.countersUpdate, .integer(counters.lastItem), .integer(counters.lastIdentity),
            .integer(counters.waiting), .integer(counters.dead),
            .integer(counters.deadLetters.rawValue), .integer(counters.delivered),
            .integer(counters.changes))
    }

    private static let countersUpdate = SQL(
        "UPDATE outbox SET lastItem = ?1, lastIdentity = ?2, waiting = ?3, dead = ?4, "
            + "deadLetters = ?5, delivered = ?6, changes = ?7")

    /// Remembers the counts after the commit.
    func remember() {
        file.memory = JournalMemory(
            mark: file.connection.changeMark, counters: stored, sums: counters, lanes: lanes)
    }

    /// Counts waiting items that were taken out.
    func countTaken(_ items: Int) {
        hasTaken = true
        count(waiting: -Int64(items))
    }

    /// Counts items that were marked as done. A negative number stands for marked items that were
    /// deleted.
    func count(delivered: Int64) {
        counters.delivered += delivered
    }

    func countChange() {
        counters.changes += 1
    }

    var deadLetters: OutboxRules.DeadLetters { counters.deadLetters }

    func nextItemID() -> Int64 {
        counters.lastItem += 1
        return counters.lastItem
    }

    func nextIdentityNumber() -> Int64 {
        counters.lastIdentity += 1
        return counters.lastIdentity
    }

    func count(waiting: Int64 = 0, dead: Int64 = 0) {
        counters.waiting += waiting
        counters.dead += dead
    }

    var itemCount: Int64 { counters.waiting + counters.dead }

    /// Sets the counts to zero because no item is left.
    func countNothing() {
        hasTaken = true
        counters.waiting = 0
        counters.dead = 0
    }

    // MARK: Rows

    func item(_ id: Int64) throws(OutboxError) -> OutboxItem? {
        try file.first(ItemRow.selection + " WHERE id = ?1", .integer(id), read: ItemRow.read)
    }

    func creator(of local: LocalID) throws(OutboxError) -> Int64? {
        try file.first(
            "SELECT id FROM item WHERE creates = ?1 "
                + "UNION ALL SELECT item FROM companion WHERE local = ?1",
            .text(local.text)
        ) { $0.integer(0) }
    }

    /// Returns the items that wait for the object, oldest first.
    func dependents(of local: LocalID) throws(OutboxError) -> [Int64] {
        try file.all(
            "SELECT item FROM dependency WHERE local = ?1 ORDER BY item", .text(local.text)
        ) { $0.integer(0) }
    }

    func identity(of local: LocalID) throws(OutboxError) -> (OutboxIdentity, lane: String?)? {
        try IdentityRow.find(file, local)
    }

    /// The facts about an item that are needed to delete it.
    struct Brief {
        var id: Int64
        var lane: String
        var isDead: Bool
        var hasTurn: Bool
        var creates: LocalID?
        var entity: String?
        var storeKey: Int64?
    }

    func brief(_ id: Int64) throws(OutboxError) -> Brief? {
        try file.first(Self.briefly, .integer(id)) { row in
            Brief(
                id: row.integer(0), lane: row.string(1) ?? "", isDead: row.integer(2) != 0,
                hasTurn: row.storage(3) == .integer,
                creates: row.string(4).map { LocalID(unchecked: $0) }, entity: row.string(5),
                storeKey: row.storage(6) == .integer ? row.integer(6) : nil)
        }
    }

    private static let briefly = SQL(
        "SELECT id, lane, state, turn, creates, entity, storeKey FROM item WHERE id = ?1")
    private static let deletion = SQL("DELETE FROM item WHERE id = ?1")

    /// Deletes an item. The caller passes its lane's turn on.
    func delete(_ item: Brief) throws(OutboxError) {
        try file.run(Self.deletion, .integer(item.id))
        hasTaken = true
        count(waiting: item.isDead ? 0 : -1, dead: item.isDead ? -1 : 0)
    }

    /// Returns the head of the item's lane; `nil` if the item itself has the turn.
    func head(beside item: Brief) throws(OutboxError) -> Head? {
        if item.hasTurn { return nil }
        let head = try head(item.lane)
        return head?.id == item.id ? nil : head
    }

    func deleteDependencies(of id: Int64) throws(OutboxError) {
        try file.run("DELETE FROM dependency WHERE item = ?1", .integer(id))
    }

    // MARK: Turns

    /// Returns the first item of a lane, without dead letters and items that wait for their objects
    /// if those are passed by; `nil` if there is none.
    func head(_ lane: String) throws(OutboxError) -> Head? {
        // The states are literals in the text: if a parameter is compared with a partial index,
        // SQLite prepares the statement anew whenever the parameter is bound.
        let waiting = try file.first(Self.waitingHead, .text(lane), read: Self.head)
        guard counters.dead > 0 else { return waiting }
        guard deadLetters == .blockTheirLane else {
            // Only an item that waits for an object can be passed by.
            guard let waiting, waiting.rightfulTurn == nil else { return waiting }
            return try file.first(Self.passingHead, .text(lane), read: Self.head)
        }
        let dead = try file.first(Self.deadHead, .text(lane)) {
            Head(id: $0.integer(0), turn: nil, rightfulTurn: nil)
        }
        guard let waiting, let dead else { return waiting ?? dead }
        return waiting.id < dead.id ? waiting : dead
    }

    private static let waitingHead = SQL(
        "SELECT id, turn, nextAttemptAt, EXISTS (SELECT 1 FROM dependency WHERE item = id) "
            + "FROM item WHERE lane = ?1 AND state = 0 ORDER BY id LIMIT 1")
    private static let passingHead = SQL(
        "SELECT id, turn, nextAttemptAt, EXISTS (SELECT 1 FROM dependency WHERE item = id) "
            + "FROM item WHERE lane = ?1 AND state = 0 AND \(HeldItems.excluded) "
            + "ORDER BY id LIMIT 1")
    private static let deadHead = SQL(
        "SELECT id FROM item WHERE lane = ?1 AND state = 1 ORDER BY id LIMIT 1")

    private static func head(_ row: Statement) -> Head {
        Head(
            id: row.integer(0), turn: row.storage(1) == .integer ? row.integer(1) : nil,
            rightfulTurn: row.integer(3) == 0 ? row.integer(2) : nil)
    }

    /// Returns whether the lane has no head.
    func isFree(_ lane: String) throws(OutboxError) -> Bool {
        let isKnownWhole = counters.dead == 0 && hasOnlyAdded
        if isKnownWhole, lanes.contains(lane) { return false }
        if counters.dead > 0, deadLetters == .letOthersPass { return try head(lane) == nil }
        // Unless dead letters are passed by, any item is in the way. Rows that wait to be inserted
        // belong to lanes that are known.
        let sql = deadLetters == .blockTheirLane ? Self.anyOfLane : Self.waitingOfLane
        let isFree = try !(isKnownWhole
            ? file.existsInFile(sql, .text(lane)) : file.exists(sql, .text(lane)))
        if !isFree { try isOccupied(lane) }
        return isFree
    }

    /// Notes that a waiting request is in the lane.
    func isOccupied(_ lane: String) throws(OutboxError) {
        if lanes.count >= JournalMemory.lanesMax {
            try file.writeRows()
            lanes = []
        }
        lanes.insert(lane)
    }

    private static let anyOfLane = SQL("SELECT 1 FROM item WHERE lane = ?1 LIMIT 1")
    private static let waitingOfLane = SQL(
        "SELECT 1 FROM item WHERE lane = ?1 AND state = 0 LIMIT 1")

    /// Gives the head of a lane its turn, and takes the turn from the item that was the head
    /// before.
    func passTurn(_ lane: String, from before: Head?) throws(OutboxError) {
        let head = try head(lane)
        if let before, before.id != head?.id { try setTurn(before.id, nil) }
        guard let head, head.turn != head.rightfulTurn else { return }
        try setTurn(head.id, head.rightfulTurn)
    }

    private func setTurn(_ id: Int64, _ turn: Int64?) throws(OutboxError) {
        try file.run(Self.turning, .integer(id), .integer(turn))
    }

    private static let turning = SQL("UPDATE item SET turn = ?2 WHERE id = ?1")

    /// Changes whether an item is dead, and passes on the turns of all lanes that this affects.
    func changing(
        _ item: OutboxItem, _ change: () throws(OutboxError) -> Void
    ) throws(OutboxError) {
        var lanes = [item.entry.lane.name]
        // Items that wait for its object are now passed by, or no longer passed by.
        if deadLetters == .letOthersPass {
            let behind = try file.all(HeldItems.lanesBehind, .integer(item.id)) {
                $0.string(0) ?? ""
            }
            lanes += behind.filter { $0 != lanes[0] }
        }
        var before: [Head?] = []
        for lane in lanes { before.append(try head(lane)) }
        try change()
        for (lane, before) in zip(lanes, before) { try passTurn(lane, from: before) }
    }

    /// Adopts a rule for dead letters. If it differs from the rule with which the turns were given,
    /// gives the turns anew in the lanes that it affects.
    func follow(_ rule: OutboxRules.DeadLetters) throws(OutboxError) {
        guard rule != counters.deadLetters else { return }
        let lanes = counters.dead == 0 ? [] : try file.all(
            "SELECT lane FROM item WHERE state = 1 UNION SELECT lane FROM dependency "
                + "JOIN item ON item.id = dependency.item"
        ) { $0.string(0) ?? "" }
        var before: [String: Head] = [:]
        for lane in lanes { before[lane] = try head(lane) }
        counters.deadLetters = rule
        for lane in lanes { try passTurn(lane, from: before[lane]) }
    }
}
