import CLinux
import Glibc
import RestwayThreads

/// A descriptor that becomes readable at a time of the system's monotonic clock (timerfd(2)).
///
/// It is set lazily. Setting a later time does nothing: the thread wakes too early once and then
/// sets the new time. The descriptor is never read, so watch it edge-triggered.
final class TimerDescriptor {
    let descriptor: Int32
    private var setFor = Deadline.never

    /// Creates a descriptor; nil if the system has none left.
    init?() {
        descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Makes sure that the descriptor becomes readable at `deadline` or earlier.
    func wake(at deadline: Deadline) {
        guard deadline < setFor else { return }
        setFor = deadline
        var time = itimerspec()
        // The value zero would stop the timer.
        time.it_value.tv_sec = Int(deadline.nanoseconds / 1_000_000_000)
        time.it_value.tv_nsec = Int(max(1, deadline.nanoseconds % 1_000_000_000))
        timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &time, nil)
    }

    /// Notes that the descriptor became readable.
    func hasFired() {
        setFor = .never
    }
}
