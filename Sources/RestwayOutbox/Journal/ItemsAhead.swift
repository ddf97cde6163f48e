import RestwaySQLite
import RestwayThreads

/// Items that were read before they are taken: a few hundred at once, beginning with the first item
/// that may be sent. As long as items are only added or done, this decides what may go next without
/// asking the file.
///
/// It only decides. `AheadReader` reads the items and checks whether anything else was changed.
struct ItemsAhead {
    private struct Entry {
        let item: OutboxItem
        /// The position of its lane in `lanes`.
        let lane: Int
        var isTaken: Bool
        var isDone = false
    }

    private struct LaneAhead {
        /// Whether the items of the lane may be sent, one after the other. If this is false, they
        /// wait for an item that was not read.
        let isOpen: Bool
        /// Whether an item of the lane is in flight.
        var isBusy = false
        /// The number of the last call of `choose` that has looked at this lane.
        var choice = 0
    }

    /// The numbers of items at once for which reading ahead is worth it.
    static let counts = 8...256
    /// The limits of what is kept: items that are not taken, the bytes of their bodies, and lanes.
    private static let itemsMax = 512
    private static let bodyBytesMax = 1 << 20
    private static let lanesMax = 4_096

    /// The file's counter of changes when the first item was read.
    let changes: Int64
    /// All items up to this item have been read.
    private(set) var lastRead: Int64
    /// The number of items that are not taken and may be sent, now or when other items of their
    /// lanes are done.
    private(set) var count = 0
    private var bodyBytes = 0
    /// The items by age. The items before `first` are done.
    private var entries: [Entry] = []
    private var first = 0
    private var lanes: [LaneAhead] = []
    private var places: [Lane: Int] = [:]
    private var choice = 0

    /// - Parameters:
    ///   - changes: The file's counter of changes.
    ///   - id: The first item that may be sent now.
    init(changes: Int64, from id: Int64) {
        self.changes = changes
        lastRead = id - 1
    }

    /// The most items to read next; 0 if the items that were read have to be used up first.
    var room: Int {
        bodyBytes < Self.bodyBytesMax && places.count < Self.lanesMax ? Self.itemsMax - count : 0
    }

    /// Reading stops after the item with which the bodies have this many bytes.
    var bodyRoom: Int { Self.bodyBytesMax - bodyBytes }

    /// Adds the next item of the file. Returns false, without adding it, for an unusual item: the
    /// journal finds that item in the file once all items before it are taken.
    ///
    /// - Parameter turn: The item's turn in the file; `nil` if the item stands behind other items
    ///   of its lane.
    mutating func add(_ item: OutboxItem, turn: Int64?, isInFlight: Bool) -> Bool {
        let entry = item.entry
        let lane = place(of: entry.lane, isOpen: turn == 0)
        guard lanes[lane].isOpen else {
            lastRead = item.id
            return true
        }
        guard entry.creates == nil, entry.origin.entity == nil, entry.origin.storeKey == nil,
            entry.edit == nil, entry.progress.nextAttemptAt == 0
        else { return false }
        lastRead = item.id
        if isInFlight {
            lanes[lane].isBusy = true
        } else {
            count += 1
            bodyBytes += item.entry.body?.count ?? 0
        }
        entries.append(Entry(item: item, lane: lane, isTaken: isInFlight))
        return true
    }

    private mutating func place(of lane: Lane, isOpen: Bool) -> Int {
        if let known = places[lane] { return known }
        places[lane] = lanes.count
        lanes.append(LaneAhead(isOpen: isOpen))
        return lanes.count - 1
    }

    /// Returns the positions of the oldest items that may go, at most one item of each lane. The
    /// positions are valid until the next call.
    mutating func choose(_ itemsMax: Int, besides busyLanes: Set<Lane>) -> [Int] {
        choice += 1
        var chosen: [Int] = []
        chosen.reserveCapacity(itemsMax)
        for position in first..<entries.count where !entries[position].isTaken {
            let lane = entries[position].lane
            if lanes[lane].isBusy || lanes[lane].choice == choice { continue }
            lanes[lane].choice = choice
            if !busyLanes.isEmpty, busyLanes.contains(entries[position].item.entry.lane) {
                continue
            }
            chosen.append(position)
            if chosen.count == itemsMax { break }
        }
        return chosen
    }

    /// Marks the items as in flight.
    mutating func take(_ positions: [Int]) -> [OutboxItem] {
        count -= positions.count
        return positions.map { position in
            entries[position].isTaken = true
            lanes[entries[position].lane].isBusy = true
            bodyBytes -= entries[position].item.entry.body?.count ?? 0
            return entries[position].item
        }
    }

    /// Notes that an item is done, so that the one behind it may go.
    mutating func delivered(_ id: Int64) {
        guard let position = position(of: id) else { return }
        entries[position].isDone = true
        lanes[entries[position].lane].isBusy = false
        while first < entries.count, entries[first].isDone { first += 1 }
        guard first >= Self.itemsMax else { return }
        entries.removeFirst(first)
        first = 0
    }

    private func position(of id: Int64) -> Int? {
        var (low, high) = (first, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].item.id < id { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].item.id == id ? low : nil
    }
}

/// Takes many items at once from the items that were read ahead, and reads on. This is a second way
/// beside the general way in `OutboxJournal.take`, for plain requests that go out in large batches.
///
/// It holds the lock of the sender while it reads, so that no item ends in between.
struct AheadReader {
    let journal: OutboxJournal

    /// The number of takes without reading ahead after it did not pay.
    private static let takesAtRest = 16

    /// Takes items that were read ahead.
    ///
    /// - Returns: The items; `nil` if they have to be looked for in the file. The list is empty if
    ///   `itemsMin` items can go only after other items have been settled, or if nothing may go.
    func take(
        itemsMax: Int, itemsMin: Int, besides busyLanes: Set<Lane>, if mayGo: () -> Bool,
        _ sending: inout SenderState
    ) throws(OutboxError) -> [OutboxItem]? {
        let rules = journal.options.rules
        guard rules.order == .lanes, !rules.batchStopsAtFailure,
            ItemsAhead.counts.contains(itemsMax)
        else { return nil }
        if sending.restingTakes > 0 {
            sending.restingTakes -= 1
            return nil
        }
        try begin(&sending)
        var (isEnd, mayRead) = (false, true)
        while let chosen = sending.ahead?.choose(itemsMax, besides: busyLanes) {
            if mayRead, chosen.count < itemsMax, let added = try read(2 * itemsMax, &sending) {
                (isEnd, mayRead) = (added.isEnd, added.mayReadOn)
                // Most of these items wait for something.
                if mayRead, !added.pays { break }
                continue
            }
            // Fewer items than asked for are taken only if all items were read; otherwise the file
            // may have more.
            let isAll = isEnd && (sending.ahead?.count ?? 0) > chosen.count
            if chosen.count >= max(itemsMin, ItemsAhead.counts.lowerBound),
                chosen.count == itemsMax || isAll
            {
                guard mayGo() else { return [] }
                let items = sending.ahead?.take(chosen) ?? []
                for item in items { sending.depart(item, changes: sending.ahead?.changes) }
                return items
            }
            if itemsMin > 1, !sending.inFlight.isEmpty { return [] }
            if sending.ahead?.count == chosen.count { return nil }
            break
        }
        // Reading ahead does not pay here.
        if sending.ahead != nil { sending.restingTakes = Self.takesAtRest }
        sending.ahead = nil
        return nil
    }

    /// Reads on after the items that were read ahead, up to twice `itemsMax`.
    func readOn(itemsMax: Int, _ sending: inout SenderState) throws(OutboxError) {
        guard sending.lock.isHeld, let ahead = sending.ahead, ahead.room >= itemsMax else { return }
        _ = try read(2 * itemsMax, &sending)
    }

    /// Checks whether the items that were read ahead are still valid; if not, begins again at the
    /// first item that may go, unless reading ahead has no use.
    private func begin(_ sending: inout SenderState) throws(OutboxError) {
        let counters = try journal.counters()
        if sending.ahead?.changes == counters.changes { return }
        sending.ahead = nil
        guard counters.dead == 0, counters.parked == 0, counters.waiting > 0 else { return }
        // Without this, the items behind the delivered items would have no turn.
        if counters.delivered > 0 { try journal.takeOutDelivered() }
        let ahead = try journal.first(
            "SELECT changes, (SELECT id FROM item WHERE turn = 0 ORDER BY id LIMIT 1) "
                + "FROM outbox WHERE dead = 0 AND parked = 0"
        ) { row in
            row.integerIfAny(1).map { ItemsAhead(changes: row.integer(0), from: $0) }
        }
        sending.ahead = ahead ?? nil
    }

    /// Reads the next items.
    ///
    /// - Returns: Whether the file has no more, whether the items behind them can be read ahead
    ///   too, and whether many of the items may be sent; `nil` if there is no room.
    private func read(
        _ itemsMax: Int, _ sending: inout SenderState
    ) throws(OutboxError) -> (isEnd: Bool, mayReadOn: Bool, pays: Bool)? {
        guard let room = sending.ahead?.room, room > 0, var ahead = sending.ahead.take() else {
            return nil
        }
        defer { sending.ahead = ahead }
        let (rowsMax, bytesMax, before) = (min(itemsMax, room), ahead.bodyRoom, ahead.count)
        let inFlight = sending.inFlight
        var (rows, bytes, isPlain, isEnd) = (0, 0, true, false)
        try journal.reader.withLock { (file) throws(OutboxError) in
            try file.reading { () throws(OutboxError) in
                let changes = try file.first(Self.plainSelection) { $0.integer(0) }
                isPlain = changes == ahead.changes
                guard isPlain else { return }
                isEnd = try !file.exists(
                    ItemRow.aheadSelection, .integer(ahead.lastRead), .integer(Int64(rowsMax))
                ) { row in
                    let item = ItemRow.read(row)
                    isPlain = ahead.add(
                        item, turn: ItemRow.turn(row), isInFlight: inFlight[item.id] != nil)
                    rows += 1
                    bytes += item.entry.body?.count ?? 0
                    return !isPlain || bytes >= bytesMax || rows == rowsMax
                }
            }
        }
        let pays = ahead.count - before >= rowsMax / 2
        return (isEnd: isEnd, mayReadOn: isPlain && !isEnd, pays: pays)
    }

    /// Selects the counter if no item waits for objects and no item has companions.
    private static let plainSelection =
        "SELECT changes FROM outbox WHERE NOT EXISTS (SELECT 1 FROM dependency) "
        + "AND NOT EXISTS (SELECT 1 FROM companion)"
}
