import CLinux
import Synchronization

/// Has freed memory go back to the system when it ends, or a while later.
///
/// glibc keeps what was freed in the middle of its heaps, which after a large response is most of
/// it. Whoever owns much holds one of these as its last property: properties end in their order.
package final class HeapReturn: Sendable {
    /// Less is not worth the walk through the heaps.
    package static let bytesMin = 1 << 20
    /// Who makes much anew within this time uses the same pages again: to give them back and to get
    /// others takes a good part of the time that it takes to fill them.
    package static let patienceMilliseconds: Int64 = 1_000

    /// The time until memory goes back, which begins when the owner ends.
    package struct Wait: Sendable {
        private let timers: any Timers
        private let clock: any Clock
        private let generation = ProcessGeneration.current
        /// How many have begun: only the last one has an effect.
        private static let count = Atomic<Int>(0)

        package init(_ timers: any Timers, _ clock: any Clock) {
            self.timers = timers
            self.clock = clock
        }

        fileprivate func begin() {
            // A forked child has none of the threads that would wait.
            guard generation == ProcessGeneration.current else { return HeapReturn.trim() }
            let number = Self.count.add(1, ordering: .relaxed).newValue
            let end = clock.now().advanced(milliseconds: patienceMilliseconds)
            _ = timers.schedule(at: end) {
                if Self.count.load(ordering: .relaxed) == number { HeapReturn.trim() }
            }
        }
    }

    private let wait: Wait?

    /// - Parameter wait: nil for memory that goes back at once.
    package init(after wait: Wait? = nil) {
        self.wait = wait
    }

    deinit {
        if let wait { wait.begin() } else { Self.trim() }
    }

    private static func trim() {
        malloc_trim(0)
    }
}
