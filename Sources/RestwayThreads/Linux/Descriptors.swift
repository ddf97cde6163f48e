import CLinux
import Glibc

/// A descriptor that is readable while it is set (eventfd(2)). Set and clear it under one lock.
package final class EventDescriptor: Sendable {
    package let descriptor: Int32

    /// Creates a descriptor; `nil` if the process can open no more files.
    package init?() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    package func set() {
        eventfd_write(descriptor, 1)
    }

    package func clear() {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
    }
}

/// A descriptor that becomes readable at a time of the system's monotonic clock (timerfd(2)).
///
/// It is set lazily. Setting a later time does nothing: the thread wakes too early once and then
/// sets the new time. The descriptor is never read, so watch it edge-triggered.
package final class TimerDescriptor {
    package let descriptor: Int32
    private var setFor = Deadline.never

    /// Creates a descriptor; nil if the process can open no more files.
    package init?() {
        descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Makes sure that the descriptor becomes readable at `deadline` or earlier.
    package func wake(at deadline: Deadline) {
        guard deadline < setFor else { return }
        setFor = deadline
        var time = itimerspec()
        // The value zero would stop the timer.
        time.it_value.tv_sec = Int(deadline.nanoseconds / 1_000_000_000)
        time.it_value.tv_nsec = Int(max(1, deadline.nanoseconds % 1_000_000_000))
        timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &time, nil)
    }

    /// Notes that the descriptor became readable.
    package func noteFired() {
        setFor = .never
    }
}

/// Returns the name by which the system opens the file of a descriptor, even if the file has no
/// other name any more.
package func pathOfDescriptor(_ descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }
