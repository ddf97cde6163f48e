import RestwaySQLite
import RestwayThreads

/// Reads the outbox without waiting for writers.
extension OutboxJournal {
    // MARK: Counts

    /// Returns the numbers of all items. They are stored, so no items are counted.
    package func counts() throws(OutboxError) -> OutboxCounts {
        let counters = try counters()
        return OutboxCounts(waiting: Int(counters.waiting), dead: Int(counters.dead))
    }

    func counters() throws(OutboxError) -> JournalCounters {
        try reader.withLock { (file) throws(OutboxError) in try file.counters().current }
    }

    /// Returns the same numbers and how many items are blocked. It looks at dead letters and at the
    /// items that they block.
    package func countsWithBlocked() throws(OutboxError) -> OutboxCounts {
        var counts = try counts()
        counts.blocked = try reader.withLock { (file) throws(OutboxError) in
            try BlockedItems(file: file, rules: options.rules).count()
        }
        return counts
    }

    /// Returns the `counts`, from memory as long as nothing has been committed.
    private func recentCounts() throws(OutboxError) -> OutboxCounts {
        let mark = logMark
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
    package var isEmpty: Bool { (try? recentCounts().all) == 0 }

    /// Whether any item is neither done nor a dead letter; true if the file cannot be read. This
    /// costs next to nothing as long as nothing is committed.
    package var hasWaiting: Bool { (try? recentCounts().waiting) != 0 }

    private var logMark: UInt64? { reader.withLock { $0.connection.commitMark } }

    /// A value that differs after each commit of any process. It shows that others have stored
    /// requests.
    package var changeMark: UInt64 {
        if let logMark { return logMark }
        let version = try? reader.first("PRAGMA data_version") { $0.integer(0) }
        return UInt64(bitPattern: version ?? 0)
    }

    /// Returns whether any item could be sent, now or when its time has come. Dead letters and the
    /// items that they block do not count.
    package func needsFlushing() throws(OutboxError) -> Bool {
        // Thousands of rows of delivered items may still exist.
        if try counts().waiting == 0 { return false }
        if options.rules.order == .strict, options.rules.deadLetters == .blockTheirLane {
            // If there are dead letters, there are no rows of delivered items.
            let isBlocked = try reader.first("SELECT state FROM item ORDER BY id LIMIT 1") {
                $0.integer(0) == OutboxItem.State.dead.rawValue
            }
            if isBlocked == true { return false }
        }
        let isNext = try reader.exists(
            "SELECT 1 FROM item WHERE turn IS NOT NULL AND \(DeliveredItems.excluded) LIMIT 1")
        if isNext { return true }
        return try reader.exists(DeliveredItems.followers + " LIMIT 1", .integer(.max))
    }

    // MARK: Lanes

    /// Returns whether a request of this lane has to go behind stored ones. Calls in flight that
    /// are not items are not known here. This costs next to nothing while the outbox is empty.
    package func isOccupied(_ lane: Lane) throws(OutboxError) -> Bool {
        if try recentCounts().all == 0 { return false }
        let scope = options.rules.order == .strict ? "?1 IS NOT NULL" : "lane = ?1"
        let isPassable = options.rules.deadLetters == .letOthersPass
        let items = isPassable ? "state = 0 AND \(HeldItems.excluded)" : "true"
        return try reader.exists(
            "SELECT 1 FROM item WHERE \(scope) AND \(items) AND \(DeliveredItems.excluded) LIMIT 1",
            .text(lane.name))
    }

    /// Returns whether any request of this lane is stored, including dead letters.
    package func holds(_ lane: Lane) throws(OutboxError) -> Bool {
        try reader.exists(
            "SELECT 1 FROM item WHERE lane = ?1 AND \(DeliveredItems.excluded) LIMIT 1",
            .text(lane.name))
    }

    // MARK: Items

    /// Returns a page of items, oldest first.
    ///
    /// - Parameter id: The last item of the page before; 0 for the first page.
    /// - Parameter state: The state of the items; `nil` for all.
    package func items(
        after id: Int64, itemsMax: Int, state: OutboxItem.State? = nil
    ) throws(OutboxError) -> [OutboxItem] {
        let inFlight = sending.withLock { Set($0.inFlight.keys) }
        if state == .inFlight {
            let ids = inFlight.filter { $0 > id }.sorted().prefix(itemsMax)
            var items: [OutboxItem] = []
            for id in ids {
                if let item = try item(id) { items.append(item) }
            }
            return items
        }
        // Nearly all items are waiting; those in flight are left out later.
        let condition = state == .dead ? " AND state = 1" : state == nil ? "" : " AND state = 0"
        let rowsMax = itemsMax + (state == .waiting ? inFlight.count : 0)
        var items = try reader.withLock { (file) throws(OutboxError) in
            let found = try file.all(
                ItemRow.selection + " WHERE id > ?1\(condition) AND \(DeliveredItems.excluded) "
                    + "ORDER BY id LIMIT ?2",
                .integer(id), .integer(Int64(rowsMax)), read: ItemRow.read)
            let blocked = BlockedItems(file: file, rules: options.rules)
            return try found.map { (item) throws(OutboxError) in
                try blocked.completed(item, isInFlight: inFlight.contains(item.id))
            }
        }
        if state == .waiting { items.removeAll { $0.state != .waiting } }
        return Array(items.prefix(itemsMax))
    }

    /// Returns the item; `nil` if it does not exist.
    package func item(_ id: Int64) throws(OutboxError) -> OutboxItem? {
        let isInFlight = sending.withLock { $0.inFlight[id] != nil }
        return try reader.withLock { (file) throws(OutboxError) in
            let item = try file.first(
                ItemRow.selection + " WHERE id = ?1 AND \(DeliveredItems.excluded)",
                .integer(id), read: ItemRow.read)
            guard let item else { return nil }
            let blocked = BlockedItems(file: file, rules: options.rules)
            return try blocked.completed(item, isInFlight: isInFlight)
        }
    }

    // MARK: Objects

    /// Returns whether any request about the object with this store key is stored, including dead
    /// letters.
    ///
    /// - Parameter isMeant: Tells from the context of a request whether its store key belongs to
    ///   the store in question.
    package func holds(
        entity: String, storeKey: Int64, where isMeant: ([UInt8]) -> Bool
    ) throws(OutboxError) -> Bool {
        try reader.exists(
            "SELECT context FROM item WHERE entity = ?1 AND storeKey = ?2 "
                + "UNION ALL SELECT context FROM companion JOIN item ON item.id = companion.item "
                + "WHERE companion.entity = ?1 AND companion.storeKey = ?2",
            .text(entity), .integer(storeKey)
        ) { isMeant(Array($0.bytes(0))) }
    }

    /// Returns the dead letters in the lane, and those about the object with this store key.
    package func deadLetters(
        in lane: Lane?, entity: String, storeKey: Int64, where isMeant: ([UInt8]) -> Bool
    ) throws(OutboxError) -> Set<Int64> {
        let found = try reader.all(
            "SELECT id, NULL FROM item WHERE lane = ?1 AND state = 1 "
                + "UNION ALL SELECT id, context FROM item WHERE entity = ?2 AND storeKey = ?3 "
                + "AND state = 1 UNION ALL SELECT id, context FROM companion "
                + "JOIN item ON item.id = companion.item WHERE companion.entity = ?2 "
                + "AND companion.storeKey = ?3 AND item.state = 1",
            .text(lane?.name), .text(entity), .integer(storeKey)
        ) { row in
            (row.integer(0), row.storage(1) == .blob ? Array(row.bytes(1)) : nil)
        }
        return Set(found.filter { $0.1.map(isMeant) ?? true }.map(\.0))
    }

    /// Returns the lanes of all dead letters, and the objects with a store key that dead letters
    /// are about.
    ///
    /// - Parameters:
    ///   - entity: The entity of the objects; `nil` for all.
    ///   - isMeant: See `holds`.
    package func rejectedObjects(
        entity: String?, where isMeant: ([UInt8]) -> Bool
    ) throws(OutboxError) -> (lanes: [Lane], subjects: [OutboxChange.Subject]) {
        let found = try reader.all(
            "SELECT lane, entity, storeKey, context FROM item WHERE state = 1 "
                + "UNION ALL SELECT lane, companion.entity, companion.storeKey, context "
                + "FROM item JOIN companion ON companion.item = item.id WHERE item.state = 1"
        ) { row in
            (
                Lane(stored: row.string(0) ?? ""), entity: row.string(1),
                storeKey: row.integer(2), context: Array(row.bytes(3))
            )
        }
        var subjects: [OutboxChange.Subject] = []
        for row in found {
            guard let name = row.entity, row.storeKey != 0, entity == nil || entity == name,
                isMeant(row.context)
            else { continue }
            subjects.append(.init(entity: name, storeKey: row.storeKey))
        }
        return (found.map(\.0), subjects)
    }

    // MARK: Identities

    /// Returns the local identity of the object with this store key while the request that creates
    /// it is stored. This is for a store whose keys outlive the process.
    package func local(entity: String, storeKey: Int64) throws(OutboxError) -> LocalID? {
        try reader.first(
            "SELECT creates, id FROM item WHERE entity = ?1 AND storeKey = ?2 "
                + "AND creates IS NOT NULL UNION ALL SELECT local, item FROM companion "
                + "WHERE entity = ?1 AND storeKey = ?2 ORDER BY 2 DESC LIMIT 1",
            .text(entity), .integer(storeKey)
        ) { LocalID(unchecked: $0.string(0) ?? "") }
    }

    /// Returns whether a stored request creates the object.
    package func isExpected(_ local: LocalID) throws(OutboxError) -> Bool {
        try reader.exists(
            "SELECT 1 FROM item WHERE creates = ?1 "
                + "UNION ALL SELECT 1 FROM companion WHERE local = ?1",
            .text(local.text))
    }

    /// Returns the server's identity; `nil` as long as the server has not named the object.
    package func identity(of local: LocalID) throws(OutboxError) -> OutboxIdentity? {
        try reader.withLock { (file) throws(OutboxError) in
            try IdentityRow.find(file, local)?.0
        }
    }

    /// Returns the identities after `number`, in the order in which they became known.
    package func identities(
        after number: Int64, countMax: Int
    ) throws(OutboxError) -> [OutboxIdentity] {
        try reader.withLock { (file) throws(OutboxError) in
            try IdentityRow.list(file, after: number, countMax: countMax)
        }
    }
}
