/// Items that were read before they are taken: some hundred, in one go, from the first that may be
/// sent on. While nobody changes anything about items but that some are added, or done, this says
/// what may go next, and the file need not be asked.
///
/// Decides only; `OutboxJournal` reads, and looks whether something was changed.
struct ItemsAhead {
    private struct Entry {
        let item: OutboxItem
        /// Its place among the lanes.
        let lane: Int
        /// Behind it in its lane.
        var next: Int64?
        var isTaken: Bool
        var isDone = false
    }

    private struct LaneAhead {
        /// Its items may be sent, one after the other; else they wait for one that was not read.
        let isOpen: Bool
        /// One of it is in flight.
        var isBusy = false
        /// The round in which one of it was chosen, or was in the way.
        var round = 0
        /// The last that was read.
        var last: Int64?
    }

    /// More are not taken at once.
    static let takenMax = 256
    /// Of items that are not taken; of their bodies; and of lanes.
    private static let itemsMax = 512
    private static let bodyBytesMax = 1 << 20
    private static let lanesMax = 4_096

    /// Where reading goes on.
    struct End: Equatable {
        /// What the counter of the file was when the first item was read.
        let changes: Int64
        /// How many items had been settled or released by then.
        let landings: Int
        /// Up to here all items have been read.
        var lastRead: Int64
    }

    /// What is to be read next.
    struct Gap {
        let end: End
        /// No more items than that.
        let room: Int
        /// Behind the item with which their bodies have so many bytes, no more are read.
        let bytes: Int
    }

    struct Row {
        let item: OutboxItem
        /// As it stands in the file: nil for one behind others of its lane.
        let turn: Int64?
    }

    /// What was read of a gap.
    struct Stretch {
        var rows: [Row] = []
        /// Else what comes next has to be looked for in another way.
        var isPlain = false
        /// There are no more.
        var isEnd = false
    }

    private(set) var end: End
    /// Of items that may be sent, now or when others of their lanes are done, how many are left.
    private(set) var count = 0
    private var bodyBytes = 0
    /// By age. Those before `first` are done.
    private var entries: [Entry] = []
    private var first = 0
    private var lanes: [LaneAhead] = []
    private var places: [Lane: Int] = [:]
    private var round = 0
    /// So many are read at once: more and more.
    private var itemsAtOnce: Int

    /// - Parameters:
    ///   - changes: Of the file.
    ///   - landings: Before the file was looked at.
    ///   - id: Of the first item that has its turn now.
    init(changes: Int64, landings: Int, from id: Int64, itemsMax: Int) {
        end = End(changes: changes, landings: landings, lastRead: id - 1)
        itemsAtOnce = itemsMax
    }

    /// What may be read now: more each time, as that has paid until now; nil: what is here has to
    /// be used up before.
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

    /// The next item of the file; false, and it is not added, for one that is not like most: its
    /// turn comes when all before it are taken, by asking the file.
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

    /// The oldest that may go, each of another lane, by their positions until the next call.
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

    /// They are in flight from here on.
    mutating func take(_ positions: [Int]) -> [OutboxItem] {
        count -= positions.count
        return positions.map { position in
            entries[position].isTaken = true
            lanes[entries[position].lane].isBusy = true
            bodyBytes -= entries[position].item.entry.body?.count ?? 0
            return entries[position].item
        }
    }

    /// What stands behind an item in its lane, if that was read.
    func next(of id: Int64) -> Int64? {
        position(of: id).flatMap { entries[$0].next }
    }

    /// It is done: what is behind it may go.
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
