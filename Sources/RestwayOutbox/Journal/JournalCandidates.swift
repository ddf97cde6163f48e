import RestwaySQLite

/// Fetches from the file what `OutboxSelection` needs to choose the next items: enough candidates,
/// and no more, however many items wait. Then it reads the chosen items.
struct JournalCandidates {
    let file: JournalConnection
    let rules: OutboxRules
    let now: Int64

    /// Returns the next items, oldest first. Returns an empty list if fewer items than `itemsMin`
    /// may go out.
    func next(
        itemsMax: Int, itemsMin: Int, besides busyLanes: Set<Lane>,
        inFlight: [Int64: SenderState.Flight]
    ) throws(OutboxError) -> [OutboxItem] {
        let selection = OutboxSelection(
            itemsMax: itemsMax, mayShareLane: rules.batchStopsAtFailure,
            lanesInFlight: busyLanes.union(inFlight.values.map(\.lane)),
            isStrict: rules.order == .strict)
        let candidates = try list(selection).filter { inFlight[$0.id] == nil }
        let chosen = selection.choose(candidates)
        guard chosen.count >= itemsMin else { return [] }
        var items: [OutboxItem] = []
        for index in chosen {
            if let item = try file.row(of: candidates[index].id) { items.append(item) }
        }
        return items
    }

    /// Returns candidates, oldest first. The items of each lane begin at its head.
    private func list(
        _ selection: OutboxSelection
    ) throws(OutboxError) -> [OutboxSelection.Candidate] {
        let itemsMax = Int64(selection.itemsMax)
        if selection.isStrict {
            let blocking = blocking.map { " OR \($0) AND \(ItemOwner.conditionOfSender)" }
            return try list("(\(notPassedBy)\(blocking.joined()))", itemsMax)
        }
        // The heads of lanes in flight are not chosen.
        let headsMax = itemsMax + Int64(selection.lanesInFlight.count)
        let heads = try list("turn = 0", headsMax)
        guard selection.mayShareLane, itemsMax > 1 else { return heads }
        var all = heads
        for head in heads where !selection.lanesInFlight.contains(head.lane) {
            all += try list(
                "lane = ?2 AND id > ?3 AND \(notPassedBy) AND id < \(end)", itemsMax,
                .text(head.lane.name), .integer(head.id))
        }
        return all.sorted { $0.id < $1.id }
    }

    /// A condition for waiting items that are not passed by.
    private var notPassedBy: String {
        rules.deadLetters == .letOthersPass ? "state = 0 AND \(HeldItems.excluded)" : "state = 0"
    }

    private var blocking: [String] { BlockingItems.conditions(rules.deadLetters) }

    /// The first item of the lane that blocks the items behind it.
    private var end: String {
        let maximum = String(Int64.max)
        let ends = blocking.map { blocking in
            "coalesce((SELECT id FROM item WHERE lane = ?2 AND \(blocking) "
                + "AND \(ItemOwner.conditionOfSender) ORDER BY id LIMIT 1), \(maximum))"
        }
        return "min(\((ends + [maximum]).joined(separator: ", ")))"
    }

    private func list(
        _ condition: String, _ itemsMax: Int64, _ values: Statement.Value...
    ) throws(OutboxError) -> [OutboxSelection.Candidate] {
        let sql = "SELECT id, lane, state, nextAttemptAt, "
            + "EXISTS (SELECT 1 FROM dependency WHERE dependency.item = item.id) "
            + "FROM item WHERE \(condition) ORDER BY id LIMIT ?1"
        return try file.all(sql, [.integer(itemsMax)] + values) { row in
            let isWaiting = row.integer(2) == ItemRow.State.waiting
            let isDue = row.integer(3) <= now
            return OutboxSelection.Candidate(
                id: row.integer(0), lane: Lane(stored: row.string(1) ?? ""),
                isReady: isWaiting && isDue && row.integer(4) == 0)
        }
    }
}
