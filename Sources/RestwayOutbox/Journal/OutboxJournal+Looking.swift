import RestwaySQLite
import RestwaySupport

/// What there is, read without waiting for those who write.
extension OutboxJournal {
    /// Whether a request of this lane has to go behind what is stored; a call in flight is not
    /// known here. Costs next to nothing while the outbox is empty.
    package func isOccupied(_ lane: Lane) throws(OutboxError) -> Bool {
        let glance = try glanceAtCounts()
        let all = glance.counts
        if all.all == 0 { return false }
        // Then no dead letters are.
        if glance.hasDelivered {
            if options.rules.order == .strict { return true }
            return try holds(lane)
        }
        let isPassable = options.rules.deadLetters == .letOthersPass
        if options.rules.order == .strict, !isPassable { return true }
        guard isPassable else {
            return try reader.withLock { (file) throws(OutboxError) in
                try file.exists(Self.laneSelection, .text(lane.name))
            }
        }
        let held = all.dead > 0 ? " AND \(HeldItems.excluded)" : ""
        return try reader.withLock { (file) throws(OutboxError) in
            if options.rules.order == .strict {
                return try file.exists("SELECT 1 FROM item WHERE state = 0\(held) LIMIT 1")
            }
            return try file.exists(
                "SELECT 1 FROM item WHERE lane = ?1 AND state = 0\(held) LIMIT 1",
                .text(lane.name))
        }
    }

    private static let laneSelection = SQL("SELECT 1 FROM item WHERE lane = ?1 LIMIT 1")

    /// Costs next to nothing as long as nobody commits; false when it cannot be read.
    package var isEmpty: Bool { (try? glanceAtCounts().counts.all) == 0 }

    /// Whether any request of this lane is stored, a dead letter too.
    package func holds(_ lane: Lane) throws(OutboxError) -> Bool {
        try reader.withLock { (file) throws(OutboxError) in
            try file.exists(
                "SELECT 1 FROM item WHERE lane = ?1 AND \(DeliveredItems.excluded) LIMIT 1",
                .text(lane.name))
        }
    }

    /// Whether any request of the object with this store key is stored, a dead letter too.
    ///
    /// - Parameter isMeant: Tells by the context of a request whether its store key is one of the
    ///   store that is asked for.
    package func holds(
        entity: String, storeKey: Int64, where isMeant: ([UInt8]) -> Bool
    ) throws(OutboxError) -> Bool {
        try reader.withLock { (file) throws(OutboxError) in
            try file.exists(
                "SELECT context FROM item WHERE entity = ?1 AND storeKey = ?2 "
                    + "UNION ALL SELECT context FROM companion "
                    + "JOIN item ON item.id = companion.item "
                    + "WHERE companion.entity = ?1 AND companion.storeKey = ?2",
                .text(entity), .integer(storeKey)
            ) { isMeant(Array($0.bytes(0))) }
        }
    }

    /// Of everything; nothing is counted for it.
    package func counts() throws(OutboxError) -> OutboxCounts {
        try reader.withLock { (file) throws(OutboxError) in try Self.counts(file).0 }
    }

    /// The same, and how many are blocked: looks at dead letters and at what they block.
    package func countsWithBlocked() throws(OutboxError) -> OutboxCounts {
        try reader.withLock { (file) throws(OutboxError) in
            var counts = try Self.counts(file).0
            counts.blocked = try BlockedItems(file, options.rules).count()
            return counts
        }
    }

    private static func counts(
        _ file: JournalConnection
    ) throws(OutboxError) -> (OutboxCounts, hasDelivered: Bool) {
        // Those behind the last one that was counted wait: see `JournalTransaction`.
        try file.first(
            "SELECT waiting + max(0, coalesce((SELECT max(id) FROM item), 0) - lastItem), dead, "
                + "delivered FROM outbox"
        ) { row in
            (
                OutboxCounts(waiting: Int(row.integer(0)), dead: Int(row.integer(1))),
                hasDelivered: row.integer(2) > 0
            )
        } ?? (OutboxCounts(), hasDelivered: false)
    }

    /// `counts`, from memory as long as nobody has committed.
    private func glanceAtCounts() throws(OutboxError) -> Glance {
        let mark = logMark
        if let mark, let last = glance.withLock({ $0 }), last.mark == mark { return last }
        let (counts, hasDelivered) = try reader.withLock { (file) throws(OutboxError) in
            try Self.counts(file)
        }
        // A commit in between is seen the next time: the mark is older than the counts.
        let seen = Glance(mark: mark ?? 0, counts: counts, hasDelivered: hasDelivered)
        if mark != nil { glance.withLock { $0 = seen } }
        return seen
    }

    private var logMark: UInt64? { reader.withLock { $0.connection.commitMark } }

    /// Differs after each commit, whichever process made it: to see that others have enqueued.
    package var changeMark: UInt64 {
        logMark
            ?? reader.withLock { file in
                let version = try? file.first("PRAGMA data_version") { $0.integer(0) }
                return UInt64(bitPattern: (version ?? nil) ?? 0)
            }
    }

    /// Whether anything could be sent, now or when its time has come: neither dead letters nor what
    /// they block count.
    package func needsFlushing() throws(OutboxError) -> Bool {
        try reader.withLock { (file) throws(OutboxError) in
            // What is done may still be there by the thousand.
            if try Self.counts(file).0.waiting == 0 { return false }
            if options.rules.order == .strict, options.rules.deadLetters == .blockTheirLane {
                // With dead letters there are no rows of what is done.
                let state = try file.first("SELECT state FROM item ORDER BY id LIMIT 1") {
                    $0.integer(0)
                }
                if state == OutboxItem.State.dead.rawValue { return false }
            }
            let isNext = try file.exists(
                "SELECT 1 FROM item WHERE turn IS NOT NULL AND \(DeliveredItems.excluded) LIMIT 1")
            if isNext { return true }
            return try file.exists(DeliveredItems.haveFollowers)
        }
    }

    /// Oldest first.
    ///
    /// - Parameter id: Of the last item of the page before; 0 for the first page.
    /// - Parameter state: nil for all.
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
        var items = try reader.withLock { (file) throws(OutboxError) in
            // Waiting ones are nearly all there are, but for those in flight.
            let condition = state == .dead ? " AND state = 1" : state == nil ? "" : " AND state = 0"
            let found = try file.all(
                ItemRow.selection + " WHERE id > ?1\(condition) AND \(DeliveredItems.excluded) "
                    + "ORDER BY id LIMIT ?2",
                .integer(id),
                .integer(Int64(itemsMax + (state == .waiting ? inFlight.count : 0))),
                read: ItemRow.read)
            return try found.map { (item) throws(OutboxError) in
                try completed(item, inFlight, file)
            }
        }
        if state == .waiting { items.removeAll { $0.state != .waiting } }
        return Array(items.prefix(itemsMax))
    }

    /// nil: there is none.
    package func item(_ id: Int64) throws(OutboxError) -> OutboxItem? {
        let inFlight = sending.withLock { Set($0.inFlight.keys) }
        return try reader.withLock { (file) throws(OutboxError) in
            let item = try file.first(
                ItemRow.selection + " WHERE id = ?1 AND \(DeliveredItems.excluded)",
                .integer(id), read: ItemRow.read)
            guard let item else { return nil }
            return try completed(item, inFlight, file)
        }
    }

    private func completed(
        _ item: OutboxItem, _ inFlight: Set<Int64>, _ file: JournalConnection
    ) throws(OutboxError) -> OutboxItem {
        let state = inFlight.contains(item.id) ? .inFlight : item.state
        let dependencies = try file.all(
            "SELECT local FROM dependency WHERE item = ?1 ORDER BY local", .integer(item.id)
        ) { LocalID(unchecked: $0.string(0) ?? "") }
        var isBlocked = false
        if state == .waiting {
            let isBehind = try BlockedItems(file, options.rules).contains(item)
            isBlocked = isBehind || !dependencies.isEmpty
        }
        return OutboxItem(
            id: item.id, entry: item.entry, state: state, answer: item.answer,
            dependencies: dependencies, isBlocked: isBlocked)
    }

    // MARK: Identities

    /// What the object with this store key is called, as long as the request that creates it is
    /// stored: for a store that keeps its keys longer than a process lives.
    package func local(entity: String, storeKey: Int64) throws(OutboxError) -> LocalID? {
        try reader.withLock { (file) throws(OutboxError) in
            try file.first(
                "SELECT creates, id FROM item WHERE entity = ?1 AND storeKey = ?2 "
                    + "AND creates IS NOT NULL UNION ALL SELECT local, item FROM companion "
                    + "WHERE entity = ?1 AND storeKey = ?2 ORDER BY 2 DESC LIMIT 1",
                .text(entity), .integer(storeKey)
            ) { LocalID(unchecked: $0.string(0) ?? "") }
        }
    }

    /// Whether a request that is stored makes the object.
    package func isExpected(_ local: LocalID) throws(OutboxError) -> Bool {
        try reader.withLock { (file) throws(OutboxError) in
            try file.exists(
                "SELECT 1 FROM item WHERE creates = ?1 "
                    + "UNION ALL SELECT 1 FROM companion WHERE local = ?1",
                .text(local.text))
        }
    }

    /// nil as long as the server has not named the object.
    package func identity(of local: LocalID) throws(OutboxError) -> OutboxIdentity? {
        try reader.withLock { (file) throws(OutboxError) in
            try IdentityRow.find(file, local)?.0
        }
    }

    /// In the order in which they became known, behind `number`.
    package func identities(
        after number: Int64, countMax: Int
    ) throws(OutboxError) -> [OutboxIdentity] {
        try reader.withLock { (file) throws(OutboxError) in
            try IdentityRow.list(file, after: number, countMax: countMax)
        }
    }
}
