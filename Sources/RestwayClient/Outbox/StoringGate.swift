import RestwaySupport

/// Requests on their way from their calls to the journal: what a close waits for, so that whoever
/// opens the file next finds them.
final class StoringGate: Sendable {
    private struct State {
        /// Of calls that are being stored, and that the journal has not been given.
        var count = 0
        /// Of those, what has not begun.
        var works: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let state = Monitor(State())

    /// A call is about to be stored.
    func enter() {
        state.withLock { $0.count += 1 }
    }

    /// The journal has its request, or never will.
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

    /// Waits until the journal has been given everything. Nothing of that is left to workers, which
    /// may be busy with what waits for this thread.
    func finish() {
        let works = state.withLock { state in
            defer { state.works = [:] }
            return state.works.values.map { $0 }
        }
        for work in works { work() }
        _ = state.wait { $0.count == 0 ? true : nil }
    }
}
