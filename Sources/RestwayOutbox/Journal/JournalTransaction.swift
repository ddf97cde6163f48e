import RestwayObjects
import RestwaySQLite

/// What is written between `BEGIN` and `COMMIT`: the rows of items, their turns, and the counts.
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
    }

    /// The first of its lane that is not passed by.
    struct Head: Equatable {
        var id: Int64
        var isDead: Bool
        var nextAttemptAt: Int64
    }

    let file: JournalConnection
    let secretHeaders: Set<String>
    private let stored: Counters
    private var counters: Counters

    /// Within a transaction of the connection's.
    init(_ file: JournalConnection, secretHeaders: Set<String>) throws(OutboxError) {
        self.file = file
        self.secretHeaders = secretHeaders
        let counters = try file.first(
            "SELECT lastItem, lastIdentity, waiting, dead, deadLetters FROM outbox"
        ) { row in
            Counters(
                lastItem: row.integer(0), lastIdentity: row.integer(1), waiting: row.integer(2),
                dead: row.integer(3),
                deadLetters: .init(rawValue: row.integer(4)) ?? .blockTheirLane)
        }
        guard let counters else {
            throw .file(
                SQLiteError(
                    code: SQLiteError.corrupt, message: "the table outbox has no row",
                    path: file.connection.path))
        }
        stored = counters
        self.counters = counters
    }

    /// Writes the counts, before the commit.
    func finish() throws(OutboxError) {
        guard counters != stored else { return }
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

    /// Takes an item out, and leaves its lane's turn to the caller.
    func delete(_ item: OutboxItem) throws(OutboxError) {
        try file.run("DELETE FROM item WHERE id = ?1", .integer(item.id))
        count(
            waiting: item.state == .dead ? 0 : -1, dead: item.state == .dead ? -1 : 0)
    }

    func deleteDependencies(of id: Int64) throws(OutboxError) {
        try file.run("DELETE FROM dependency WHERE item = ?1", .integer(id))
    }

    // MARK: Turns

    /// The first item of a lane, dead ones left out where they are passed by; nil: the lane is
    /// empty.
    func head(_ lane: String) throws(OutboxError) -> Head? {
        let waiting = try head(lane, .waiting)
        guard deadLetters == .blockTheirLane, counters.dead > 0,
            let dead = try head(lane, .dead)
        else { return waiting }
        guard let waiting else { return dead }
        return waiting.id < dead.id ? waiting : dead
    }

    private func head(_ lane: String, _ state: OutboxItem.State) throws(OutboxError) -> Head? {
        try file.first(
            "SELECT id, nextAttemptAt FROM item WHERE lane = ?1 AND state = ?2 ORDER BY id LIMIT 1",
            .text(lane), .integer(state.rawValue)
        ) { row in
            Head(id: row.integer(0), isDead: state == .dead, nextAttemptAt: row.integer(1))
        }
    }

    /// Gives the head of a lane its turn, and takes it from who was the head before.
    func passTurn(_ lane: String, from before: Head?) throws(OutboxError) {
        let head = try head(lane)
        if let before, before.id != head?.id { try setTurn(before.id, nil) }
        guard let head else { return }
        if head.isDead { return try setTurn(head.id, nil) }
        try setTurn(head.id, hasDependencies(head.id) ? nil : head.nextAttemptAt)
    }

    func hasDependencies(_ id: Int64) throws(OutboxError) -> Bool {
        try file.exists("SELECT 1 FROM dependency WHERE item = ?1 LIMIT 1", .integer(id))
    }

    private func setTurn(_ id: Int64, _ turn: Int64?) throws(OutboxError) {
        try file.run(
            "UPDATE item SET turn = ?2 WHERE id = ?1 AND turn IS NOT ?2", .integer(id),
            .integer(turn))
    }

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
