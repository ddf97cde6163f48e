import RestwayOutcome
import RestwayThreads

/// Decides when an event stream that has ended is opened again (WHATWG HTML, section 9.2.3).
///
/// It reads no clock. The server says how long to wait. A connection that brings no event doubles
/// the wait, so that a server with a problem is not asked again and again. A server that wants no
/// wait is asked once a second on average.
struct Reconnection {
    /// The wait before the first reconnection, unless the server asks for another wait.
    static let usualMilliseconds: Int64 = 3_000
    /// The average time between two reconnections, at least.
    private static let distanceMilliseconds: Int64 = 1_000
    /// How many reconnections may follow each other sooner.
    private static let soonMax: Int64 = 3
    /// The wait is doubled from this value, which matters for a server that wants no wait.
    private static let doubledMillisecondsMin: Int64 = 1_000
    /// The wait is not doubled beyond this value.
    private static let doubledMillisecondsMax: Int64 = 60_000

    /// The largest number of consecutive reconnections that bring no event; `nil` for no limit.
    private let inARowMax: Int?
    /// The wait that the server asked for.
    private var milliseconds = Self.usualMilliseconds
    /// The number of reconnections since the last event.
    private var inARow = 0
    /// The time at which the last connection was opened.
    private var openedAt = Deadline.past
    /// How far the reconnections were ahead of their average distance at that time.
    private var aheadMilliseconds: Int64 = 0

    init(inARowMax: Int?) {
        self.inARowMax = inARowMax
    }

    /// Events have arrived.
    ///
    /// - Parameter milliseconds: The wait that the server asks for; `nil` if it says nothing.
    mutating func received(events: Int, milliseconds: Int64?) {
        if events > 0 { inARow = 0 }
        if let milliseconds { self.milliseconds = milliseconds }
    }

    /// A connection has ended. Returns how long to wait before the next connection; `nil` if the
    /// stream is not opened again.
    ///
    /// - Parameters:
    ///   - error: Why the connection failed; `nil` if the server has closed it.
    ///   - now: The time at which it ended.
    mutating func next(after error: Failure.Reason?, at now: Deadline) -> Int64? {
        if let inARowMax, inARow >= inARowMax { return nil }
        if let error, !error.traits.reopensStream { return nil }
        let ahead = max(0, aheadMilliseconds - now.milliseconds(since: openedAt))
        let aheadMax = Self.distanceMilliseconds * (Self.soonMax - 1)
        let wait = max(wishedMilliseconds, ahead - aheadMax)
        openedAt = now.advanced(milliseconds: wait)
        aheadMilliseconds = max(0, ahead - wait) + Self.distanceMilliseconds
        inARow += 1
        return wait
    }

    /// The wait by the wish of the server and by the number of connections without an event.
    private var wishedMilliseconds: Int64 {
        guard inARow > 0 else { return milliseconds }
        var wait = max(milliseconds, Self.doubledMillisecondsMin)
        for _ in 0..<inARow where wait < Self.doubledMillisecondsMax {
            wait = min(wait * 2, Self.doubledMillisecondsMax)
        }
        return wait
    }

    /// Whether a reconnection may follow.
    var isAllowed: Bool { inARowMax.map { inARow < $0 } ?? true }
}
