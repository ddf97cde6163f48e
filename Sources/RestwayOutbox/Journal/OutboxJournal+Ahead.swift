import RestwaySQLite
import RestwayThreads

/// Takes many items at once from those that were read ahead.
extension OutboxJournal {
    /// The state of the file, as far as it matters for reading ahead.
    private struct Standing {
        var changes: Int64
        /// The number of items that are not done.
        var left: Int64
        var dead: Int64
        /// The number of rows whose items are done.
        var delivered: Int64
    }

    /// Takes items that were read ahead. Settling does not have to wait while this reads.
    ///
    /// - Returns: The items; `nil` if they have to be looked for in the file; empty if `itemsMin`
    ///   of them can go only after others have been settled.
    func takeAhead(
        itemsMax: Int, itemsMin: Int, besides busyLanes: Set<Lane>
    ) throws(OutboxError) -> [OutboxItem]? {
        guard options.rules.order == .lanes, !options.rules.batchStopsAtFailure,
            (ItemNumbers.countMin...ItemsAhead.takenMax).contains(itemsMax)
        else { return nil }
        let rests = sending.withLock { sending in
            defer { sending.restingTakes = max(0, sending.restingTakes - 1) }
            return sending.restingTakes > 0
        }
        guard !rests, try lookAhead(itemsMax) else { return nil }
        var (isEnd, mayRead) = (false, true)
        while true {
            let step = sending.withLock { sending in
                sending.takeAhead(
                    itemsMax: itemsMax, itemsMin: itemsMin, besides: busyLanes,
                    mayRead: mayRead && !isEnd, isEnd: isEnd)
            }
            guard case .read(let gap) = step else { return step.items }
            let stretch = try read(gap)
            guard let added = sending.withLock({ $0.fill(gap, with: stretch.rows) }) else {
                return nil
            }
            mayRead = stretch.isPlain && added.isAll
            isEnd = mayRead && stretch.isEnd
            // Reading ahead does not pay here: most of these items wait for something.
            guard !mayRead || isEnd || added.count >= gap.room / 2 else {
                sending.withLock { $0.rest() }
                return nil
            }
        }
    }

    /// Checks whether the items that were read ahead are still valid; if not, begins again at the
    /// first item that may go.
    ///
    /// - Returns: False if reading ahead has no use.
    private func lookAhead(_ itemsMax: Int) throws(OutboxError) -> Bool {
        let landings = sending.withLock { $0.landings }
        let standing = try standing()
        let holds = sending.withLock { sending in
            if sending.ahead?.end.changes != standing.changes { sending.ahead = nil }
            return sending.ahead != nil
        }
        if holds { return true }
        guard standing.dead == 0, standing.left > 0 else { return false }
        // Otherwise the items behind the delivered ones would have no turn.
        if standing.delivered > 0 { try takeOutDelivered() }
        let ahead: ItemsAhead? = try reader.withLock { (file) throws(OutboxError) in
            try file.reading { () throws(OutboxError) in
                let changes = try file.first(Self.changesSelection) { $0.integer(0) }
                let first = try file.first(Self.firstSelection) { $0.integer(0) }
                guard let changes, let first else { return nil }
                return ItemsAhead(
                    changes: changes, landings: landings, from: first, itemsMax: itemsMax)
            }
        }
        return sending.withLock { sending in
            // If an item was settled meanwhile, it may be done although the file did not say so
            // when it was read.
            guard sending.landings == landings else { return false }
            sending.ahead = ahead
            return ahead != nil
        }
    }

    private static let changesSelection = SQL("SELECT changes FROM outbox WHERE dead = 0")
    private static let firstSelection = SQL(
        "SELECT id FROM item WHERE turn = 0 ORDER BY id LIMIT 1")

    private func read(_ gap: ItemsAhead.Gap) throws(OutboxError) -> ItemsAhead.Stretch {
        var headers = HeaderText.Last()
        var stretch = ItemsAhead.Stretch()
        stretch.rows.reserveCapacity(gap.room)
        var bytes = 0
        try reader.withLock { (file) throws(OutboxError) in
            try file.reading { () throws(OutboxError) in
                let changes = try file.first(Self.plainSelection) { $0.integer(0) }
                guard changes == gap.end.changes else { return }
                stretch.isPlain = true
                stretch.isEnd = try !file.exists(
                    ItemRow.aheadSelection, .integer(gap.end.lastRead), .integer(Int64(gap.room))
                ) { row in
                    let item = ItemRow.read(row, &headers)
                    stretch.rows.append(ItemsAhead.Row(item: item, turn: ItemRow.turn(row)))
                    bytes += item.entry.body?.count ?? 0
                    return bytes >= gap.bytes || stretch.rows.count == gap.room
                }
            }
        }
        return stretch
    }

    /// Reads on after the items that were read ahead, while the taken ones are being sent, so that
    /// the next take finds them. It reads up to twice `itemsMax`.
    package func readOn(itemsMax: Int) throws(OutboxError) {
        let gap: ItemsAhead.Gap? = sending.withLock { sending in
            guard sending.lock.isHeld, sending.restingTakes == 0 else { return nil }
            return sending.ahead?.gap(itemsMax: 2 * itemsMax)
        }
        guard let gap, gap.room >= itemsMax else { return }
        let stretch = try read(gap)
        _ = sending.withLock { $0.fill(gap, with: stretch.rows) }
    }

    /// Selects the counter if no item waits for objects and none has companions.
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
        // An error of the file is reported by the next write.
        return standing ?? Standing(changes: 0, left: 1, dead: 1, delivered: 0)
    }

    /// Items after `lastItem` count as waiting (see `JournalTransaction`).
    private static let standingSelection = SQL(
        "SELECT changes, waiting + dead + max(0, coalesce((SELECT max(id) FROM item), 0) "
            + "- lastItem), dead, delivered FROM outbox")

    /// Deletes the rows of items that are done, so that the items behind them get the turn.
    ///
    /// - Returns: False, and the rows stay, if no other item is left (see `tidy`).
    func makeWayForRest() throws(OutboxError) -> Bool {
        let standing = try standing()
        guard standing.left > 0 else { return false }
        if standing.delivered > 0 { try takeOutDelivered() }
        return true
    }

    private func takeOutDelivered() throws(OutboxError) {
        try writes.run { (transaction) throws(OutboxError) in try transaction.takeOutDelivered() }
    }

    /// Deletes the rows of items that are done, if this is the sender. It is not urgent, but until
    /// then the requests that were sent stay on the disk.
    package func tidy() throws(OutboxError) {
        guard isSender, try standing().delivered > 0 else { return }
        try takeOutDelivered()
    }
}

extension OutboxJournal.Sending {
    /// The result of a step of taking.
    enum Step {
        /// The taken items; `nil` if they have to be looked for in the file.
        case taken([OutboxItem]?)
        /// More items have to be read first.
        case read(ItemsAhead.Gap)

        var items: [OutboxItem]? {
            if case .taken(let items) = self { items } else { nil }
        }
    }

    /// The number of takes without reading ahead after it did not pay.
    private static let takesAtRest = 16

    mutating func rest() {
        ahead = nil
        restingTakes = Self.takesAtRest
    }

    /// Adds the rows that were read for a gap.
    ///
    /// - Returns: `nil` if the rows no longer fit, because another thread has read them or what was
    ///   read ahead was forgotten. Otherwise how many more items there are to take, and whether all
    ///   rows were added.
    mutating func fill(
        _ gap: ItemsAhead.Gap, with rows: [ItemsAhead.Row]
    ) -> (count: Int, isAll: Bool)? {
        guard ahead?.end == gap.end, let before = ahead?.count else { return nil }
        var isAll = true
        for row in rows where isAll {
            isAll = ahead?.add(row, isInFlight: inFlight[row.item.id] != nil) ?? false
        }
        return ((ahead?.count ?? before) - before, isAll)
    }

    /// - Parameter isEnd: Whether the file has no more items than those that were read.
    mutating func takeAhead(
        itemsMax: Int, itemsMin: Int, besides busyLanes: Set<Lane>, mayRead: Bool, isEnd: Bool
    ) -> Step {
        guard lock.isHeld, let chosen = ahead?.choose(itemsMax, besides: busyLanes),
            let count = ahead?.count
        else { return .taken(nil) }
        if mayRead, chosen.count < itemsMax, let gap = ahead?.gap() { return .read(gap) }
        // Fewer items than asked for are taken only if all items were read; otherwise the file may
        // have more.
        let isAll = isEnd && count > chosen.count
        guard chosen.count >= max(itemsMin, ItemNumbers.countMin),
            chosen.count == itemsMax || isAll
        else {
            if itemsMin > 1, !inFlight.isEmpty { return .taken([]) }
            if count > chosen.count { rest() }
            return .taken(nil)
        }
        guard let items = ahead?.take(chosen), let changes = ahead?.end.changes else {
            return .taken(nil)
        }
        for item in items {
            depart(item.id, OutboxJournal.Flight(lane: item.entry.lane, changes: changes))
        }
        return .taken(items)
    }
}
