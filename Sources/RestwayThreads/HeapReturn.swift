import CLinux
import Synchronization

/// Returns freed memory to the system when it is released, or some time later.
///
/// glibc keeps memory that was freed in the middle of its heaps, which is most of the memory of a
/// large response. An owner of much memory holds a `HeapReturn` as its last property, because
/// properties are released in order.
package final class HeapReturn: Sendable {
    /// The smallest amount that is worth the search through the heaps.
    package static let bytesMin = 1 << 20
    /// The delay. A program that allocates much again within this time uses the same pages.
    /// Returning pages and getting new ones takes a good part of the time that it takes to fill
    /// them.
    package static let patienceMilliseconds: Int64 = 1_000

    /// The delay until memory is returned. It begins when the owner is released.
    package struct Wait: Sendable {
        private let timers: any Timers
        private let clock: any Clock
        private let generation = ProcessGeneration.current
        /// The number of delays that have begun. Only the last one has an effect.
        private static let count = Atomic<Int>(0)

        package init(_ timers: any Timers, _ clock: any Clock) {
            self.timers = timers
            self.clock = clock
        }

        fileprivate func begin() {
            // The threads that would wait do not exist in a forked child.
            guard generation == ProcessGeneration.current else { return HeapReturn.trim() }
            let number = Self.count.add(1, ordering: .relaxed).newValue
            let end = clock.now().advanced(milliseconds: patienceMilliseconds)
            _ = timers.schedule(at: end) {
                if Self.count.load(ordering: .relaxed) == number { HeapReturn.trim() }
            }
        }
    }

    private let wait: Wait?

    /// - Parameter wait: The delay; nil to return memory at once.
    package init(after wait: Wait? = nil) {
        self.wait = wait
    }

    deinit {
        if let wait { wait.begin() } else { Self.trim() }
    }

    /// How often memory was returned since the process began. A test reads it where an allocator
    /// that keeps what is freed hides the effect.
    package static var returns: Int { returnCount.load(ordering: .relaxed) }
    private static let returnCount = Atomic<Int>(0)

    private static func trim() {
        malloc_trim(0)
        returnCount.add(1, ordering: .relaxed)
    }
}
