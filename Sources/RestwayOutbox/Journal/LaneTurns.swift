import RestwayHTTP
import RestwaySQLite

/// Says which item of a lane is its head, and gives the turns (see `JournalSchema`): only a head
/// has a turn.
struct LaneTurns {
    /// The first item of its lane that is not passed by.
    struct Head {
        let id: Int64
        /// The turn that the item has. `rightfulTurn` is the turn that it should have.
        var turn: Int64?
        var rightfulTurn: Int64?

        fileprivate init(id: Int64) {
            self.id = id
        }

        fileprivate init(_ row: Statement) {
            id = row.integer(0)
            turn = row.integerIfAny(1)
            rightfulTurn = row.integer(3) == 0 ? row.integer(2) : nil
        }
    }

    let transaction: JournalTransaction

    private var file: JournalConnection { transaction.file }

    // MARK: Heads

    /// Returns the first item of a lane that goes in the name of the sender; `nil` if no item
    /// qualifies. Items of others and conflicts about attributes are not in the way. If dead
    /// letters are passed by, dead letters and items that wait for their objects do not qualify.
    func head(_ lane: String) throws(OutboxError) -> Head? {
        let counters = transaction.counters
        var head = try file.first(Self.waitingHead, .text(lane), read: Head.init)
        if counters.dead > 0 {
            if counters.deadLetters == .blockTheirLane {
                head = try first(of: head, Self.deadHead, lane)
            } else if head?.rightfulTurn == nil, head != nil {
                // Only an item that waits for an object can be passed by.
                head = try file.first(Self.passingHead, .text(lane), read: Head.init)
            }
        }
        return counters.parked > 0 ? try first(of: head, Self.parkedHead, lane) : head
    }

    /// Returns the older of two items: `head`, and the item that blocks the lane.
    private func first(
        of head: Head?, _ blocking: String, _ lane: String
    ) throws(OutboxError) -> Head? {
        let owner = transaction.counters.owner.text
        let blocking = try file.first(blocking, .text(lane), .text(owner)) {
            Head(id: $0.integer(0))
        }
        guard let head, let blocking else { return head ?? blocking }
        return head.id < blocking.id ? head : blocking
    }

    // The states are literals in the text: if a parameter is compared with a partial index, SQLite
    // prepares the statement anew whenever the parameter is bound.
    private static let selection =
        "SELECT id, turn, nextAttemptAt, EXISTS (SELECT 1 FROM dependency WHERE item = id) "
        + "FROM item WHERE lane = ?1 AND state = 0"
    private static let waitingHead = selection + " ORDER BY id LIMIT 1"
    private static let passingHead = selection + " AND \(HeldItems.excluded) ORDER BY id LIMIT 1"
    private static let deadHead = blockingHead(BlockingItems.dead)
    private static let parkedHead = blockingHead(BlockingItems.parked)

    private static func blockingHead(_ condition: String) -> String {
        "SELECT id FROM item WHERE lane = ?1 AND \(condition) "
            + "AND \(ItemOwner.condition(item: "owner", by: "?2")) ORDER BY id LIMIT 1"
    }

    // MARK: Turns

    /// Gives the head of a lane its turn, and takes the turn from the item that was the head
    /// before.
    ///
    /// - Parameter before: The head before the change; `nil` if the change cannot have put an
    ///   older item in its place.
    func pass(_ lane: String, from before: Head? = nil) throws(OutboxError) {
        let head = try head(lane)
        if let before, before.id != head?.id { try set(before.id, nil) }
        guard let head, head.turn != head.rightfulTurn else { return }
        try set(head.id, head.rightfulTurn)
    }

    private func set(_ id: Int64, _ turn: Int64?) throws(OutboxError) {
        try file.run("UPDATE item SET turn = ?2 WHERE id = ?1", .integer(id), .integer(turn))
    }

    /// Changes whether an item is dead or parked, and passes on the turns of all lanes that this
    /// affects.
    func changing(
        _ item: OutboxItem, _ change: () throws(OutboxError) -> Void
    ) throws(OutboxError) {
        var lanes: Set = [item.entry.lane.name]
        // Items that wait for its object are now passed by, or no longer passed by.
        if transaction.counters.deadLetters == .letOthersPass {
            lanes.formUnion(
                try file.all(HeldItems.lanesBehind, .integer(item.id)) { $0.string(0) ?? "" })
        }
        try changing(lanes, change)
    }

    /// Adopts a rule for dead letters. If it differs from the rule with which the turns were given,
    /// gives the turns anew in the lanes that it affects.
    func follow(_ rule: OutboxRules.DeadLetters) throws(OutboxError) {
        guard rule != transaction.counters.deadLetters else { return }
        let lanes = transaction.counters.dead == 0 ? [] : try file.all(
            "SELECT lane FROM item WHERE state = 1 UNION SELECT lane FROM dependency "
                + "JOIN item ON item.id = dependency.item"
        ) { $0.string(0) ?? "" }
        try changing(Set(lanes)) { transaction.counters.deadLetters = rule }
    }

    /// Adopts another owner of the sender: items that it may send get their turns, and the turns of
    /// other items end.
    func follow(_ owner: ItemOwner) throws(OutboxError) {
        guard owner != transaction.counters.owner else { return }
        let mine = ItemOwner.condition(item: "owner", by: "?1")
        let lanes = try file.all(
            "SELECT DISTINCT lane FROM item WHERE \(BlockingItems.dead) "
                + "OR \(BlockingItems.parked) OR state = 0 AND NOT \(mine) "
                + "OR state = 3 AND \(mine)", .text(owner.text)
        ) { $0.string(0) ?? "" }
        try changing(Set(lanes)) { () throws(OutboxError) in
            transaction.counters.owner = owner
            try file.run(
                "UPDATE item SET state = 3, turn = NULL WHERE state = 0 AND NOT \(mine)",
                .text(owner.text))
            try file.run(
                "UPDATE item SET state = 0 WHERE state = 3 AND \(mine)", .text(owner.text))
        }
    }

    private func changing(
        _ lanes: Set<String>, _ change: () throws(OutboxError) -> Void
    ) throws(OutboxError) {
        var before: [(lane: String, head: Head?)] = []
        for lane in lanes { before.append((lane, try head(lane))) }
        try change()
        for (lane, head) in before { try pass(lane, from: head) }
    }

    /// Frees the items whose time has come. They are then found by age, like items that never
    /// waited.
    func wake(now: Int64) throws(OutboxError) {
        try file.run(
            "UPDATE item SET turn = 0, nextAttemptAt = 0, askedUntil = 0 "
                + "WHERE turn > 0 AND turn <= ?1", .integer(now))
    }

    /// A wait of the head of a lane.
    private struct Wait {
        let item: Int64
        let end: Int64
        /// The time that the server asked for; 0 if it did not ask.
        let askedUntil: Int64
        let since: NotedTime
    }

    /// Corrects the waits that were set by a clock that was ahead: they end as far from now as they
    /// were long. A wait that the outbox chose is never longer than the document says.
    func correctWaits(now: Int64, _ rules: OutboxRules) throws(OutboxError) {
        let waits = try file.all(
            "SELECT id, turn, askedUntil, coalesce(waitSince, createdAt) FROM item WHERE turn > 0"
        ) { row in
            Wait(
                item: row.integer(0), end: row.integer(1), askedUntil: row.integer(2),
                since: NotedTime(row.integer(3)))
        }
        for wait in waits {
            let asked =
                wait.askedUntil == 0
                ? 0
                : wait.since.end(
                    ofWaitUntil: wait.askedUntil, now: now, longest: rules.askedMicrosecondsMax)
            let isOwn = wait.askedUntil < wait.end
            let longest = isOwn ? rules.ownMicrosecondsMax : rules.askedMicrosecondsMax
            let end = max(
                asked, wait.since.end(ofWaitUntil: wait.end, now: now, longest: longest))
            guard end != wait.end || asked != wait.askedUntil else { continue }
            try file.run(
                "UPDATE item SET turn = ?2, nextAttemptAt = ?2, askedUntil = ?3, waitSince = ?4 "
                    + "WHERE id = ?1", .integer(wait.item), .integer(end), .integer(asked),
                .integer(now))
        }
    }

    /// Makes items due that wait for their time. If the server asked for a wait, the item is due
    /// only after that time, or if `forced`.
    func hurry(forced: Bool, now: Int64) throws(OutboxError) {
        let kept = forced ? "0" : "CASE WHEN askedUntil > ?1 THEN askedUntil ELSE 0 END"
        try file.run(
            "UPDATE item SET turn = \(kept), nextAttemptAt = \(kept), askedUntil = \(kept) "
                + "WHERE turn > 0" + (forced ? " AND ?1 IS NOT NULL" : ""),
            .integer(now))
    }
}

/// Items behind which the items of their lane wait, as conditions on rows of `item`. The items of
/// others block nothing.
enum BlockingItems {
    static let dead = "state = 1"
    /// The conflict is about the object as a whole.
    static let parked = "state = 4 AND blocks = 1"

    static func conditions(_ rule: OutboxRules.DeadLetters) -> [String] {
        switch rule {
        case .blockTheirLane: [dead, parked]
        case .letOthersPass: [parked]
        }
    }
}

/// Items that wait, directly or through other items, for an object whose creation is a dead letter.
/// If dead letters are passed by, these items are passed by too.
enum HeldItems {
    /// A condition on rows of `item` that leaves out the held items.
    static let excluded =
        "NOT EXISTS (WITH RECURSIVE chain(number) AS (SELECT item.id UNION "
        + "SELECT coalesce("
        + "(SELECT maker.id FROM item AS maker WHERE maker.creates = dependency.local), "
        + "(SELECT companion.item FROM companion WHERE companion.local = dependency.local)) "
        + "FROM chain JOIN dependency ON dependency.item = number) "
        + "SELECT 1 FROM chain JOIN item AS dead ON dead.id = number WHERE dead.state = 1)"

    /// A query for the lanes of the items that item `?1` holds when it is dead.
    static let lanesBehind =
        "WITH RECURSIVE behind(number) AS (SELECT ?1 UNION "
        + "SELECT dependency.item FROM behind CROSS JOIN dependency ON dependency.local IN "
        + "(SELECT maker.creates FROM item AS maker WHERE maker.id = number UNION ALL "
        + "SELECT companion.local FROM companion WHERE companion.item = number)) "
        + "SELECT DISTINCT lane FROM behind JOIN item ON item.id = number WHERE number != ?1"
}

/// Items that no flush would send: they stand behind a dead letter or a conflict about an object as
/// a whole, or wait for objects.
struct BlockedItems {
    let file: JournalConnection
    let rules: OutboxRules
    /// In whose name the last sender sends, and how many items are parked.
    private let counters: JournalCounters

    init(_ file: JournalConnection, _ rules: OutboxRules) throws(OutboxError) {
        self.file = file
        self.rules = rules
        counters = try file.counters().stored
    }

    /// Returns the item with the facts that its row does not hold.
    func completed(_ item: OutboxItem, isInFlight: Bool) throws(OutboxError) -> OutboxItem {
        let state = isInFlight ? .inFlight : item.state
        let dependencies = try file.all(
            "SELECT local FROM dependency WHERE item = ?1 ORDER BY local", .integer(item.id)
        ) { LocalID(stored: $0, 0) }
        var (isBlocked, isBehindConflict) = (false, false)
        if state == .waiting {
            isBehindConflict =
                counters.parked > 0 ? try isBehind(BlockingItems.parked, item) : false
            isBlocked = !dependencies.isEmpty || isBehindConflict
            if !isBlocked, rules.deadLetters == .blockTheirLane {
                isBlocked = try isBehind(BlockingItems.dead, item)
            }
        }
        return OutboxItem(
            id: item.id, entry: item.entry, state: state, answer: item.answer,
            dependencies: dependencies, isBlocked: isBlocked, isBehindConflict: isBehindConflict)
    }

    private func isBehind(_ blocking: String, _ item: OutboxItem) throws(OutboxError) -> Bool {
        guard counters.owner.maySend(item.entry.origin.owner) else { return false }
        let earlier = "SELECT 1 FROM item WHERE \(blocking) AND id < ?1 "
            + "AND \(ItemOwner.conditionOfSender)"
        return try rules.order == .strict
            ? file.exists(earlier + " LIMIT 1", .integer(item.id))
            : file.exists(
                earlier + " AND lane = ?2 LIMIT 1", .integer(item.id), .text(item.entry.lane.name))
    }

    func count() throws(OutboxError) -> Int {
        let behind = BlockingItems.conditions(rules.deadLetters).map { blocking in
            switch rules.order {
            case .lanes:
                " UNION SELECT item.id FROM (SELECT lane, min(id) AS first FROM item "
                    + "WHERE \(blocking) AND \(ItemOwner.conditionOfSender) "
                    + "GROUP BY lane) AS head CROSS JOIN item "
                    + "ON item.lane = head.lane AND item.state = 0 AND item.id > head.first"
            case .strict:
                " UNION SELECT id FROM item "
                    + "WHERE state = 0 AND id > (SELECT min(id) FROM item "
                    + "WHERE \(blocking) AND \(ItemOwner.conditionOfSender))"
            }
        }
        let count = try file.first(
            "SELECT count(*) FROM (SELECT DISTINCT item.id FROM dependency "
                + "JOIN item ON item.id = dependency.item AND item.state = 0\(behind.joined()))"
        ) { Int($0.integer(0)) }
        return count ?? 0
    }
}
