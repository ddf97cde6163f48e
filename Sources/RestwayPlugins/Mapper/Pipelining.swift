import Glibc
import RestwaySupport

/// When a plugin reads a body on one thread while another makes rows of what it reads.
struct Pipelining: Sendable {
    /// What is smaller is mapped before another thread has woken.
    var bodyBytesMin = 1 << 20
    /// A tape: small enough for the caches, long enough to be worth a wake-up.
    var recordsPerTape = 4_096
    /// Whoever is ahead waits.
    var tapesMax = 12
    var processorsMin = 2
    /// Gives a job to a thread that has nothing else to do; false when there is none.
    var submit: @Sendable (@escaping WorkerPool.Job) -> Bool = { job in
        WorkerPool.shared.submitIfFree(job)
    }

    static var standard: Pipelining { Pipelining() }

    private static let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))

    func isWorthwhile(for body: UnsafeRawBufferPointer) -> Bool {
        body.count >= bodyBytesMin && Self.processors >= processorsMin
    }
}
