import RestwaySQLite
import RestwayThreads

/// The work of the only sender: it takes, sends and settles items.
extension OutboxJournal {
    /// Tries to make this journal the sender. Returns false if another journal is, in this process
    /// or in another. It is cheap enough to be called again and again: the kernel frees the lock of
    /// a sender that has died.
    package func becomeSender() throws(OutboxError) -> Bool {
        let isNew: Bool? = try sending.withLock { (sending) throws(OutboxError) in
            if sending.lock.isHeld { return false }
            return try sending.lock.tryLock() ? true : nil
        }
        guard let isNew else { return false }
        guard isNew else { return true }
        let rule = options.rules.deadLetters
        do throws(OutboxError) {
            // This counts as a change. A previous sender that is about to mark items as done
            // therefore looks at them again.
            let lastItem = try change { (transaction) throws(OutboxError) in
                try transaction.follow(rule)
                return try transaction.file.first(Self.lastItem) { $0.integer(0) } ?? 0
            }
            sending.withLock { $0.begin(lastItem: lastItem) }
        } catch {
            resign()
            throw error
        }
        return true
    }

    package var isSender: Bool { sending.withLock { $0.lock.isHeld } }

    /// Lets another journal become the sender. Items in flight are forgotten and will be sent
    /// again.
    package func resign() {
        sending.withLock { $0.end() }
    }

    /// Takes the next items that may go out together, oldest first. They are in flight until they
    /// are settled or released. Meanwhile nothing else of their lanes is taken.
    ///
    /// This writes only if items have become due or a creation is among the items: the fact that a
    /// creation may have arrived is on disk before it is sent.
    ///
    /// - Parameters:
    ///   - itemsMin: If there are fewer items, none is taken.
    ///   - now: The time in microseconds since 1970.
    ///   - busyLanes: Lanes with a call in flight that is not an item. Nothing of them is taken.
    package func take(
        itemsMax: Int, itemsMin: Int = 1, now: Int64, besides busyLanes: Set<Lane> = []
    ) throws(OutboxError) -> [OutboxItem] {
        guard isSender else { throw .notSender(path: path) }
        try wakeDue(now)
        let ahead = try takeAhead(itemsMax: itemsMax, itemsMin: itemsMin, besides: busyLanes)
        if let ahead { return ahead }
        return try sending.withLock { (sending) throws(OutboxError) in
            guard sending.lock.isHeld else { throw .notSender(path: path) }
            // The items that were read ahead would not include what is taken here.
            sending.ahead = nil
            guard try makeWayForRest() else { return [] }
            var inFlight = sending.inFlight.mapValues(\.lane)
            // No item has a negative number.
            for (index, lane) in busyLanes.enumerated() { inFlight[Int64(-1 - index)] = lane }
            let lanesInFlight = Set(inFlight.values)
            let candidates = try reader.withLock { (file) throws(OutboxError) in
                try JournalCandidates(file, options.rules, now: now).list(
                    itemsMax: max(1, itemsMax), inFlight: inFlight,
                    lanesInFlight: lanesInFlight)
            }
            let selection = OutboxSelection(
                itemsMax: itemsMax, mayShareLane: options.rules.batchStopsAtFailure,
                lanesInFlight: lanesInFlight,
                isStrict: options.rules.order == .strict)
            let chosen = selection.choose(candidates).map { candidates[$0].id }
            guard chosen.count >= itemsMin else { return [] }
            let items = try depart(chosen)
            for item in items {
                sending.depart(item.id, Flight(lane: item.entry.lane))
            }
            return items
        }
    }

    /// Makes items available again that were not sent after all, or that have to be sent again with
    /// a newer credential. Nothing is written.
    package func release(_ ids: [Int64]) {
        sending.withLock { $0.release(ids) }
    }

    /// Returns whether an item in flight may have been sent before, by this process or by another.
    package func mayHaveSentBefore(_ item: OutboxItem) -> Bool {
        item.entry.attempts > 0 || item.entry.mayHaveArrived
            || sending.withLock { $0.past.mayHold(item.id) }
    }

    /// Writes what became of items, in one transaction. If this throws, they are still in flight.
    ///
    /// - Parameter now: The time in microseconds since 1970, stored with the objects that are named
    ///   now.
    package func settle(
        _ settlements: [OutboxSettlement], now: Int64
    ) throws(OutboxError) -> OutboxSettled {
        guard isSender else { throw .notSender(path: path) }
        guard !settlements.isEmpty else { return OutboxSettled() }
        let (flights, delivered) = sending.withLock { sending in
            let flights = settlements.map { sending.inFlight[$0.id] }
            return (flights, Self.delivered(settlements, flights, sending.ahead))
        }
        let (settled, isMarked) = try writes.run { [options] (transaction) throws(OutboxError) in
            if let delivered, transaction.counters.changes == delivered.changes {
                try transaction.deliver(delivered.items, keeping: options.deliveredMax)
                return (OutboxSettled(), true)
            }
            try transaction.beginChange()
            let lanes = flights.map(\.?.lane)
            return (try transaction.settle(settlements, now: now, inLanes: lanes), false)
        }
        sending.withLock { sending in
            if !isMarked { sending.ahead = nil }
            for settlement in settlements {
                sending.settle(settlement.id)
                sending.ahead?.delivered(settlement.id)
            }
            // Named objects have new lanes now, and so have their items in flight.
            for (place, left) in settled.lanesLeft.enumerated() {
                sending.move(from: left, to: settled.lanesEntered[place])
            }
        }
        return settled
    }

    /// Returns items that were read ahead and are done. Marking them is enough if nothing else
    /// about items has changed since. Returns `nil` if not all of the settlements are for such
    /// items.
    private static func delivered(
        _ settlements: [OutboxSettlement], _ flights: [Flight?], _ ahead: ItemsAhead?
    ) -> (items: [JournalTransaction.Delivered], changes: Int64)? {
        guard settlements.count >= ItemNumbers.countMin, let changes = flights[0]?.changes else {
            return nil
        }
        var items: [JournalTransaction.Delivered] = []
        items.reserveCapacity(settlements.count)
        for (settlement, flight) in zip(settlements, flights) {
            guard case .remove(let id) = settlement, flight?.changes == changes else { return nil }
            items.append(JournalTransaction.Delivered(id: id, next: ahead?.next(of: id)))
        }
        return (items, changes)
    }

    /// Makes all items due that wait for their time, because the network is back or the program
    /// asks for a flush. A wait that a server asked for is kept, unless `forced`.
    package func hurry(forced: Bool, now: Int64) throws(OutboxError) {
        let isWaiting = try reader.withLock { (file) throws(OutboxError) in
            try file.exists("SELECT 1 FROM item WHERE turn > 0 LIMIT 1")
        }
        guard isWaiting else { return }
        try change { (transaction) throws(OutboxError) in
            try transaction.hurry(forced: forced, now: now)
        }
    }

    /// Returns the time at which the first waiting item becomes due; `nil` if none waits for its
    /// time.
    package func nextAttemptAt() throws(OutboxError) -> Int64? {
        try reader.withLock { (file) throws(OutboxError) in
            try file.first("SELECT turn FROM item WHERE turn > 0 ORDER BY turn LIMIT 1") {
                $0.integer(0)
            }
        }
    }

    // MARK: Steps of taking

    /// Frees the items whose time has come. They are then found by age, like items that never
    /// waited.
    private func wakeDue(_ now: Int64) throws(OutboxError) {
        let rules = options.rules
        // No wait is longer than this, so a later time was set while the clock was wrong.
        let longest = max(rules.capMilliseconds, rules.retryAfterMaxMilliseconds)
        let (tooLate, overflow) = now.addingReportingOverflow(
            longest.multipliedReportingOverflow(by: 1_000).partialValue)
        let end = overflow ? Int64.max : tooLate
        let isDue = try reader.withLock { (file) throws(OutboxError) in
            if try file.exists(
                "SELECT 1 FROM item WHERE turn > 0 AND turn <= ?1 LIMIT 1", .integer(now))
            {
                return true
            }
            return try file.exists("SELECT 1 FROM item WHERE turn > ?1 LIMIT 1", .integer(end))
        }
        guard isDue else { return }
        try change { (transaction) throws(OutboxError) in
            try transaction.file.run(
                "UPDATE item SET turn = 0, nextAttemptAt = 0, askedUntil = 0 "
                    + "WHERE (turn > 0 AND turn <= ?1) OR turn > ?2",
                .integer(now), .integer(end))
        }
    }

    /// Returns those of `ids` that still exist, in their order.
    private static func waiting(
        _ ids: [Int64], _ file: JournalConnection
    ) throws(OutboxError) -> [OutboxItem] {
        var items: [OutboxItem] = []
        items.reserveCapacity(ids.count)
        var headers = HeaderText.Last()
        if ids.count < ItemNumbers.countMin {
            for id in ids {
                let item = try file.first(ItemRow.waitingSelection, .integer(id)) {
                    ItemRow.read($0, &headers)
                }
                if let item { items.append(item) }
            }
        } else {
            for values in ItemNumbers.values(ids) {
                items += try file.all(ItemRow.manyWaitingSelection, values) {
                    ItemRow.read($0, &headers)
                }
            }
        }
        return items
    }

    /// Reads the items to send, and notes which creations may arrive.
    private func depart(_ ids: [Int64]) throws(OutboxError) -> [OutboxItem] {
        let items = try reader.withLock { (file) throws(OutboxError) in
            try file.reading { () throws(OutboxError) in try Self.waiting(ids, file) }
        }
        let creations = items.filter { $0.entry.creates != nil }.map { $0.id }
        guard !creations.isEmpty else { return items }
        // An item that was withdrawn meanwhile is not sent.
        let left = try writes.run { (transaction) throws(OutboxError) in
            try transaction.depart(creations)
        }
        return items.filter { $0.entry.creates == nil || left.contains($0.id) }
    }
}
