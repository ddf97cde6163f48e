import RestwaySupport

/// A body that the host gives piece by piece: its functions, and whose turn it is to ask them.
///
/// One call at a time reads it. One function of it runs at a time, on a worker for bodies, also
/// when the call that asked has ended meanwhile. Each exchange that sends it has a *turn* of its
/// own; what is asked for an earlier turn is not asked any more.
package final class BodyReader: Sendable {
    /// Fills a buffer; says how far, 0 for the end.
    package typealias Read = @Sendable (UnsafeMutableRawBufferPointer) -> Result<Int, Failure>
    /// Goes back to the start.
    package typealias Rewind = @Sendable () -> Result<Void, Failure>
    typealias Job = @Sendable () -> Void

    /// What somebody meets who wants to send the body.
    enum Beginning: Equatable {
        /// It stands at its start; this is the turn.
        case ready(turn: UInt64)
        /// It was read before.
        case needsRewind(turn: UInt64)
        /// Another call reads it.
        case taken
        /// It was read before, and cannot be read again.
        case spent
    }

    private struct State {
        /// The call that reads it.
        var owner: UInt64?
        var turn: UInt64 = 0
        /// It was asked since it stood at its start.
        var hasBegun = false
        /// A function of it runs, or is about to.
        var isAsked = false
        /// What is to run next.
        var next: Job?
    }

    /// How many bytes it gives; `nil` when that is not known.
    package let length: Int64?
    let read: Read
    private let rewind: Rewind?
    private let state = Lock(State())

    package init(length: Int64?, read: @escaping Read, rewind: Rewind?) {
        self.length = length
        self.read = read
        self.rewind = rewind
    }

    /// Whether it can be sent from its start, as things stand.
    var isRewindable: Bool { rewind != nil || !state.withLock { $0.hasBegun } }

    /// A call wants to send it, for the first time or once more.
    func begin(for call: UInt64) -> Beginning {
        let (beginning, dropped): (Beginning, Job?) = state.withLock { state in
            guard state.owner == nil || state.owner == call else { return (.taken, nil) }
            guard !state.hasBegun || rewind != nil else { return (.spent, nil) }
            state.owner = call
            state.turn += 1
            let beginning: Beginning =
                state.hasBegun ? .needsRewind(turn: state.turn) : .ready(turn: state.turn)
            return (beginning, state.next.take())
        }
        _ = consume dropped
        return beginning
    }

    /// The call has ended: another one may read. Answers what is not asked any more; it holds the
    /// call.
    func leave(_ call: UInt64) -> Job? {
        state.withLock { state in
            guard state.owner == call else { return nil }
            state.owner = nil
            state.turn += 1
            return state.next.take()
        }
    }

    /// Has the host go back to the start; tells how that went, unless the turn is over by then.
    func rewind(
        _ turn: UInt64, _ tell: @escaping @Sendable (Result<Void, Failure>) -> Void
    ) {
        guard let rewind else { return }
        ask(turn, isReading: false) { [self] in
            let result = CallbackScope.run(rewind)
            if case .success = result { state.withLock { $0.hasBegun = false } }
            tell(result)
        }
    }

    /// Runs `job`, which asks a function of the host, as soon as no other one runs; never when the
    /// turn is over by then.
    func ask(_ turn: UInt64, isReading: Bool, _ job: @escaping Job) {
        let mayRun = state.withLock { state in
            guard state.turn == turn else { return false }
            let asked: Job = { [self] in
                guard starts(turn, isReading: isReading) else { return }
                job()
            }
            guard !state.isAsked else {
                state.next = asked
                return false
            }
            state.isAsked = true
            state.next = asked
            return true
        }
        if mayRun { WorkerPool.forBodies.submit { self.runNext() } }
    }

    private func starts(_ turn: UInt64, isReading: Bool) -> Bool {
        state.withLock { state in
            guard state.turn == turn else { return false }
            if isReading { state.hasBegun = true }
            return true
        }
    }

    private func runNext() {
        while true {
            let job: Job? = state.withLock { state in
                let job = state.next.take()
                if job == nil { state.isAsked = false }
                return job
            }
            guard let job else { return }
            job()
        }
    }
}
