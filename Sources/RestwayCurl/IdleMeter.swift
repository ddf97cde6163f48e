import RestwayHTTP
import RestwayThreads

/// Measures how long no byte of an exchange has moved. It reads no clock.
///
/// libcurl's own limit (`CURLOPT_LOW_SPEED_TIME`) uses the mean of some seconds. An exchange that
/// stops after many bytes therefore counts as idle only seconds later.
struct IdleMeter {
    /// The number of bytes that had moved at the last count.
    private var moved: Int64 = -1
    private var since = Deadline.never

    /// Takes the number of bytes that have moved so far. Returns whether it has not changed for
    /// `limitMilliseconds`.
    mutating func measure(
        moved: Int64, at now: Deadline, limitMilliseconds: Int64
    ) -> Bool {
        guard moved == self.moved else {
            self.moved = moved
            since = now
            return false
        }
        return now >= since.advanced(milliseconds: limitMilliseconds)
    }

    /// The time until now does not count, because the exchange is paused.
    mutating func pause() {
        moved = -1
    }
}

extension EasyHandle {
    /// Whether no byte of the exchange has moved for as long as its limit says. The time before the
    /// request is sent does not count: making a connection has a limit of its own.
    func hasBeenIdle(at now: Deadline) -> Bool {
        guard let limit = active?.exchange.timeouts.idleMilliseconds, limit > 0 else {
            return false
        }
        guard transfer.attempts > 0, !transfer.isPaused else {
            transfer.idle.pause()
            return false
        }
        return transfer.idle.measure(moved: info.movedBytes, at: now, limitMilliseconds: limit)
    }
}
