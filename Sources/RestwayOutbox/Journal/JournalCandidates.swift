import RestwaySQLite

/// Finds the items from which the next ones are chosen. It uses an index and skips items that block
/// or wait.
struct JournalCandidates {
    private struct Row {
        var id: Int64
        var lane: Lane
        var isDead: Bool
        var nextAttemptAt: Int64
    }

    private let file: JournalConnection
    private let rules: OutboxRules
    private let now: Int64

    init(_ file: JournalConnection, _ rules: OutboxRules, now: Int64) {
        self.file = file
        self.rules = rules
        self.now = now
    }

    /// Returns candidates, oldest first, without those in flight. The items of each lane begin at
    /// its head.
    func list(
        itemsMax: Int, inFlight: [Int64: Lane], lanesInFlight: Set<Lane>
    ) throws(OutboxError) -> [OutboxSelection.Candidate] {
        if rules.order == .strict { return try inOneLane(itemsMax) }
        let heads = try file.all(
            Self.headSelection, [.integer(Int64(itemsMax + inFlight.count))]
        ) { row -> OutboxSelection.Candidate? in
            let id = row.integer(0)
            guard inFlight[id] == nil else { return nil }
            return OutboxSelection.Candidate(id: id, lane: Lane(stored: row.string(1) ?? ""))
        }.compactMap { $0 }
        guard rules.batchStopsAtFailure, itemsMax > 1 else { return heads }
        var all = heads
        for head in heads where !lanesInFlight.contains(head.lane) {
            all += try followers(of: head, itemsMax)
        }
        return all.sorted { $0.id < $1.id }
    }

    private static let headSelection = SQL(
        "SELECT id, lane FROM item WHERE turn = 0 ORDER BY id LIMIT ?1")

    /// Returns the items behind a head that may go with it.
    private func followers(
        of head: OutboxSelection.Candidate, _ itemsMax: Int
    ) throws(OutboxError) -> [OutboxSelection.Candidate] {
        let lane = JournalConnection.Value.text(head.lane.name)
        var end: Int64?
        if rules.deadLetters == .blockTheirLane {
            end = try file.first(
                "SELECT id FROM item WHERE lane = ?1 AND state = 1 ORDER BY id LIMIT 1", lane
            ) { $0.integer(0) }
        }
        let rows = try file.all(
            "SELECT id, lane, state, nextAttemptAt FROM item "
                + "WHERE lane = ?1 AND state = 0 AND id > ?2 AND id < ?3\(condition) "
                + "ORDER BY id LIMIT ?4",
            lane, .integer(head.id), .integer(end ?? .max), .integer(Int64(itemsMax)),
            read: Self.row)
        return try free(rows)
    }

    /// Returns the oldest items of all, up to the first one that has to wait.
    private func inOneLane(_ itemsMax: Int) throws(OutboxError) -> [OutboxSelection.Candidate] {
        let waiting = rules.deadLetters == .letOthersPass ? "state = 0" : "true"
        let rows = try file.all(
            "SELECT id, lane, state, nextAttemptAt FROM item WHERE \(waiting)\(condition) "
                + "ORDER BY id LIMIT ?1",
            .integer(Int64(itemsMax)), read: Self.row)
        return try free(rows)
    }

    /// Items that wait for the object of a dead letter are passed by together with it.
    private var condition: String {
        rules.deadLetters == .letOthersPass ? " AND \(HeldItems.excluded)" : ""
    }

    /// Returns the items before the first one that has to wait.
    private func free(_ rows: [Row]) throws(OutboxError) -> [OutboxSelection.Candidate] {
        var free: [OutboxSelection.Candidate] = []
        for row in rows {
            if row.isDead {
                if rules.deadLetters == .letOthersPass { continue }
                break
            }
            if row.nextAttemptAt > now { break }
            let depends = try file.exists(
                "SELECT 1 FROM dependency WHERE item = ?1 LIMIT 1", .integer(row.id))
            if depends { break }
            free.append(OutboxSelection.Candidate(id: row.id, lane: row.lane))
        }
        return free
    }

    private static func row(_ row: Statement) -> Row {
        Row(
            id: row.integer(0), lane: Lane(stored: row.string(1) ?? ""),
            isDead: row.integer(2) == OutboxItem.State.dead.rawValue,
            nextAttemptAt: row.integer(3))
    }
}
