import RestwaySQLite
import RestwayThreads

/// The work of the only sender: it takes, sends and settles items.
extension OutboxJournal {
    // MARK: The role of sender

    /// Tries to make this journal the sender. Returns false if another journal, in this process or
    /// in another process, is the sender. It is cheap enough to be called again and again: the
    /// kernel frees the lock of a sender that has died.
    func becomeSender() throws(OutboxError) -> Bool {
        let isNew: Bool? = try sending.withLock { (sending) throws(OutboxError) in
            if sending.lock.isHeld { return false }
            return try sending.lock.tryLock() ? true : nil
        }
        guard let isNew else { return false }
        guard isNew else { return true }
        let rule = options.rules.deadLetters
        do throws(OutboxError) {
            let flights = sending.withLock { $0.lock.takeFlights() }
            // This counts as a change. A previous sender that is about to mark items as done
            // therefore looks at them again.
            try change { (transaction) throws(OutboxError) in
                try transaction.turns.follow(rule)
                try transaction.count(flights)
            }
        } catch {
            resign()
            throw error
        }
        return true
    }

    var isSender: Bool { sending.withLock { $0.lock.isHeld } }

    /// Lets another journal become the sender. Items in flight are forgotten and will be sent
    /// again.
    func resign() { sending.withLock { $0.end() } }

    /// Lets another journal become the sender, unless items are in flight.
    func resignAtRest() {
        sending.withLock { sending in
            if sending.inFlight.isEmpty { sending.end() }
        }
    }

    // MARK: Taking

    /// Takes the next items that may go out together, oldest first. They are in flight until they
    /// are settled or released. Meanwhile no other item of their lanes is taken.
    ///
    /// This writes only if items have become due or a creation is among the items: the fact that a
    /// creation may have arrived is on disk before it is sent.
    ///
    /// - Parameters:
    ///   - itemsMin: If fewer items may go out, this takes no items.
    ///   - now: The time in microseconds since 1970.
    ///   - busyLanes: Lanes with a call in flight that is not an item. No item of these lanes is
    ///     taken.
    ///   - mayGo: Whether anything may be sent. This is asked after the items were found, so that
    ///     no item is taken that was stored after the program has said that nothing may be sent.
    func take(
        itemsMax: Int, itemsMin: Int = 1, now: Int64, besides busyLanes: Set<Lane> = [],
        if mayGo: () -> Bool = { true }
    ) throws(OutboxError) -> [OutboxItem] {
        guard isSender else { throw .notSender(path: path) }
        try follow(options.owner())
        try wakeDue(now)
        return try sending.withLock { (sending) throws(OutboxError) in
            guard sending.lock.isHeld else { throw .notSender(path: path) }
            defer { sending.noteFlights() }
            let taken = try AheadReader(journal: self).take(
                itemsMax: itemsMax, itemsMin: itemsMin, besides: busyLanes, if: mayGo, &sending)
            if let taken { return taken }
            // The items that were read ahead would not include the items that are taken here.
            sending.ahead = nil
            // If only items that are done are left, their rows stay (see `tidy`).
            let counters = try counters()
            if counters.waiting + counters.dead == 0 { return [] }
            if counters.delivered > 0 { try takeOutDelivered() }
            let found = try reader.withLock { (file) throws(OutboxError) in
                try file.reading { () throws(OutboxError) in
                    try JournalCandidates(file: file, rules: options.rules, now: now).next(
                        itemsMax: itemsMax, itemsMin: itemsMin, besides: busyLanes,
                        inFlight: sending.inFlight)
                }
            }
            guard mayGo() else { return [] }
            let items = try depart(found)
            for item in items { sending.depart(item) }
            return items
        }
    }

    /// Gives the turns to the items that may be sent in the name of `owner`.
    private func follow(_ owner: ItemOwner) throws(OutboxError) {
        guard try counters().owner != owner else { return }
        try change { (transaction) throws(OutboxError) in try transaction.turns.follow(owner) }
    }

    /// Frees the items whose time has come.
    private func wakeDue(_ now: Int64) throws(OutboxError) {
        let rules = options.rules
        // A wait may also end later than any wait can that began by the present clock.
        let latest = sending.withLock { $0.noteScan(at: now) } ? 0 : rules.latestEnd(now: now)
        if try exists("SELECT 1 FROM item WHERE turn > ?1 LIMIT 1", .integer(latest)) {
            try change { (transaction) throws(OutboxError) in
                try transaction.turns.correctWaits(now: now, rules)
            }
        }
        let isDue = try exists(
            "SELECT 1 FROM item WHERE turn > 0 AND turn <= ?1 LIMIT 1", .integer(now))
        guard isDue else { return }
        try change { (transaction) throws(OutboxError) in try transaction.turns.wake(now: now) }
    }

    /// Notes which creations may arrive. Returns the items that are still to be sent.
    private func depart(_ items: [OutboxItem]) throws(OutboxError) -> [OutboxItem] {
        let creations = items.filter { $0.entry.creates != nil }.map(\.id)
        guard !creations.isEmpty else { return items }
        // An item that was withdrawn meanwhile is not sent.
        let left = try writes.run { (transaction) throws(OutboxError) in
            try transaction.depart(creations)
        }
        return items.filter { $0.entry.creates == nil || left.contains($0.id) }
    }

    /// Reads on after the items that were read ahead, while the taken items are being sent, so that
    /// the next take finds them.
    func readOn(itemsMax: Int) throws(OutboxError) {
        try sending.withLock { (sending) throws(OutboxError) in
            try AheadReader(journal: self).readOn(itemsMax: itemsMax, &sending)
        }
    }

    // MARK: Settling

    /// Makes items available again that were not sent after all, or that have to be sent again with
    /// a newer credential. Nothing is written.
    func release(_ ids: [Int64]) { sending.withLock { $0.release(ids) } }

    /// Returns whether the server may know an item in flight from an earlier attempt, of this
    /// process or of another.
    func mayHaveSentBefore(_ item: OutboxItem) -> Bool {
        item.entry.progress.mayHaveArrived || sending.withLock { $0.mayHaveSentBefore(item.id) }
    }

    /// Writes the results of items, in one transaction. If this throws, they are still in flight.
    ///
    /// - Parameter now: The time in microseconds since 1970, stored with the objects that are named
    ///   now.
    func settle(
        _ settlements: [OutboxSettlement], now: Int64
    ) throws(OutboxError) -> OutboxSettled {
        guard isSender else { throw .notSender(path: path) }
        guard !settlements.isEmpty else { return OutboxSettled() }
        let deliveries = sending.withLock { $0.deliveries(settlements) }
        let (settled, isMarked) = try writes.run { [options] (transaction) throws(OutboxError) in
            if let deliveries, transaction.counters.changes == deliveries.changes {
                try transaction.deliver(deliveries.ids, keeping: options.deliveredMax)
                return (OutboxSettled(), true)
            }
            try transaction.beginChange()
            return (try transaction.settle(settlements, now: now), false)
        }
        sending.withLock { sending in
            if !isMarked { sending.ahead = nil }
            for settlement in settlements { sending.settle(settlement.id) }
            for known in settled.identities { sending.move(known) }
        }
        return settled
    }

    /// Deletes the rows of items that are done, if this is the sender. It is not urgent, but until
    /// then the requests that were sent stay on the disk.
    func tidy() throws(OutboxError) {
        if isSender, try counters().delivered > 0 { try takeOutDelivered() }
    }

    /// Deletes the rows of items that are done, so that the items behind them get the turn.
    func takeOutDelivered() throws(OutboxError) {
        try writes.run { (transaction) throws(OutboxError) in try transaction.takeOutDelivered() }
    }

    // MARK: Waiting

    /// Makes all items due that wait for their time, because the network is back or the program
    /// asks for a flush. A wait that a server asked for is kept, unless `forced`.
    func hurry(forced: Bool, now: Int64) throws(OutboxError) {
        guard try nextAttemptAt() != nil else { return }
        try change { (transaction) throws(OutboxError) in
            try transaction.turns.hurry(forced: forced, now: now)
        }
    }

    /// Returns the time at which the first waiting item becomes due; `nil` if no item waits for its
    /// time.
    func nextAttemptAt() throws(OutboxError) -> Int64? {
        try first("SELECT turn FROM item WHERE turn > 0 ORDER BY turn LIMIT 1") {
            $0.integer(0)
        }
    }
}
