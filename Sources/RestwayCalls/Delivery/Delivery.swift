package import RestwayOutcome
package import RestwayThreads

/// Delivers the notices of one client to the program, in the way that the delivery mode says.
///
/// A call may have its notices delivered in another way. The notices of one way are delivered one
/// at a time and in order.
package final class Delivery: Sendable {
    /// The thread that runs notices.
    package enum Mode: Sendable {
        case thread, process, drain
    }

    /// The notices that wait until the program asks for them.
    private struct Waiting {
        /// `nil` as long as all notices run by themselves.
        var queue: NoticeQueue?
        /// Whether notices of the queue run on a thread of the program.
        var isProcessed = false
        /// Whether notices of the queue become events.
        var isDrained = false
        /// Whether no more notices will come.
        var isOver = false
    }

    private let mode: Mode
    /// Runs the notices in the mode `thread`.
    private let serial: SerialQueue
    private let waiting = Lock(Waiting())
    private let clock: any Clock

    package init(_ mode: Mode, pool: WorkerPool, clock: any Clock) throws(Failure) {
        self.mode = mode
        serial = SerialQueue(pool: pool)
        self.clock = clock
        try prepare(mode)
    }

    /// Makes it possible to append notices that are delivered in the way of `mode`.
    package func prepare(_ mode: Mode) throws(Failure) {
        guard mode != .thread else { return }
        let isReady = waiting.withLock { waiting in
            if waiting.queue == nil { waiting.queue = NoticeQueue() }
            guard let queue = waiting.queue else { return false }
            if waiting.isOver { queue.end() }
            if mode == .drain { waiting.isDrained = true } else { waiting.isProcessed = true }
            return true
        }
        guard isReady else {
            throw Failure(.outOfMemory, "the system has no file descriptor to give")
        }
    }

    private var queue: NoticeQueue? { waiting.withLock { $0.queue } }

    /// Appends a notice behind the waiting notices. It may be called under a lock, because no
    /// notice runs before `start`. The caller must call `start` if this returns true.
    ///
    /// - Parameter chosen: How the notice is delivered; `nil` for the way of the client.
    package func append(_ notice: Notice, as chosen: Mode? = nil) -> Bool {
        let mode = chosen ?? mode
        guard mode != .thread, let queue else {
            return serial.append { _ = CallbackScope.run(notice.run) }
        }
        queue.append(notice, mode)
        return false
    }

    /// Starts the notices that were appended.
    ///
    /// - Parameter place: This thread. A worker runs them itself.
    package func start(on place: Executor) {
        serial.start(on: place)
    }

    /// Removes the waiting notices of an observer. In the mode `thread`, they stay in the queue but
    /// call nothing.
    func discard(for observer: Observer) {
        queue?.discard { $0.isFor(observer) }
    }

    /// Ends the delivery: no more notices come.
    package func end() {
        let queue = waiting.withLock { waiting in
            waiting.isOver = true
            return waiting.queue
        }
        queue?.end()
    }

    /// Drops the notices that the program never asked for, as it has released its client.
    package func drop() {
        queue?.drop()
    }

    /// A descriptor that is readable while notices wait; `nil` if the notices run by themselves.
    package var descriptor: Int32? { queue?.descriptor }

    /// Whether notices become events.
    ///
    /// - Parameter chosen: The way that a call has chosen; `nil` for the way of the client.
    package func isDrained(_ chosen: Mode? = nil) -> Bool { chosen ?? mode == .drain }

    /// Runs the waiting notices on this thread and returns how many ran. It waits up to
    /// `milliseconds` for the first one; -1 is no limit. An interrupt of the thread ends the wait,
    /// and the run before the next notice.
    package func process(milliseconds: Int64) throws(Failure) -> Int {
        guard let queue = waiting.withLock({ $0.isProcessed ? $0.queue : nil }) else {
            throw Self.wrongMode("RESTWAY_DELIVERY_PROCESS")
        }
        try Call.refuseToBlockInsideCallbacks()
        let deadline =
            milliseconds < 0 ? .never : clock.now().advanced(milliseconds: milliseconds)
        do {
            return try queue.process(until: deadline)
        } catch {
            throw Failure(.interrupted, "the wait for notices was interrupted")
        }
    }

    /// Removes and returns up to `max` notices, oldest first.
    package func drain(max: Int) throws(Failure) -> [Notice] {
        guard let queue = waiting.withLock({ $0.isDrained ? $0.queue : nil }) else {
            throw Self.wrongMode("RESTWAY_DELIVERY_DRAIN")
        }
        return queue.take(max: max)
    }

    private static func wrongMode(_ name: String) -> Failure {
        Failure(
            .invalidArgument,
            "the client's delivery mode is not \(name), and no call has chosen it", field: "client")
    }
}

/// Notices that wait until the program asks for them.
final class NoticeQueue: Sendable {
    private struct State {
        /// The notices that run on a thread of the program.
        var run = Fifo<Notice>()
        /// The notices that become events.
        var drained = Fifo<Notice>()
        /// Whether a thread runs notices. Other threads wait, so that notices do not overlap.
        var isRunning = false
        /// Whether no more notices will come.
        var isOver = false
        /// Whether the program has released the client. New notices are dropped.
        var isDropped = false

        var isEmpty: Bool { run.isEmpty && drained.isEmpty }

        mutating func remove(where isUnwanted: (Notice) -> Bool) -> [Notice] {
            run.remove(where: isUnwanted) + drained.remove(where: isUnwanted)
        }
    }

    private enum Step {
        case run(Notice)
        case end
    }

    private let state = Monitor(State())
    private let signal: EventDescriptor

    /// Fails if the system has no descriptor to give.
    init?() {
        guard let signal = EventDescriptor() else { return nil }
        self.signal = signal
    }

    var descriptor: Int32 { signal.descriptor }

    func append(_ notice: Notice, _ mode: Delivery.Mode) {
        let isDropped = state.update { state in
            guard !state.isDropped else { return true }
            if state.isEmpty { signal.set() }
            if mode == .drain { state.drained.append(notice) } else { state.run.append(notice) }
            return false
        }
        if isDropped { notice.drop() }
    }

    /// Drops the notices for which `isUnwanted` returns true.
    func discard(where isUnwanted: (Notice) -> Bool) {
        let discarded: [Notice] = state.update { state in
            guard !state.isEmpty else { return [] }
            let discarded = state.remove(where: isUnwanted)
            if state.isEmpty { signal.clear() }
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
            if !state.isEmpty { signal.clear() }
            return state.remove { _ in true }
        }
        for notice in dropped { notice.drop() }
    }

    func take(max: Int) -> [Notice] {
        state.withLock { state in
            var notices: [Notice] = []
            while notices.count < max, let notice = state.drained.popFirst() {
                notices.append(notice)
            }
            if !notices.isEmpty, state.isEmpty { signal.clear() }
            return notices
        }
    }

    /// Runs the waiting notices. It waits for the first one, and for its turn if several threads do
    /// this. Throws if the thread was interrupted before any notice ran.
    func process(until deadline: Deadline) throws(Interrupt.Interrupted) -> Int {
        var due: Int?
        var passed = 0
        var count = 0
        while passed < due ?? 1 {
            let notice: Notice?
            do {
                notice = try next(until: due == nil ? deadline : .past, &due)
            } catch {
                guard passed > 0 else { throw error }
                break
            }
            guard let notice else { break }
            let ran = CallbackScope.run(notice.run)
            state.update { $0.isRunning = false }
            passed += 1
            if ran { count += 1 }
        }
        return count
    }

    /// Waits for a notice that this thread runs. Returns `nil` if `deadline` passes first, or if no
    /// more notices will come. If `due` is `nil`, it becomes the number of notices that
    /// are due now.
    private func next(
        until deadline: Deadline, _ due: inout Int?
    ) throws(Interrupt.Interrupted) -> Notice? {
        // The program wants to stop here even if notices wait.
        if Interrupt.current?.lower() == true { throw Interrupt.Interrupted() }
        let step: Step? = try state.waitInterruptibly(until: deadline) { state in
            guard !state.isRunning else { return nil }
            guard let notice = state.run.popFirst() else { return state.isOver ? .end : nil }
            if state.isEmpty { signal.clear() }
            if due == nil { due = state.run.count + 1 }
            state.isRunning = true
            return .run(notice)
        }
        guard case .run(let notice) = step else { return nil }
        return notice
    }
}
