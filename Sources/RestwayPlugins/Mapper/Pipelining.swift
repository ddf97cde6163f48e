import Glibc
import RestwayThreads

/// Decides when a plugin reads a body on one thread while another thread maps it to rows.
struct Pipelining: Sendable {
    /// The smallest body to pipeline. A smaller body is mapped before another thread has woken.
    var bodyBytesMin = 1 << 20
    /// The length of a tape: small enough for the caches, long enough to be worth a wake-up.
    var recordsPerTape = 4_096
    /// The number of tapes. When all are in use, the faster thread waits.
    var tapesMax = 12
    var processorsMin = 2
    /// Gives a job to an idle thread; false if no thread is idle.
    var submit: @Sendable (@escaping WorkerPool.Job) -> Bool = { job in
        WorkerPool.shared.submitIfFree(job)
    }

    static var standard: Pipelining { Pipelining() }

    private static let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))

    func isWorthwhile(for body: UnsafeRawBufferPointer) -> Bool {
        body.count >= bodyBytesMin && Self.processors >= processorsMin
    }
}
