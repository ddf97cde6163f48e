/// Snapshots by store key. Keys are given in sequence, so they lie close together: a page holds
/// those of a range of keys, and nearly every search ends in the page of the search before.
///
/// Owned by one table, which destroys it.
struct SnapshotPages {
    private typealias Slots = UnsafeMutablePointer<Snapshot?>

    private struct Page {
        let slots: Slots
        var count = 0
    }

    private static let bits: Int64 = 6
    private static let size = 1 << Int(bits)

    private(set) var count = 0
    private var pages: [Int64: Page] = [:]
    private var lastNumber: Int64 = -1
    private var lastSlots: Slots?

    mutating func destroy() {
        for page in pages.values { Self.free(page.slots) }
        self = SnapshotPages()
    }

    subscript(key: Int64) -> Snapshot? {
        mutating get {
            slots(key >> Self.bits).flatMap { $0[Self.index(key)] }
        }
    }

    /// Puts `snapshot` in the place of what is there; true when nothing was.
    mutating func put(_ snapshot: Snapshot, _ key: Int64) {
        let number = key >> Self.bits
        let slots = slots(number) ?? make(number)
        let isNew = slots[Self.index(key)] == nil
        slots[Self.index(key)] = snapshot
        guard isNew else { return }
        count += 1
        pages[number]!.count += 1
    }

    mutating func remove(_ key: Int64) {
        let number = key >> Self.bits
        guard let slots = slots(number), slots[Self.index(key)] != nil else { return }
        slots[Self.index(key)] = nil
        count -= 1
        pages[number]!.count -= 1
        guard pages[number]!.count == 0 else { return }
        pages[number] = nil
        lastSlots = nil
        lastNumber = -1
        Self.free(slots)
    }

    /// All of them, in no order.
    var all: [Snapshot] {
        var all: [Snapshot] = []
        all.reserveCapacity(count)
        for page in pages.values {
            for index in 0..<Self.size {
                if let snapshot = page.slots[index] { all.append(snapshot) }
            }
        }
        return all
    }

    @inline(__always)
    private mutating func slots(_ number: Int64) -> Slots? {
        if number == lastNumber { return lastSlots }
        guard let page = pages[number] else { return nil }
        lastNumber = number
        lastSlots = page.slots
        return page.slots
    }

    private mutating func make(_ number: Int64) -> Slots {
        let slots = Slots.allocate(capacity: Self.size)
        slots.initialize(repeating: nil, count: Self.size)
        pages[number] = Page(slots: slots)
        lastNumber = number
        lastSlots = slots
        return slots
    }

    private static func index(_ key: Int64) -> Int { Int(key & (1 << bits - 1)) }

    private static func free(_ slots: Slots) {
        slots.deinitialize(count: size)
        slots.deallocate()
    }
}
