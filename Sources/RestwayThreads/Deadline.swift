import Glibc

/// A point of monotonic time, in nanoseconds since the system started.
package struct Deadline: Comparable, Sendable {
    package let nanoseconds: UInt64

    /// A deadline that has always passed, for a wait that only looks.
    package static let past = Deadline(nanoseconds: 0)

    package static let never = Deadline(nanoseconds: .max)

    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    package static func < (left: Deadline, right: Deadline) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The deadline this many milliseconds later. It is `never` if this deadline is `never` or
    /// the sum overflows.
    package func advanced(milliseconds: Int64) -> Deadline {
        let (scaled, overflow) = UInt64(max(0, milliseconds))
            .multipliedReportingOverflow(by: 1_000_000)
        let (sum, overflowed) = nanoseconds.addingReportingOverflow(scaled)
        return overflow || overflowed ? .never : Deadline(nanoseconds: sum)
    }

    /// Whole milliseconds from `start` to this deadline, rounded up; 0 if it is not later.
    package func milliseconds(since start: Deadline) -> Int64 {
        let distance = nanoseconds(since: start)
        return Int64(distance / 1_000_000) + (distance % 1_000_000 == 0 ? 0 : 1)
    }

    /// Whole microseconds from `start` to this deadline; 0 if it is not later.
    package func microseconds(since start: Deadline) -> Int64 {
        Int64(clamping: nanoseconds(since: start) / 1_000)
    }

    /// Nanoseconds from `start` to this deadline; 0 if it is not later.
    func nanoseconds(since start: Deadline) -> UInt64 {
        self > start ? nanoseconds - start.nanoseconds : 0
    }

    /// Waits for a signal of `condition`, which `mutex` guards; false if this deadline passes
    /// first.
    func wait(
        for condition: UnsafeMutablePointer<pthread_cond_t>,
        _ mutex: UnsafeMutablePointer<pthread_mutex_t>
    ) -> Bool {
        guard self != .never else { return pthread_cond_wait(condition, mutex) == 0 }
        var until = timespec
        return pthread_cond_timedwait(condition, mutex, &until) != ETIMEDOUT
    }

    private var timespec: timespec {
        // The limit, far beyond any uptime, keeps tv_sec in range.
        let bounded = min(nanoseconds, UInt64(Int64.max))
        return Glibc.timespec(
            tv_sec: Int(bounded / 1_000_000_000), tv_nsec: Int(bounded % 1_000_000_000))
    }
}
