import RestwaySQLite
import RestwaySupport

/// Items that were read before they are taken: a few hundred at once, beginning with the first that
/// may be sent. As long as items are only added or done, this decides what may go next without
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
        /// Whether its items may be sent, one after the other. If not, they wait for an item that
        /// was not read.
        let isOpen: Bool
        /// Whether one of its items is in flight.
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

    /// The place where reading continues.
    struct End: Equatable {
        /// The file's counter of changes when the first item was read.
        let changes: Int64
        /// The number of items that had been settled or released by then.
        let endedCount: Int
        /// All items up to this one have been read.
        var lastRead: Int64
    }

    /// The part that is to be read next.
    struct Gap {
        let end: End
        /// The most items to read.
        let room: Int
        /// Reading stops after the item with which the bodies have this many bytes.
        let bytes: Int
    }

    struct Row {
        let item: OutboxItem
        /// The item's turn in the file; `nil` if the item stands behind others of its lane.
        let turn: Int64?
    }

    /// The items that were read for a gap.
    struct Stretch {
        var rows: [Row] = []
        /// Whether the items can be used here. If not, the next items have to be found in another
        /// way.
        var isPlain = false
        /// Whether there are no more items.
        var isEnd = false
    }

    private(set) var end: End
    /// The number of items that are not taken and may be sent, now or when others of their lanes
    /// are done.
    private(set) var count = 0
    private var bodyBytes = 0
    /// The items by age. Those before `first` are done.
    private var entries: [Entry] = []
    private var first = 0
    private var lanes: [LaneAhead] = []
    private var places: [Lane: Int] = [:]
    private var choice = 0

    /// - Parameters:
    ///   - changes: The file's counter of changes.
    ///   - endedCount: The number of items that had been settled or released before the file was
    ///     read.
    ///   - id: The first item that may be sent now.
    init(changes: Int64, endedCount: Int, from id: Int64) {
        end = End(changes: changes, endedCount: endedCount, lastRead: id - 1)
    }

    /// Returns what to read next; `nil` if the items that were read have to be used up first.
    func gap(itemsMax: Int) -> Gap? {
        guard bodyBytes < Self.bodyBytesMax, places.count < Self.lanesMax, count < Self.itemsMax
        else { return nil }
        return Gap(
            end: end, room: min(itemsMax, Self.itemsMax - count),
            bytes: Self.bodyBytesMax - bodyBytes)
    }

    /// Adds the next item of the file. Returns false, without adding it, for an unusual item: the
    /// journal finds that item in the file once all items before it are taken.
    mutating func add(_ row: Row, isInFlight: Bool) -> Bool {
        let (item, id, entry) = (row.item, row.item.id, row.item.entry)
        let lane = place(of: entry.lane, isOpen: row.turn == 0)
        guard lanes[lane].isOpen else {
            end.lastRead = id
            return true
        }
        guard entry.creates == nil, entry.entity == nil, entry.storeKey == nil,
            entry.nextAttemptAt == 0
        else { return false }
        end.lastRead = id
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

    /// Returns the positions of the oldest items that may go, each from another lane. The positions
    /// are valid until the next call.
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

/// Takes many items at once from those that were read ahead, and reads on. This is a second way
/// beside the one in `OutboxJournal.take`, for plain requests that go out in large batches.
struct AheadReader {
    /// The state of the file, as far as it matters for reading ahead.
    private struct FileState {
        var changes: Int64
        /// The number of items that are not done.
        var left: Int64
        var dead: Int64
        /// The number of rows whose items are done.
        var delivered: Int64
    }

    let journal: OutboxJournal

    private var sending: Lock<SenderState> { journal.sending }

    /// Takes items that were read ahead. Settling does not have to wait while this reads.
    ///
    /// - Returns: The items; `nil` if they have to be looked for in the file; empty if `itemsMin`
    ///   of them can go only after others have been settled.
    func take(
        itemsMax: Int, itemsMin: Int, besides busyLanes: Set<Lane>
    ) throws(OutboxError) -> [OutboxItem]? {
        let rules = journal.options.rules
        guard rules.order == .lanes, !rules.batchStopsAtFailure,
            ItemsAhead.counts.contains(itemsMax)
        else { return nil }
        let rests = sending.withLock { sending in
            defer { sending.restingTakes = max(0, sending.restingTakes - 1) }
            return sending.restingTakes > 0
        }
        guard !rests, try begin() else { return nil }
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

    /// Reads on after the items that were read ahead, while the taken ones are being sent, so that
    /// the next take finds them. It reads up to twice `itemsMax`.
    func readOn(itemsMax: Int) throws(OutboxError) {
        let gap: ItemsAhead.Gap? = sending.withLock { sending in
            guard sending.lock.isHeld, sending.restingTakes == 0 else { return nil }
            return sending.ahead?.gap(itemsMax: 2 * itemsMax)
        }
        guard let gap, gap.room >= itemsMax else { return }
        let stretch = try read(gap)
        _ = sending.withLock { $0.fill(gap, with: stretch.rows) }
    }

    /// Checks whether the items that were read ahead are still valid; if not, begins again at the
    /// first item that may go.
    ///
    /// - Returns: False if reading ahead has no use.
    private func begin() throws(OutboxError) -> Bool {
        let endedCount = sending.withLock { $0.endedCount }
        let state = try fileState()
        let isValid = sending.withLock { sending in
            if sending.ahead?.end.changes != state.changes { sending.ahead = nil }
            return sending.ahead != nil
        }
        if isValid { return true }
        guard state.dead == 0, state.left > 0 else { return false }
        // Otherwise the items behind the delivered ones would have no turn.
        if state.delivered > 0 { try takeOutDelivered() }
        let ahead = try journal.reader.first(
            "SELECT changes, (SELECT id FROM item WHERE turn = 0 ORDER BY id LIMIT 1) "
                + "FROM outbox WHERE dead = 0"
        ) { row in
            row.storage(1) == .integer
                ? ItemsAhead(changes: row.integer(0), endedCount: endedCount, from: row.integer(1))
                : nil
        }
        return sending.withLock { sending in
            // If an item was settled meanwhile, it may be done although the file did not say so
            // when it was read.
            guard sending.endedCount == endedCount else { return false }
            sending.ahead = ahead ?? nil
            return sending.ahead != nil
        }
    }

    private func read(_ gap: ItemsAhead.Gap) throws(OutboxError) -> ItemsAhead.Stretch {
        var stretch = ItemsAhead.Stretch()
        var bytes = 0
        try journal.reader.withLock { (file) throws(OutboxError) in
            try file.reading { () throws(OutboxError) in
                let changes = try file.first(Self.plainSelection) { $0.integer(0) }
                guard changes == gap.end.changes else { return }
                stretch.isPlain = true
                stretch.isEnd = try !file.exists(
                    ItemRow.aheadSelection, .integer(gap.end.lastRead), .integer(Int64(gap.room))
                ) { row in
                    let item = ItemRow.read(row)
                    stretch.rows.append(ItemsAhead.Row(item: item, turn: ItemRow.turn(row)))
                    bytes += item.entry.body?.count ?? 0
                    return bytes >= gap.bytes || stretch.rows.count == gap.room
                }
            }
        }
        return stretch
    }

    /// Selects the counter if no item waits for objects and none has companions.
    private static let plainSelection =
        "SELECT changes FROM outbox WHERE NOT EXISTS (SELECT 1 FROM dependency) "
        + "AND NOT EXISTS (SELECT 1 FROM companion)"

    private func fileState() throws(OutboxError) -> FileState {
        // Items after `lastItem` count as waiting (see `JournalTransaction`).
        let state = try journal.reader.first(
            "SELECT changes, waiting + dead + max(0, coalesce((SELECT max(id) FROM item), 0) "
                + "- lastItem), dead, delivered FROM outbox"
        ) { row in
            FileState(
                changes: row.integer(0), left: row.integer(1), dead: row.integer(2),
                delivered: row.integer(3))
        }
        // An error of the file is reported by the next write.
        return state ?? FileState(changes: 0, left: 1, dead: 1, delivered: 0)
    }

    /// Deletes the rows of items that are done, so that the items behind them get the turn.
    ///
    /// - Returns: False, and the rows stay, if no other item is left (see `OutboxJournal.tidy`).
    func makeWayForRest() throws(OutboxError) -> Bool {
        let state = try fileState()
        guard state.left > 0 else { return false }
        if state.delivered > 0 { try takeOutDelivered() }
        return true
    }

    func tidy() throws(OutboxError) {
        if try fileState().delivered > 0 { try takeOutDelivered() }
    }

    private func takeOutDelivered() throws(OutboxError) {
        try journal.writes.run { (transaction) throws(OutboxError) in
            try transaction.takeOutDelivered()
        }
    }
}

extension SenderState {
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
        if mayRead, chosen.count < itemsMax, let gap = ahead?.gap(itemsMax: 2 * itemsMax) {
            return .read(gap)
        }
        // Fewer items than asked for are taken only if all items were read; otherwise the file may
        // have more.
        let isAll = isEnd && count > chosen.count
        guard chosen.count >= max(itemsMin, ItemsAhead.counts.lowerBound),
            chosen.count == itemsMax || isAll
        else {
            if itemsMin > 1, !inFlight.isEmpty { return .taken([]) }
            if count > chosen.count { rest() }
            return .taken(nil)
        }
        guard let items = ahead?.take(chosen), let changes = ahead?.end.changes else {
            return .taken(nil)
        }
        for item in items { depart(item, changes: changes) }
        return .taken(items)
    }

    /// Returns the items of the settlements and the `changes` with which they were read ahead;
    /// `nil` unless all of them were, and are done. Marking them is enough if nothing else about
    /// items has changed since.
    func deliveries(
        _ settlements: [OutboxSettlement]
    ) -> (ids: [Int64], changes: Int64)? {
        guard settlements.count >= ItemsAhead.counts.lowerBound,
            let changes = inFlight[settlements[0].id]?.changes
        else { return nil }
        var ids: [Int64] = []
        for settlement in settlements {
            guard case .remove(let id) = settlement, inFlight[id]?.changes == changes else {
                return nil
            }
            ids.append(id)
        }
        return (ids, changes)
    }
}
