import RestwayThreads

/// Counts the requests that are on their way from their calls to the journal. A close waits for
/// them, so that the next process that opens the file finds them.
final class StoringGate: Sendable {
    private struct State {
        /// The number of calls that are being stored and whose requests the journal does not have
        /// yet.
        var count = 0
        /// The work of these calls that has not begun.
        var works: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let state = Monitor(State())

    /// Counts a call that is about to be stored.
    func enter() {
        state.withLock { $0.count += 1 }
    }

    /// Ends the count of a call: the journal has its request, or will never have it.
    func leave() {
        let isLast = state.withLock { state in
            state.count -= 1
            return state.count == 0
        }
        if isLast { state.wakeAll() }
    }

    /// Runs `work` for a call on a worker, or in `finish`.
    func submit(_ call: Call, to pool: WorkerPool, _ work: @escaping @Sendable () -> Void) {
        let id = ObjectIdentifier(call)
        state.withLock { $0.works[id] = work }
        pool.submit { self.state.withLock { $0.works.removeValue(forKey: id) }?() }
    }

    /// Waits until the journal has all requests. It runs the remaining work itself, as the workers
    /// may be busy with work that waits for this thread.
    func finish() {
        let works = state.withLock { state in
            defer { state.works = [:] }
            return state.works.values.map { $0 }
        }
        for work in works { work() }
        _ = state.wait { $0.count == 0 ? true : nil }
    }
}
