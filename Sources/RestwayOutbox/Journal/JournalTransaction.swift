import RestwayObjects
import RestwaySQLite

/// What is written between `BEGIN` and `COMMIT`: the rows of items, their turns, and the counts.
///
/// The row of `outbox` counts all items up to `lastItem`. Those behind it count as waiting, and
/// there is one for each number: so a transaction that only adds items need not write that row.
///
/// Each operation decides before it writes: when it throws anything but `.file`, it has changed
/// nothing. After `.file` the transaction is rolled back.
final class JournalTransaction {
    /// The row of `outbox`.
    private struct Counters: Equatable {
        var lastItem: Int64 = 0
        var lastIdentity: Int64 = 0
        var waiting: Int64 = 0
        var dead: Int64 = 0
        var deadLetters = OutboxRules.DeadLetters.blockTheirLane

        /// With so many more items behind the last one, which wait; nothing to add: none.
        func adding(_ count: Int64) -> Counters {
            guard count > 0 else { return self }
            var sum = self
            sum.lastItem += count
            sum.waiting += count
            return sum
        }
    }

    /// The first of its lane that is not passed by.
    struct Head: Equatable {
        var id: Int64
        /// What its turn is, and what it should be.
        var turn: Int64?
        var rightfulTurn: Int64?
    }

    let file: JournalConnection
    let secretHeaders: Set<String>
    private let stored: Counters
    private var counters: Counters
    /// An item was taken out.
    private var hasTaken = false

    /// Within a transaction of the connection's.
    init(_ file: JournalConnection, secretHeaders: Set<String>) throws(OutboxError) {
        self.file = file
        self.secretHeaders = secretHeaders
        let counters = try file.first(
            Self.selection
        ) { row in
            let stored = Counters(
                lastItem: row.integer(0), lastIdentity: row.integer(1), waiting: row.integer(2),
                dead: row.integer(3),
                deadLetters: .init(rawValue: row.integer(4)) ?? .blockTheirLane)
            return (stored, lastItem: row.integer(5))
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
        "SELECT lastItem, lastIdentity, waiting, dead, deadLetters, "
            + "coalesce((SELECT max(id) FROM item), 0) FROM outbox")

    /// Writes the counts, before the commit.
    func finish() throws(OutboxError) {
        if !hasTaken, counters == stored.adding(counters.lastItem - stored.lastItem) { return }
        try file.run(
            "UPDATE outbox SET lastItem = ?1, lastIdentity = ?2, waiting = ?3, dead = ?4, "
                + "deadLetters = ?5",
            .integer(counters.lastItem), .integer(counters.lastIdentity),
            .integer(counters.waiting), .integer(counters.dead),
            .integer(counters.deadLetters.rawValue))
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

    /// Nothing is left.
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
        try file.first("SELECT id FROM item WHERE creates = ?1", .text(local.text)) {
            $0.integer(0)
        }
    }

    /// Of items that wait for the object, oldest first.
    func dependents(of local: LocalID) throws(OutboxError) -> [Int64] {
        try file.all(
            "SELECT item FROM dependency WHERE local = ?1 ORDER BY item", .text(local.text)
        ) { $0.integer(0) }
    }

    func identity(of local: LocalID) throws(OutboxError) -> (OutboxIdentity, lane: String?)? {
        try IdentityRow.find(file, local)
    }

    /// What has to be known of an item that is taken out.
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

    /// Takes an item out, and leaves its lane's turn to the caller.
    func delete(_ item: Brief) throws(OutboxError) {
        try file.run(Self.deletion, .integer(item.id))
        hasTaken = true
        count(waiting: item.isDead ? 0 : -1, dead: item.isDead ? -1 : 0)
    }

    /// Who has the turn beside `item`: nobody, when that has it.
    func head(beside item: Brief) throws(OutboxError) -> Head? {
        if item.hasTurn { return nil }
        let head = try head(item.lane)
        return head?.id == item.id ? nil : head
    }

    func deleteDependencies(of id: Int64) throws(OutboxError) {
        try file.run("DELETE FROM dependency WHERE item = ?1", .integer(id))
    }

    // MARK: Turns

    /// The first item of a lane, dead ones left out where they are passed by; nil: the lane is
    /// empty.
    func head(_ lane: String) throws(OutboxError) -> Head? {
        // The states stand in the text: a parameter that a partial index is compared with makes
        // SQLite prepare the statement anew whenever it is bound.
        let waiting = try file.first(Self.waitingHead, .text(lane)) { row in
            Head(
                id: row.integer(0), turn: row.storage(1) == .integer ? row.integer(1) : nil,
                rightfulTurn: row.integer(3) == 0 ? row.integer(2) : nil)
        }
        guard deadLetters == .blockTheirLane, counters.dead > 0 else { return waiting }
        let dead = try file.first(Self.deadHead, .text(lane)) {
            Head(id: $0.integer(0), turn: nil, rightfulTurn: nil)
        }
        guard let waiting, let dead else { return waiting ?? dead }
        return waiting.id < dead.id ? waiting : dead
    }

    private static let waitingHead = SQL(
        "SELECT id, turn, nextAttemptAt, EXISTS (SELECT 1 FROM dependency WHERE item = id) "
            + "FROM item WHERE lane = ?1 AND state = 0 ORDER BY id LIMIT 1")
    private static let deadHead = SQL(
        "SELECT id FROM item WHERE lane = ?1 AND state = 1 ORDER BY id LIMIT 1")

    /// Whether `head` would find none.
    func isFree(_ lane: String) throws(OutboxError) -> Bool {
        // Where dead ones are not passed by, any item is in the way.
        let sql = deadLetters == .blockTheirLane ? Self.anyOfLane : Self.waitingOfLane
        return try !file.exists(sql, .text(lane))
    }

    private static let anyOfLane = SQL("SELECT 1 FROM item WHERE lane = ?1 LIMIT 1")
    private static let waitingOfLane = SQL(
        "SELECT 1 FROM item WHERE lane = ?1 AND state = 0 LIMIT 1")

    /// Gives the head of a lane its turn, and takes it from who was the head before.
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

    /// Another rule than the one by which turns were given: gives them anew where that matters.
    func follow(_ rule: OutboxRules.DeadLetters) throws(OutboxError) {
        guard rule != counters.deadLetters else { return }
        let lanes = try file.all("SELECT DISTINCT lane FROM item WHERE state = 1") {
            $0.string(0) ?? ""
        }
        var before: [String: Head] = [:]
        for lane in lanes { before[lane] = try head(lane) }
        counters.deadLetters = rule
        for lane in lanes { try passTurn(lane, from: before[lane]) }
    }
}
