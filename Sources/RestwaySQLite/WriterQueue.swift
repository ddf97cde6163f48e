package import RestwayThreads

/// Writes the groups of a `WriterQueue` to a file.
package protocol GroupWriter: AnyObject, Sendable {
    associatedtype Write: Sendable

    /// The largest sum of the sizes of the writes of one group. A larger write is a group of its
    /// own.
    var groupSizeMax: Int64 { get }

    /// Returns the size of a write. It is called with the lock of the queue held.
    func size(of write: Write) -> Int64

    /// Writes a group, usually in one transaction. One thread at a time calls this.
    func write(_ group: [Write]) -> GroupOutcome<Write>
}

/// How the attempt to write a group has ended.
package enum GroupOutcome<Write> {
    /// Each write of the group is in the file, or has failed for good.
    ///
    /// - Parameter tidying: This function runs before the next group. The callers of the finished
    ///   group do not wait for it.
    case over(tidying: (() -> Void)? = nil)
    /// The file cannot be written now. These writes wait in place of the group, before all others.
    case postponed([Write])
}

/// A queue of writes to one file. One thread at a time writes them in groups.
///
/// Writes that arrive while a transaction is being made durable are written together in the next
/// transaction, in their order of arrival. The thread that writes is the leader. A caller that
/// waits for its own write leads until its write is over, so no other thread has to be woken first.
/// A thread that waits is woken once: when its write is over, or to become the leader. If no thread
/// waits, a worker writes one group and then queues behind the other jobs of the pool.
///
/// The outbox and the response cache use this queue for the order of writes, the leader, the size
/// of a group, waiting and closing. Their `GroupWriter`s differ on purpose. A caller of the outbox
/// waits for the disk and gets its own error, so each write of the outbox keeps its result, and a
/// group that fails is tried write by write (`GroupCommit`). No caller waits until the cache has
/// written an answer, so the cache drops answers when too many writes wait, and postpones removals
/// when the file fails (`CacheWriter`). The object store does not use a queue: its commits do not
/// each wait for the disk, and each caller needs the objects of its own commit.
///
/// - Lifetime: The queue keeps its `GroupWriter`, and so the connection. A worker that is asked to
///   lead keeps the queue.
/// - Threads: Any thread may call any function. No lock is held while a group is written. After a
///   fork the queue is the parent's, like the connection, and the child does not use it.
/// - Errors: The queue has no errors of its own. A `GroupWriter` records the result of each write
///   before it returns from `write`. If it postpones writes, the queue wakes all threads that wait,
///   and rests until the pause is over and a further write comes, or until a thread calls `finish`.
package final class WriterQueue<Writer: GroupWriter>: Sendable {
    package typealias Write = Writer.Write

    /// The writes that wait, in their order.
    package struct Waiting {
        fileprivate struct Place {
            let number: Int64
            let write: Write
        }

        fileprivate var places = Fifo<Place>()
        /// The number of the last write that was added. Writes are counted from 1.
        fileprivate var last: Int64 = 0

        package var count: Int { places.count }

        package mutating func append(_ write: Write) {
            last += 1
            places.append(Place(number: last, write: write))
        }

        /// Puts other writes in place of all that wait. Threads that wait for any of them wait for
        /// all of the others.
        package mutating func replaceAll(_ body: ([Write]) -> [Write]) {
            let number = places.first?.number ?? last
            var writes: [Write] = []
            while let place = places.popFirst() { writes.append(place.write) }
            for write in body(writes) { places.append(Place(number: number, write: write)) }
        }

        /// The number up to which all writes are over, if no group is being written.
        fileprivate var over: Int64 { places.first.map { $0.number - 1 } ?? last }

        fileprivate mutating func takeGroup(_ writer: Writer) -> [Write] {
            var (group, size): ([Write], Int64) = ([], 0)
            while let write = places.first?.write {
                size += writer.size(of: write)
                guard group.isEmpty || size <= writer.groupSizeMax else { break }
                group.append(write)
                _ = places.popFirst()
            }
            return group
        }

        /// Puts writes before all others, in place of the group that was taken last.
        fileprivate mutating func putBack(_ writes: [Write], number: Int64) {
            var all = Fifo<Place>()
            for write in writes { all.append(Place(number: number, write: write)) }
            while let place = places.popFirst() { all.append(place) }
            places = all
        }
    }

    private enum WakeReason {
        case itIsOver, lead
    }

    /// A thread that waits until the writes up to `goal` are over. It is woken once.
    private struct Waiter {
        let goal: Int64
        /// Whether it also waits for the tidying after its group.
        let waitsForTidying: Bool
        let signal = Monitor<WakeReason?>(nil)
    }

    /// The step of a thread that wants writes to be over.
    private enum Step {
        case none
        case lead(Int64)
        case wait(Waiter)
    }

    private struct State {
        var waiting = Waiting()
        /// The number up to which all writes are over.
        var over: Int64 = 0
        /// The threads that wait, by their goals.
        var waiters = Fifo<Waiter>()
        var isLed = false
        /// Whether a worker has been asked to lead and has not started yet.
        var isWorkerAsked = false
        var isClosed = false
        /// Set when a group was postponed.
        var pausedUntil: Deadline?

        mutating func step(until goal: Int64, waitsForTidying: Bool) -> Step {
            guard over < goal else { return .none }
            guard isLed else {
                isLed = true
                return .lead(goal)
            }
            let waiter = Waiter(goal: goal, waitsForTidying: waitsForTidying)
            waiters.insert(waiter, behind: { $0.goal <= goal })
            return .wait(waiter)
        }

        /// Whether a worker could lead now.
        func mayLead(_ clock: any Clock) -> Bool {
            guard !isLed, waiting.count > 0 else { return false }
            return pausedUntil.map { clock.now() >= $0 } ?? true
        }

        /// Returns whether the caller has to ask a worker to lead.
        mutating func needsWorker(_ clock: any Clock) -> Bool {
            guard !isWorkerAsked, mayLead(clock) else { return false }
            isWorkerAsked = true
            return true
        }
    }

    /// How long a queue rests after a group was postponed.
    private static var pauseMilliseconds: Int64 { 1_000 }

    private let writer: Writer
    private let pool: WorkerPool
    private let clock: any Clock
    private let state = Lock(State())

    package init(_ writer: Writer, pool: WorkerPool, clock: any Clock = SystemClock()) {
        self.writer = writer
        self.pool = pool
        self.clock = clock
    }

    // MARK: Writes

    /// Adds a write and returns when it is over, or when a group was postponed.
    ///
    /// - Returns: Whether the queue has taken the write. It takes none once it is closed.
    package func run(_ write: Write) -> Bool {
        let step: Step? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.waiting.append(write)
            return state.step(until: state.waiting.last, waitsForTidying: false)
        }
        guard let step else { return false }
        take(step)
        return true
    }

    /// Adds a write, which a worker writes. If `waitingMax` writes wait, this returns after some of
    /// them are over; so this is for a `GroupWriter` that postpones none.
    ///
    /// - Returns: Whether the queue has taken the write. It takes none once it is closed.
    package func submit(_ write: Write, waitingMax: Int) -> Bool {
        while true {
            var (isTaken, needsWorker) = (true, false)
            let step: Step? = state.withLock { state in
                isTaken = !state.isClosed
                guard isTaken else { return nil }
                guard state.waiting.count < waitingMax else {
                    return state.step(until: state.waiting.over + 1, waitsForTidying: false)
                }
                state.waiting.append(write)
                needsWorker = state.needsWorker(clock)
                return nil
            }
            guard let step else {
                if needsWorker { askWorker() }
                return isTaken
            }
            take(step)
        }
    }

    /// Changes what waits for a worker. `body` runs with the lock held, and not if the queue is
    /// closed. It never waits for the file.
    package func change(_ body: (inout Waiting) -> Void) {
        let needsWorker = state.withLock { state in
            guard !state.isClosed else { return false }
            body(&state.waiting)
            return state.needsWorker(clock)
        }
        if needsWorker { askWorker() }
    }

    /// The number of writes that wait, without the group that is being written.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Returns when all writes that were added before are over, or a group was postponed. Other
    /// threads may go on adding writes.
    package func finish() {
        take(state.withLock { $0.step(until: $0.waiting.last, waitsForTidying: true) })
    }

    /// Refuses further writes, and returns when the earlier ones are over or a group was postponed.
    /// A write that is postponed then is not written any more; its `GroupWriter` knows it.
    package func close() {
        state.withLock { $0.isClosed = true }
        finish()
    }

    // MARK: The lead

    private func take(_ step: Step) {
        switch step {
        case .none: break
        case .lead(let goal): lead(until: goal)
        case .wait(let waiter):
            if waiter.signal.wait(for: { $0.take() }) == .lead { lead(until: waiter.goal) }
        }
    }

    private func askWorker() {
        pool.submit {
            let leads = self.state.withLock { state in
                state.isWorkerAsked = false
                guard state.mayLead(self.clock) else { return false }
                state.isLed = true
                return true
            }
            // It waits for no write, so it leads for one group.
            if leads { self.lead(until: 0) }
        }
    }

    /// Writes one group, and others until the writes up to `goal` are over. Then passes the lead
    /// on.
    private func lead(until goal: Int64) {
        while writeGroup(goal) {}
    }

    /// Writes one group.
    ///
    /// - Returns: Whether this thread leads on.
    private func writeGroup(_ goal: Int64) -> Bool {
        let (group, first) = state.withLock { state in
            (state.waiting.takeGroup(writer), state.over + 1)
        }
        switch writer.write(group) {
        case .over(let tidying):
            if let tidying {
                wakeBeforeTidying()
                tidying()
            }
            return endGroup(goal)
        case .postponed(let writes):
            postpone(writes, number: first)
            return false
        }
    }

    private func wakeBeforeTidying() {
        let woken = state.withLock { state in
            let over = state.waiting.over
            return state.waiters.remove { $0.goal <= over && !$0.waitsForTidying }
        }
        for waiter in woken { wake(waiter, .itIsOver) }
    }

    private func endGroup(_ goal: Int64) -> Bool {
        var (woken, next, needsWorker): ([Waiter], Waiter?, Bool) = ([], nil, false)
        let leadsOn = state.withLock { state in
            state.over = state.waiting.over
            state.pausedUntil = nil
            while let waiter = state.waiters.first, waiter.goal <= state.over {
                _ = state.waiters.popFirst()
                woken.append(waiter)
            }
            guard state.over >= goal else { return true }
            next = state.waiters.popFirst()
            state.isLed = next != nil
            needsWorker = state.needsWorker(clock)
            return false
        }
        // The next group begins before the threads of this one are woken.
        if let next { wake(next, .lead) }
        if needsWorker { askWorker() }
        for waiter in woken { wake(waiter, .itIsOver) }
        return leadsOn
    }

    private func postpone(_ writes: [Write], number: Int64) {
        var woken: [Waiter] = []
        state.withLock { state in
            state.waiting.putBack(writes, number: number)
            state.over = state.waiting.over
            state.pausedUntil = clock.now().advanced(milliseconds: Self.pauseMilliseconds)
            while let waiter = state.waiters.popFirst() { woken.append(waiter) }
            state.isLed = false
        }
        for waiter in woken { wake(waiter, .itIsOver) }
    }

    private func wake(_ waiter: Waiter, _ reason: WakeReason) {
        waiter.signal.update { $0 = reason }
    }
}
