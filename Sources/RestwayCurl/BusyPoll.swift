import RestwaySupport

/// Whether a thread that waits for an answer looks for it for a while before it sleeps.
///
/// To fall asleep and to be woken can take longer than a server nearby takes to answer. So the
/// thread looks first, as long as answers come so soon. It learns that from waits that it slept
/// through; after each look in vain it asks for twice as many short ones as before, so that a
/// server that is a little too slow costs one look in a thousand waits.
struct BusyPoll {
    private static let doublingsMax = 10

    /// In nanoseconds; 0: nobody looks.
    private let limit: UInt64
    private let clock: any Clock
    /// One after the other.
    private var looksInVain = 0
    private var shortWaitsMissing = 1

    /// - Parameter microseconds: How long to look at most; 0: not at all.
    init(microseconds: Int, clock: any Clock = SystemClock()) {
        limit = UInt64(max(0, microseconds)) * 1_000
        self.clock = clock
    }

    /// Waits until something has happened, and says what.
    ///
    /// - Parameter look: Says how much has happened, 0 for nothing; told whether it may sleep until
    ///   something has.
    mutating func wait(_ look: (_ maySleep: Bool) -> Int32) -> Int32 {
        guard limit > 0 else { return look(true) }
        let begun = clock.now()
        guard shortWaitsMissing == 0 else {
            let count = look(true)
            // Being woken is a part of it.
            if time(since: begun) <= 2 * limit { shortWaitsMissing -= 1 }
            return count
        }
        repeat {
            let count = look(false)
            guard count == 0 else {
                looksInVain = 0
                return count
            }
        } while time(since: begun) < limit
        looksInVain = min(looksInVain + 1, Self.doublingsMax)
        shortWaitsMissing = 1 << looksInVain
        return look(true)
    }

    private func time(since begun: Deadline) -> UInt64 {
        clock.now().nanoseconds - begun.nanoseconds
    }
}
