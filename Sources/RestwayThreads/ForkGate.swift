import CLinux

/// A gate around calls of another library that has locks of its own. A fork waits until no thread
/// is inside.
///
/// A thread that is inside must not pass the gate again.
///
/// `@unchecked Sendable`: the word is changed only atomically.
package final class ForkGate: @unchecked Sendable {
    private let word = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)

    package init() {
        word.initialize(to: 0)
    }

    deinit {
        word.deallocate()
    }

    @inline(__always)
    package func pass<Result>(_ body: () -> Result) -> Result {
        rw_gate_enter(word)
        defer { rw_gate_leave(word) }
        return body()
    }

    /// The gate as a member of the fork barrier.
    package var member: ForkBarrier.Member {
        ForkBarrier.Member(
            close: { [self] end in
                let left = end.nanoseconds(since: SystemClock().now())
                return rw_gate_close(word, Int64(clamping: left)) != 0
            },
            openInParent: { [self] in rw_gate_open(word) },
            openInChild: { [self] wasClosed in
                // The child has none of the threads that the word counts.
                word.pointee = 0
                if !wasClosed { ForkBarrier.breakCopy() }
            })
    }
}
