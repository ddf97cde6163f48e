import RestwaySQLite
import RestwaySupport

/// What the one sender does: take, send, settle.
extension OutboxJournal {
    /// Whether this journal is the sender from here on; false when another one is, in this process
    /// or in another. Cheap, to be asked again and again: the kernel frees the place of a sender
    /// that has died.
    package func becomeSender() throws(OutboxError) -> Bool {
        let isNew: Bool? = try sending.withLock { (sending) throws(OutboxError) in
            if sending.lock.isHeld { return false }
            return try sending.lock.tryLock() ? true : nil
        }
        guard let isNew else { return false }
        guard isNew else { return true }
        let rule = options.rules.deadLetters
        do throws(OutboxError) {
            // What the one before was about to mark is looked at anew.
            try change { (transaction) throws(OutboxError) in try transaction.follow(rule) }
        } catch {
            resign()
            throw error
        }
        return true
    }

    package var isSender: Bool { sending.withLock { $0.lock.isHeld } }

    /// Lets another one send. What is in flight is forgotten, and will be sent again.
    package func resign() {
        sending.withLock { sending in
            sending.landAll()
            sending.ahead = nil
            sending.lock.letGo()
        }
    }

    /// The next items that may go out, together; oldest first. They are in flight until they are
    /// settled or released; nothing of their lanes is taken meanwhile.
    ///
    /// Writes only when the time of items has come, or a creation is among them: that it may have
    /// arrived is on disk before it leaves.
    ///
    /// - Parameters:
    ///   - itemsMin: When there are fewer, none is taken.
    ///   - now: Microseconds since 1970.
    ///   - busyLanes: With a call in flight that is no item: nothing of them goes.
    package func take(
        itemsMax: Int, itemsMin: Int = 1, now: Int64, besides busyLanes: Set<Lane> = []
    ) throws(OutboxError) -> [OutboxItem] {
        guard isSender else { throw .notSender(path: path) }
        try wakeDue(now)
        let ahead = try takeAhead(itemsMax: itemsMax, itemsMin: itemsMin, besides: busyLanes)
        if let ahead { return ahead }
        return try sending.withLock { (sending) throws(OutboxError) in
            guard sending.lock.isHeld else { throw .notSender(path: path) }
            // It would not know what goes here.
            sending.ahead = nil
            guard try makeWayForRest() else { return [] }
            var inFlight = sending.inFlight.mapValues(\.lane)
            // No item has such a number.
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

    /// They were not sent after all, or have to be sent again with a newer credential: they can be
    /// taken again. Nothing is written.
    package func release(_ ids: [Int64]) {
        sending.withLock { sending in
            for id in ids { sending.land(id) }
            // They go first again.
            sending.ahead = nil
        }
    }

    /// Writes what became of items, in one transaction. When it throws, they are still in flight.
    ///
    /// - Parameter now: Microseconds since 1970; of what is named now.
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
                sending.land(settlement.id)
                sending.ahead?.delivered(settlement.id)
            }
            // Objects have other lanes now, and so has what of theirs is in flight.
            for (place, left) in settled.lanesLeft.enumerated() {
                sending.move(from: left, to: settled.lanesEntered[place])
            }
        }
        return settled
    }

    /// Items that are done and were read ahead: to mark them is enough, if nothing but that was
    /// changed about items since. nil when not all of them are such.
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

    /// Everything that waits for its time is due: the network is back, or the host asks for a
    /// flush. A wait that a server asked for is kept, unless `forced`.
    package func hurry(forced: Bool, now: Int64) throws(OutboxError) {
        let isWaiting = try reader.withLock { (file) throws(OutboxError) in
            try file.exists("SELECT 1 FROM item WHERE turn > 0 LIMIT 1")
        }
        guard isWaiting else { return }
        try change { (transaction) throws(OutboxError) in
            try transaction.hurry(forced: forced, now: now)
        }
    }

    /// When the first of those is due that wait for their time; nil when none does.
    package func nextAttemptAt() throws(OutboxError) -> Int64? {
        try reader.withLock { (file) throws(OutboxError) in
            try file.first("SELECT turn FROM item WHERE turn > 0 ORDER BY turn LIMIT 1") {
                $0.integer(0)
            }
        }
    }

    // MARK: Steps of taking

    /// Items whose time has come are as free as those that never waited, and found by their age.
    private func wakeDue(_ now: Int64) throws(OutboxError) {
        let rules = options.rules
        // After a clock that was wrong: longer than that nobody waits.
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

    /// Those of `ids` that are still there, in their order.
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

    /// Reads what goes, and notes that creations among it may have arrived.
    private func depart(_ ids: [Int64]) throws(OutboxError) -> [OutboxItem] {
        let items = try reader.withLock { (file) throws(OutboxError) in
            try file.reading { () throws(OutboxError) in try Self.waiting(ids, file) }
        }
        let creations = items.filter { $0.entry.creates != nil }.map { $0.id }
        guard !creations.isEmpty else { return items }
        // One that was withdrawn meanwhile does not leave.
        let left = try writes.run { (transaction) throws(OutboxError) in
            try transaction.depart(creations)
        }
        return items.filter { $0.entry.creates == nil || left.contains($0.id) }
    }
}
