import Glibc

/// The interface through which the core reads the time.
///
/// Its functions are called on any thread, also under a lock. They must be quick and must not call
/// back.
package protocol Clock: Sendable {
    /// Monotonic time, for time limits and durations.
    func now() -> Deadline

    /// Microseconds since 1970-01-01T00:00:00Z, for dates that are stored or shown.
    func wallMicroseconds() -> Int64
}

/// The machine's clock.
package struct SystemClock: Clock {
    package init() {}

    package func now() -> Deadline {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Deadline(
            nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    package func wallMicroseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
