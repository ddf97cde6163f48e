import Glibc
import RestwayThreads

/// Descriptors that a forked child must close: otherwise it would keep the lock of a parent that
/// died.
///
/// A child has one thread and a copy of this memory, so it reads without a lock what the parent
/// writes under one.
enum InheritedDescriptors {
    private struct Table {
        var count = 0
        var capacity = 16
    }

    private static let lock = ForkBarrier.guarded(Lock(Table()))
    nonisolated(unsafe) private static var slots = makeSlots(16)
    /// Set after the slots, so that a child never sees a count larger than the number of filled
    /// slots.
    nonisolated(unsafe) private static var slotCount = 0

    private static let isWatchingForks: Bool = {
        pthread_atfork(nil, nil, { InheritedDescriptors.closeAll() }) == 0
    }()

    static func add(_ descriptor: Int32) {
        _ = isWatchingForks
        lock.withLock { table in
            for index in 0..<table.count where slots[index] < 0 {
                slots[index] = descriptor
                return
            }
            if table.count == table.capacity {
                // The old slots are not freed: a child may be about to read them.
                let larger = makeSlots(table.capacity * 2)
                for index in 0..<table.count { larger[index] = slots[index] }
                slots = larger
                table.capacity *= 2
            }
            slots[table.count] = descriptor
            table.count += 1
            slotCount = table.count
        }
    }

    static func remove(_ descriptor: Int32) {
        lock.withLock { table in
            for index in 0..<table.count where slots[index] == descriptor { slots[index] = -1 }
        }
    }

    private static func closeAll() {
        for index in 0..<slotCount where slots[index] >= 0 {
            close(slots[index])
            slots[index] = -1
        }
    }

    private static func makeSlots(_ count: Int) -> UnsafeMutablePointer<Int32> {
        let slots = UnsafeMutablePointer<Int32>.allocate(capacity: count)
        slots.initialize(repeating: -1, count: count)
        return slots
    }
}
