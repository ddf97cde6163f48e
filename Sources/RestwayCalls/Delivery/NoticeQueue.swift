import RestwayOutcome
import RestwayThreads

/// Notices that wait until the program asks for them.
final class NoticeQueue: Sendable {
    private struct State {
        var notices = Fifo<Notice>()
        /// Whether a thread runs notices. Other threads wait, so that notices do not overlap.
        var isRunning = false
        /// Whether no more notices will come.
        var isOver = false
        /// Whether the program has released the client. New notices are dropped.
        var isDropped = false
    }

    private enum Step {
        case run(Notice)
        case end
    }

    private let state = Monitor(State())
    private let signal: EventDescriptor

    init() throws(Failure) {
        guard let signal = EventDescriptor() else {
            throw Failure(.outOfMemory, "the system has no file descriptor to give")
        }
        self.signal = signal
    }

    var descriptor: Int32 { signal.descriptor }

    func append(_ notice: Notice) {
        let isDropped = state.update { state in
            guard !state.isDropped else { return true }
            if state.notices.isEmpty { signal.set() }
            state.notices.append(notice)
            return false
        }
        if isDropped { notice.drop() }
    }

    /// Drops the notices for which `isUnwanted` returns true.
    func discard(where isUnwanted: (Notice) -> Bool) {
        let discarded: [Notice] = state.update { state in
            guard !state.notices.isEmpty else { return [] }
            let discarded = state.notices.remove(where: isUnwanted)
            if state.notices.isEmpty { signal.clear() }
            return discarded
        }
        for notice in discarded { notice.drop() }
    }

    func end() {
        state.update { $0.isOver = true }
    }

    func drop() {
        // Dropping a notice may run a destroy function of the program, so it happens outside the
        // lock.
        let dropped = state.update { state in
            state.isDropped = true
            state.isOver = true
            if !state.notices.isEmpty { signal.clear() }
            return state.notices.remove { _ in true }
        }
        for notice in dropped { notice.drop() }
    }

    func take(max: Int) -> [Notice] {
        state.withLock { state in
            var notices: [Notice] = []
            while notices.count < max, let notice = pop(&state) { notices.append(notice) }
            return notices
        }
    }

    /// Runs the waiting notices. It waits for the first one, and for its turn if several threads do
    /// this.
    func process(until deadline: Deadline) -> Int {
        var due: Int?
        var passed = 0
        var count = 0
        while passed < due ?? 1 {
            let step: Step? = state.wait(until: due == nil ? deadline : .past) { state in
                guard !state.isRunning else { return nil }
                guard let notice = pop(&state) else { return state.isOver ? .end : nil }
                if due == nil { due = state.notices.count + 1 }
                state.isRunning = true
                return .run(notice)
            }
            guard case .run(let notice) = step else { break }
            let ran = CallbackScope.run(notice.run)
            state.update { $0.isRunning = false }
            passed += 1
            if ran { count += 1 }
        }
        return count
    }

    private func pop(_ state: inout State) -> Notice? {
        let notice = state.notices.popFirst()
        if notice != nil, state.notices.isEmpty { signal.clear() }
        return notice
    }
}
