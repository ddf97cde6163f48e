/// Items that were read before they are taken: a few hundred at once, beginning with the first that
/// may be sent. As long as items are only added or done, this decides what may go next without
/// asking the file.
///
/// It only decides. `OutboxJournal` reads the items and checks whether anything else was changed.
struct ItemsAhead {
    private struct Entry {
        let item: OutboxItem
        /// The position of its lane in `lanes`.
        let lane: Int
        /// The item behind it in its lane.
        var next: Int64?
        var isTaken: Bool
        var isDone = false
    }

    private struct LaneAhead {
        /// Whether its items may be sent, one after the other. If not, they wait for an item that
        /// was not read.
        let isOpen: Bool
        /// Whether one of its items is in flight.
        var isBusy = false
        /// The number of the last call of `choose` that chose an item of this lane or found the
        /// lane busy elsewhere.
        var round = 0
        /// The last item of the lane that was read.
        var last: Int64?
    }

    /// The most items that are taken at once.
    static let takenMax = 256
    /// The limits of what is kept: items that are not taken, the bytes of their bodies, and lanes.
    private static let itemsMax = 512
    private static let bodyBytesMax = 1 << 20
    private static let lanesMax = 4_096

    /// The place where reading continues.
    struct End: Equatable {
        /// The file's counter of changes when the first item was read.
        let changes: Int64
        /// The number of items that had been settled or released by then.
        let landings: Int
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
    private var round = 0
    /// The number of items in the next read. It grows with each read.
    private var itemsAtOnce: Int

    /// - Parameters:
    ///   - changes: The file's counter of changes.
    ///   - landings: The count from before the file was read.
    ///   - id: The first item that may be sent now.
    init(changes: Int64, landings: Int, from id: Int64, itemsMax: Int) {
        end = End(changes: changes, landings: landings, lastRead: id - 1)
        itemsAtOnce = itemsMax
    }

    /// Returns what to read next, more each time, since reading ahead has paid off so far; `nil` if
    /// the items that were read have to be used up first.
    mutating func gap() -> Gap? {
        defer { itemsAtOnce = min(itemsAtOnce * 2, Self.itemsMax) }
        return gap(itemsMax: itemsAtOnce)
    }

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
        if let last = lanes[lane].last, let before = position(of: last) {
            entries[before].next = id
        }
        lanes[lane].last = id
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
        round += 1
        var chosen: [Int] = []
        chosen.reserveCapacity(itemsMax)
        for position in first..<entries.count where !entries[position].isTaken {
            let lane = entries[position].lane
            if lanes[lane].isBusy || lanes[lane].round == round { continue }
            lanes[lane].round = round
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

    /// Returns the item behind this one in its lane; `nil` if that was not read.
    func next(of id: Int64) -> Int64? {
        position(of: id).flatMap { entries[$0].next }
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
