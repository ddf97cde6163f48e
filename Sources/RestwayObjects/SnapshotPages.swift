/// Snapshots by store key. Keys are given in sequence, so they lie close together. A page holds the
/// snapshots of a range of keys, and nearly every search ends in the page of the search before.
///
/// One table owns the pages and destroys them.
struct SnapshotPages {
    private typealias Slots = UnsafeMutablePointer<Snapshot?>

    private struct Page {
        let slots: Slots
        /// The count is behind a pointer, so that changing it needs no search for the page.
        let count: UnsafeMutablePointer<Int>
    }

    private static let bits: Int64 = 6
    private static let size = 1 << Int(bits)

    private(set) var count = 0
    private var pages: [Int64: Page] = [:]
    private var lastNumber: Int64 = -1
    private var last: Page?

    mutating func destroy() {
        for page in pages.values { Self.free(page) }
        self = SnapshotPages()
    }

    subscript(key: Int64) -> Snapshot? {
        mutating get {
            page(key >> Self.bits).flatMap { $0.slots[Self.index(key)] }
        }
    }

    /// Stores `snapshot` and replaces the earlier snapshot with this key. Takes over the caller's
    /// reference.
    mutating func put(_ snapshot: consuming Snapshot, _ key: Int64) {
        let number = key >> Self.bits
        let page = page(number) ?? make(number)
        let isNew = page.slots[Self.index(key)] == nil
        page.slots[Self.index(key)] = snapshot
        guard isNew else { return }
        count += 1
        page.count.pointee += 1
    }

    mutating func remove(_ key: Int64) {
        let number = key >> Self.bits
        guard let page = page(number), page.slots[Self.index(key)] != nil else { return }
        page.slots[Self.index(key)] = nil
        count -= 1
        page.count.pointee -= 1
        guard page.count.pointee == 0 else { return }
        pages[number] = nil
        last = nil
        lastNumber = -1
        Self.free(page)
    }

    /// All snapshots, in no particular order.
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
    private mutating func page(_ number: Int64) -> Page? {
        if number == lastNumber { return last }
        guard let page = pages[number] else { return nil }
        lastNumber = number
        last = page
        return page
    }

    private mutating func make(_ number: Int64) -> Page {
        let slots = Slots.allocate(capacity: Self.size)
        slots.initialize(repeating: nil, count: Self.size)
        let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        count.initialize(to: 0)
        let page = Page(slots: slots, count: count)
        pages[number] = page
        lastNumber = number
        last = page
        return page
    }

    private static func index(_ key: Int64) -> Int { Int(key & (1 << bits - 1)) }

    private static func free(_ page: Page) {
        page.slots.deinitialize(count: size)
        page.slots.deallocate()
        page.count.deallocate()
    }
}
