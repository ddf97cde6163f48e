import CLinux
import Glibc
import RestwaySupport

/// A descriptor that becomes readable at a point of the system's monotonic time (timerfd(2)).
///
/// Set lazily: a later time than the one it is set for costs nothing, the thread wakes too early
/// once and sets it anew. Watch it edge-triggered: it is never read.
final class TimerDescriptor {
    let descriptor: Int32
    private var setFor = Deadline.never

    /// nil when the system has no descriptor to give.
    init?() {
        descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Makes sure that it becomes readable at `deadline` or before.
    func wake(at deadline: Deadline) {
        guard deadline < setFor else { return }
        setFor = deadline
        var time = itimerspec()
        // All zeros would stop it.
        time.it_value.tv_sec = Int(deadline.nanoseconds / 1_000_000_000)
        time.it_value.tv_nsec = Int(max(1, deadline.nanoseconds % 1_000_000_000))
        timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &time, nil)
    }

    /// It became readable.
    func hasFired() {
        setFor = .never
    }
}
