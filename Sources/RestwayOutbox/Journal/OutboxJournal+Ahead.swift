import RestwaySQLite
import RestwaySupport

/// Taking many from what was read ahead.
extension OutboxJournal {
    /// Where the file stands, as far as it matters to who reads ahead.
    private struct Standing {
        var changes: Int64
        /// Items that are not done.
        var left: Int64
        var dead: Int64
        /// Rows of items that are done.
        var delivered: Int64
    }

    /// After this many takes it is tried again to read ahead, when that has not paid.
    private static let restTakes = 16

    /// nil: they have to be looked for in the file.
    ///
    /// - Returns: None where `itemsMin` of them can go only when others have been settled.
    func takeAhead(
        _ sending: inout Sending, itemsMax: Int, itemsMin: Int, besides busyLanes: Set<Lane>
    ) throws(OutboxError) -> [OutboxItem]? {
        guard options.rules.order == .lanes, !options.rules.batchStopsAtFailure,
            (ItemNumbers.countMin...ItemsAhead.takenMax).contains(itemsMax)
        else { return nil }
        guard sending.restingTakes == 0 else {
            sending.restingTakes -= 1
            return nil
        }
        guard var ahead = try itemsAhead(&sending, itemsMax) else { return nil }
        var chosen = ahead.choose(itemsMax, besides: busyLanes)
        var isEnd = false
        while chosen.count < itemsMax, !isEnd, ahead.room > 0 {
            let (before, room) = (ahead.count, ahead.room)
            guard try readAhead(&ahead, room, sending.inFlight, &isEnd) else { break }
            chosen = ahead.choose(itemsMax, besides: busyLanes)
            // Most of these wait for something.
            guard isEnd || ahead.count - before >= room / 2 else {
                sending.restingTakes = Self.restTakes
                return nil
            }
            ahead.readMore()
        }
        // Less than that may be all there is, or there is more where this does not look.
        let isAll = isEnd && ahead.count > chosen.count
        guard chosen.count >= max(itemsMin, ItemNumbers.countMin),
            chosen.count == itemsMax || isAll
        else {
            guard itemsMin > 1, !sending.inFlight.isEmpty else {
                if ahead.count > chosen.count { sending.restingTakes = Self.restTakes }
                return nil
            }
            sending.ahead = ahead
            return []
        }
        let items = ahead.take(chosen)
        for item in items {
            sending.inFlight[item.id] = Flight(lane: item.entry.lane, changes: ahead.changes)
        }
        sending.ahead = ahead
        return items
    }

    /// What was read ahead, if nothing was changed since; else, from the first that may go on.
    private func itemsAhead(
        _ sending: inout Sending, _ itemsMax: Int
    ) throws(OutboxError) -> ItemsAhead? {
        let standing = try standing()
        if let ahead = sending.ahead.take(), ahead.changes == standing.changes { return ahead }
        guard standing.dead == 0, standing.left > 0 else { return nil }
        // Or what is behind them has no turn.
        if standing.delivered > 0 { try takeOutDelivered() }
        return try reader.withLock { (file) throws(OutboxError) in
            try file.reading { () throws(OutboxError) in
                let changes = try file.first(Self.changesSelection) { $0.integer(0) }
                let first = try file.first(Self.firstSelection) { $0.integer(0) }
                guard let changes, let first else { return nil }
                return ItemsAhead(changes: changes, from: first, itemsMax: itemsMax)
            }
        }
    }

    private static let changesSelection = SQL("SELECT changes FROM outbox WHERE dead = 0")
    private static let firstSelection = SQL(
        "SELECT id FROM item WHERE turn = 0 ORDER BY id LIMIT 1")

    /// - Parameter isEnd: Becomes true when there are no more.
    /// - Returns: False when what comes next has to be looked for in another way.
    private func readAhead(
        _ ahead: inout ItemsAhead, _ room: Int, _ inFlight: [Int64: Flight],
        _ isEnd: inout Bool
    ) throws(OutboxError) -> Bool {
        HeapRoom.prepare(for: room)
        var headers = HeaderText.Last()
        var count = 0
        let isPlain = try reader.withLock { (file) throws(OutboxError) in
            try file.reading { () throws(OutboxError) in
                let changes = try file.first(Self.plainSelection) { $0.integer(0) }
                guard changes == ahead.changes else { return false }
                let hasStopped = try file.exists(
                    ItemRow.aheadSelection, .integer(ahead.lastRead), .integer(Int64(room))
                ) { row in
                    count += 1
                    let item = ItemRow.read(row, &headers)
                    let isAdded = ahead.add(
                        item, turn: ItemRow.turn(row), isInFlight: inFlight[item.id] != nil)
                    return !isAdded || ahead.isFull
                }
                return !hasStopped || ahead.isFull
            }
        }
        isEnd = isPlain && count < room && !ahead.isFull
        return isPlain
    }

    /// Reads on behind what was read ahead, so that the next take finds it: as many as twice go at
    /// once, while these are on their way.
    package func readOn(itemsMax: Int) throws(OutboxError) {
        try sending.withLock { (sending) throws(OutboxError) in
            guard sending.lock.isHeld, sending.restingTakes == 0, var ahead = sending.ahead.take()
            else { return }
            let room = min(2 * itemsMax, ahead.spareRoom)
            var isEnd = false
            if room >= itemsMax { _ = try readAhead(&ahead, room, sending.inFlight, &isEnd) }
            sending.ahead = ahead
        }
    }

    /// Nothing waits for objects, nor does anything make some beside its own.
    private static let plainSelection = SQL(
        "SELECT changes FROM outbox WHERE NOT EXISTS (SELECT 1 FROM dependency) "
            + "AND NOT EXISTS (SELECT 1 FROM companion)")

    private func standing() throws(OutboxError) -> Standing {
        let standing = try reader.withLock { (file) throws(OutboxError) in
            try file.first(Self.standingSelection) { row in
                Standing(
                    changes: row.integer(0), left: row.integer(1), dead: row.integer(2),
                    delivered: row.integer(3))
            }
        }
        // Whoever writes finds out.
        return standing ?? Standing(changes: 0, left: 1, dead: 1, delivered: 0)
    }

    /// Those behind `lastItem` wait, see `JournalTransaction`.
    private static let standingSelection = SQL(
        "SELECT changes, waiting + dead + max(0, coalesce((SELECT max(id) FROM item), 0) "
            + "- lastItem), dead, delivered FROM outbox")

    /// Takes the rows of items out that are done, so that those behind them have the turn.
    ///
    /// - Returns: False, and they stay, when nothing is behind them: see `tidy`.
    func makeWayForRest() throws(OutboxError) -> Bool {
        let standing = try standing()
        guard standing.left > 0 else { return false }
        if standing.delivered > 0 { try takeOutDelivered() }
        return true
    }

    private func takeOutDelivered() throws(OutboxError) {
        try writes.run { (transaction) throws(OutboxError) in try transaction.takeOutDelivered() }
    }

    /// Takes the rows of items out that are done, if this is the sender: nobody waits for that, but
    /// as long as they are there what was sent stays on the disk.
    package func tidy() throws(OutboxError) {
        guard isSender, try standing().delivered > 0 else { return }
        try takeOutDelivered()
    }
}
