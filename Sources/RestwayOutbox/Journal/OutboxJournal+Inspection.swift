import RestwaySQLite
import RestwayThreads

/// Reads the outbox without waiting for writers.
extension OutboxJournal {
    // MARK: Counts

    /// Returns the numbers of all items. They are stored, so no items are counted.
    func counts() throws(OutboxError) -> OutboxCounts {
        let counters = try counters()
        return OutboxCounts(
            waiting: Int(counters.waiting), dead: Int(counters.dead),
            parked: Int(counters.parked))
    }

    func counters() throws(OutboxError) -> JournalCounters {
        try reader.withLock { (file) throws(OutboxError) in try file.counters().current }
    }

    /// Returns the same numbers, and how many of the waiting items are blocked or sent. It looks at
    /// dead letters and at the items that they block.
    func countsInDetail() throws(OutboxError) -> OutboxCounts {
        var counts = try counts()
        let sent = sending.withLock { Array($0.inFlight.keys) }
        try reader.withLock { (file) throws(OutboxError) in
            counts.blocked = try BlockedItems(file, options.rules).count()
            // An item that was dropped while it was in flight does not count.
            for id in sent where try file.exists(Self.selectionOfItem, .integer(id)) {
                counts.sending += 1
            }
        }
        return counts
    }

    /// A number that changes with each commit of any process; `nil` if it is not known.
    var commitMark: UInt64? { reader.withLock { $0.connection.commitMark } }

    /// Returns the `counts`, from memory as long as nothing has been committed.
    private func recentCounts() throws(OutboxError) -> OutboxCounts {
        let mark = commitMark
        if let mark, let last = lastCounts.withLock({ $0 }), last.mark == mark {
            return last.counts
        }
        // A commit in between is noticed by the next call: the mark is older than the counts.
        let counts = try counts()
        if let mark { lastCounts.withLock { $0 = (mark, counts) } }
        return counts
    }

    /// Whether the outbox holds no item; false if the file cannot be read. This costs next to
    /// nothing as long as nothing is committed.
    var isEmpty: Bool { (try? recentCounts().all) == 0 }

    /// Whether the outbox holds an item that is neither done nor a dead letter; true if the file
    /// cannot be read. This costs next to nothing as long as nothing is committed.
    var hasWaiting: Bool { (try? recentCounts().waiting) != 0 }

    /// Returns whether any item could be sent, now or when its time has come. Dead letters, parked
    /// items and the items that they block do not count.
    func needsFlushing() throws(OutboxError) -> Bool {
        // Thousands of rows of delivered items may still exist.
        let counters = try counters()
        if counters.waiting == 0 { return false }
        let owner = options.owner()
        if counters.owner != owner { return try holdsItems(of: owner) }
        if options.rules.order == .strict, try isFirstBlocked(owner, counters) { return false }
        let isNext = try exists(
            "SELECT 1 FROM item WHERE turn IS NOT NULL AND \(DeliveredItems.excluded) LIMIT 1")
        if isNext { return true }
        return try exists(DeliveredItems.followers + " LIMIT 1", .integer(.max))
    }

    /// Whether an item blocks all waiting items of an owner, if all lanes count as one.
    private func isFirstBlocked(
        _ owner: ItemOwner, _ counters: JournalCounters
    ) throws(OutboxError) -> Bool {
        let isPassing = options.rules.deadLetters == .letOthersPass
        if counters.parked + (isPassing ? 0 : counters.dead) == 0 { return false }
        let blocking = BlockingItems.conditions(options.rules.deadLetters)
        let passed = isPassing ? HeldItems.excluded : "true"
        // If there are dead letters or parked items, there are no rows of delivered items.
        let state = try first(
            "SELECT state FROM item WHERE (state = 0 AND \(passed) "
                + "OR \(blocking.joined(separator: " OR "))) AND \(Self.mine) "
                + "ORDER BY id LIMIT 1", .text(owner.text)
        ) { $0.integer(0) }
        return state != nil && state != ItemRow.State.waiting
    }

    // MARK: Owners

    private static let mine = ItemOwner.condition(item: "owner", by: "?1")

    /// Returns whether any item waits that may be sent in the name of `owner`.
    private func holdsItems(of owner: ItemOwner) throws(OutboxError) -> Bool {
        try exists(
            "SELECT 1 FROM item WHERE state IN (0, 3) AND \(Self.mine) "
                + "AND \(DeliveredItems.excluded) LIMIT 1", .text(owner.text))
    }

    /// Returns whether items wait that this sender may not send.
    func holdsItemsOfOthers() throws(OutboxError) -> Bool {
        try exists("SELECT 1 FROM item WHERE state = 3 LIMIT 1")
    }

    /// Returns whether an item of another lane may be sent now.
    func holdsReadyItem(besides lanes: Set<Lane>) throws(OutboxError) -> Bool {
        try exists(
            "SELECT lane FROM item WHERE turn = 0 AND \(DeliveredItems.excluded)"
        ) { !lanes.contains(Lane(stored: $0.string(0) ?? "")) }
    }

    // MARK: Lanes

    /// Returns whether a request of this lane has to go behind stored requests. Requests that go in
    /// the name of others and conflicts about attributes are not in its way. Calls in flight that
    /// are not items are not known here. This costs next to nothing while the outbox is empty.
    func isOccupied(_ lane: Lane) throws(OutboxError) -> Bool {
        if try recentCounts().all == 0 { return false }
        let scope = options.rules.order == .strict ? "?2 IS NOT NULL" : "lane = ?2"
        let isPassable = options.rules.deadLetters == .letOthersPass
        let items = isPassable ? "state != 1 AND \(HeldItems.excluded)" : "true"
        return try exists(
            "SELECT 1 FROM item WHERE \(scope) AND (state != 4 OR blocks = 1) AND \(items) "
                + "AND \(Self.mine) AND \(DeliveredItems.excluded) LIMIT 1",
            .text(options.owner().text), .text(lane.name))
    }

    /// Returns whether any request of this lane is stored, including dead letters and parked
    /// items.
    func holds(_ lane: Lane) throws(OutboxError) -> Bool {
        try exists(
            "SELECT 1 FROM item WHERE lane = ?1 AND \(DeliveredItems.excluded) LIMIT 1",
            .text(lane.name))
    }

    // MARK: Items

    private static let selectionOfItem =
        ItemRow.selection + " WHERE id = ?1 AND \(DeliveredItems.excluded)"

    /// Returns a page of items, oldest first.
    ///
    /// - Parameter id: The last item of the page before; 0 for the first page.
    func items(after id: Int64, itemsMax: Int) throws(OutboxError) -> [OutboxItem] {
        try items(
            ItemRow.selection + " WHERE id > ?1 AND \(DeliveredItems.excluded) "
                + "ORDER BY id LIMIT ?2", .integer(id), .integer(Int64(itemsMax)))
    }

    /// Returns the item; `nil` if it does not exist.
    func item(_ id: Int64) throws(OutboxError) -> OutboxItem? {
        try items(Self.selectionOfItem, .integer(id)).first
    }

    func items(
        _ selection: String, _ values: Statement.Value...
    ) throws(OutboxError) -> [OutboxItem] {
        let inFlight = sending.withLock { $0.inFlight }
        return try reader.withLock { (file) throws(OutboxError) in
            let blocked = try BlockedItems(file, options.rules)
            let found = try file.all(selection, values, read: ItemRow.read)
            return try found.map { (item) throws(OutboxError) in
                try blocked.completed(item, isInFlight: inFlight[item.id] != nil)
            }
        }
    }

    // MARK: Objects

    /// Returns whether any request about the object with this store key is stored, including dead
    /// letters.
    ///
    /// - Parameter isMeant: Tells from the context of a request whether its store key belongs to
    ///   the store in question.
    func holds(
        entity: String, storeKey: Int64, where isMeant: ([UInt8]) -> Bool
    ) throws(OutboxError) -> Bool {
        try exists(
            "SELECT context FROM item WHERE entity = ?1 AND storeKey = ?2 "
                + "UNION ALL SELECT context FROM companion JOIN item ON item.id = companion.item "
                + "WHERE companion.entity = ?1 AND companion.storeKey = ?2",
            .text(entity), .integer(storeKey)
        ) { isMeant(Array($0.bytes(0))) }
    }

    /// Returns the dead letters in the lane, and the dead letters about the object with this store
    /// key.
    func deadLetters(
        in lane: Lane?, entity: String, storeKey: Int64, where isMeant: ([UInt8]) -> Bool
    ) throws(OutboxError) -> Set<Int64> {
        let found = try all(
            "SELECT id, NULL FROM item WHERE lane = ?1 AND state = 1 "
                + "UNION ALL SELECT id, context FROM item WHERE entity = ?2 AND storeKey = ?3 "
                + "AND state = 1 UNION ALL SELECT id, context FROM companion "
                + "JOIN item ON item.id = companion.item WHERE companion.entity = ?2 "
                + "AND companion.storeKey = ?3 AND item.state = 1",
            .text(lane?.name), .text(entity), .integer(storeKey)
        ) { ($0.integer(0), $0.bytesIfAny(1)) }
        return Set(found.filter { $0.1.map(isMeant) ?? true }.map(\.0))
    }

    /// Returns the lanes of all dead letters, and the objects with a store key that dead letters
    /// are about.
    ///
    /// - Parameter isMeant: See `holds`.
    func rejectedObjects(
        where isMeant: ([UInt8]) -> Bool
    ) throws(OutboxError) -> (lanes: [Lane], objects: [(entity: String, storeKey: Int64)]) {
        let found = try all(
            "SELECT lane, entity, storeKey, context FROM item WHERE state = 1 "
                + "UNION ALL SELECT lane, companion.entity, companion.storeKey, context "
                + "FROM item JOIN companion ON companion.item = item.id WHERE item.state = 1"
        ) { row in
            let (name, key) = (row.string(1) ?? "", row.integer(2))
            let counts = key != 0 && isMeant(Array(row.bytes(3)))
            return (Lane(stored: row.string(0) ?? ""), counts ? (entity: name, storeKey: key) : nil)
        }
        return (found.map(\.0), found.compactMap(\.1))
    }

    // MARK: Identities

    /// Returns the local identity of the object with this store key while the request that creates
    /// it is stored. This is for a store whose keys outlive the process.
    func local(entity: String, storeKey: Int64) throws(OutboxError) -> LocalID? {
        try first(
            "SELECT creates, id FROM item WHERE entity = ?1 AND storeKey = ?2 "
                + "AND creates IS NOT NULL UNION ALL SELECT local, item FROM companion "
                + "WHERE entity = ?1 AND storeKey = ?2 ORDER BY 2 DESC LIMIT 1",
            .text(entity), .integer(storeKey)
        ) { LocalID(stored: $0, 0) }
    }
}
