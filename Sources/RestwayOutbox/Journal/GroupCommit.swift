import RestwaySQLite
import RestwayThreads

/// Writes for many callers at once. Writes that arrive while a transaction is being made durable
/// are written together in the next transaction, in their order of arrival.
///
/// One thread at a time is the leader: a caller that waits for its own write, or a worker for
/// callers that do not wait. The leader writes one group and passes the lead on. Waiting threads
/// are woken one by one, each when its write is over or when it is to lead.
final class GroupCommit: Sendable {
    enum Kind {
        /// The write stores requests. It fails rather than use the room that is kept for results
        /// (see `DeliveryRoom`).
        case storing
        case other
    }

    /// A write of one caller.
    private final class Write: @unchecked Sendable {
        let kind: Kind
        /// This function runs in the transaction. It runs a second time, in a transaction of its
        /// own, if its group failed.
        let body: (JournalTransaction) throws(OutboxError) -> Void
        /// Called on a worker; `nil` if the caller waits.
        let done: (@Sendable (OutboxError?) -> Void)?
        /// Set by the leader only, until the write is over.
        var failure: OutboxError?
        /// Wakes the waiting caller; `nil` if no caller waits or the waiting thread leads. The lock
        /// guards it.
        var signal: Signal?
        /// The lock guards this.
        var isOver = false

        init(
            _ kind: Kind, _ body: @escaping (JournalTransaction) throws(OutboxError) -> Void,
            _ done: (@Sendable (OutboxError?) -> Void)?
        ) {
            self.kind = kind
            self.body = body
            self.done = done
        }
    }

    /// Wakes one waiting thread. It holds the reason until the thread has taken it.
    private typealias Signal = Monitor<WakeReason?>

    private enum WakeReason {
        case itIsOver, lead
    }

    private struct State {
        var writes = Fifo<Write>()
        /// The writes whose callers wait.
        var waitedFor = Fifo<Write>()
        /// The number of threads that wait for something else than their own write.
        var otherWaiters = 0
        var isLed = false
        /// Whether a worker has been asked to lead and has not started yet.
        var isWorkerAsked = false
        var isClosed = false
    }

    /// The most writes in one transaction.
    private static let groupMax = 1_024
    /// The most writes in the queue. A caller with a further one waits until there is room.
    private static let writesMax = 16_384
    /// A write-ahead log with more pages than this is checkpointed into the file.
    private static let logFramesMax = 1_000

    private let path: String
    private let secretHeaders: [String]
    private let mappers: BodyMappers
    private let pool: WorkerPool
    private let state = Monitor(State())
    /// Used by the leader only.
    private let file: JournalConnection

    init(
        _ file: JournalConnection, secretHeaders: Set<String>, mappers: BodyMappers,
        pool: WorkerPool
    ) {
        path = file.connection.path
        self.file = file
        self.secretHeaders = HeaderText.secretNames + secretHeaders
        self.mappers = mappers
        self.pool = pool
    }

    /// Returns when everything that `body` wrote is on disk. If this throws, nothing that `body`
    /// wrote is on disk.
    func run<Result>(
        _ kind: Kind = .other,
        _ body: @escaping (JournalTransaction) throws(OutboxError) -> Result
    ) throws(OutboxError) -> Result {
        var result: Result?
        let write = Write(kind, { (transaction) throws(OutboxError) in
            result = try body(transaction)
        }, nil)
        let leads: Bool? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.writes.append(write)
            state.waitedFor.append(write)
            if state.isLed { write.signal = Signal(nil) }
            defer { state.isLed = true }
            return !state.isLed
        }
        guard let leads else { throw .closed(path: path) }
        if leads { lead(for: write) }
        // Other threads lead until this write is over or this thread is to lead.
        while let signal = state.withLock({ _ in write.isOver ? nil : write.signal }),
            signal.wait(for: { $0.take() }) == .lead
        {
            lead(for: write)
        }
        if let failure = write.failure { throw failure }
        guard let result else { throw .closed(path: path) }
        return result
    }

    /// Queues a write and calls `done` on a worker, exactly once.
    func submit(
        _ kind: Kind, _ body: @escaping (JournalTransaction) throws(OutboxError) -> Void,
        _ done: @escaping @Sendable (OutboxError?) -> Void
    ) {
        let write = Write(kind, body, done)
        enum Next { case nothing, askWorker, lead, refuse }
        while true {
            let next: Next? = watch { state in
                if state.isClosed { return .refuse }
                if state.writes.count >= Self.writesMax {
                    guard !state.isLed else { return nil }
                    state.isLed = true
                    return .lead
                }
                state.writes.append(write)
                guard !state.isLed, !state.isWorkerAsked else { return .nothing }
                state.isWorkerAsked = true
                return .askWorker
            }
            switch next {
            case .lead:
                lead()
                continue
            case .askWorker: askWorker()
            case .refuse:
                let path = path
                pool.submit { done(.closed(path: path)) }
            case .nothing, nil: break
            }
            return
        }
    }

    /// Refuses new writes and returns when the earlier writes are on disk.
    func close() {
        state.withLock { $0.isClosed = true }
        finish()
    }

    /// Returns when all earlier writes are written.
    func finish() {
        while true {
            let leads: Bool? = watch { state in
                guard !state.isLed else { return nil }
                guard !state.writes.isEmpty else { return false }
                state.isLed = true
                return true
            }
            guard leads == true else { return }
            lead()
        }
    }

    /// Waits until `body` returns a result.
    private func watch<Result>(_ body: (inout State) -> Result?) -> Result? {
        var isCounted = false
        return state.wait { state in
            let result = body(&state)
            if (result == nil) != isCounted {
                isCounted.toggle()
                state.otherWaiters += isCounted ? 1 : -1
            }
            return result
        }
    }

    /// Whether `submit` accepts many more writes without waiting.
    var hasRoom: Bool { state.withLock { $0.writes.count < Self.writesMax / 2 } }

    // MARK: Leading

    private func askWorker() {
        pool.submit {
            let leads = self.state.withLock { state in
                state.isWorkerAsked = false
                guard !state.isLed, !state.writes.isEmpty else { return false }
                state.isLed = true
                return true
            }
            if leads { self.lead() }
        }
    }

    /// Writes one group, then passes the lead on if writes are left.
    ///
    /// - Parameter own: The write that this thread waits for. The thread leads on while that is its
    ///   turn.
    private func lead(for own: Write? = nil) {
        while writeGroup(own) {}
    }

    /// Writes one group.
    ///
    /// - Returns: Whether this thread is to lead on.
    private func writeGroup(_ own: Write?) -> Bool {
        let group: [Write] = state.withLock { state in
            var group: [Write] = []
            while group.count < Self.groupMax, let write = state.writes.popFirst() {
                group.append(write)
                if write.done == nil { _ = state.waitedFor.popFirst() }
            }
            return group
        }
        write(group)
        let isShortOfRoom = file.connection.isShortOfRoom
        let isLogLong = isShortOfRoom || file.connection.logFrameCount > Self.logFramesMax
        if isLogLong {
            // The checkpoint runs after the callers of this group are woken and before the next
            // group.
            wake(group, but: own)
            if isShortOfRoom {
                _ = file.connection.makeRoom()
            } else {
                try? file.connection.checkpoint()
            }
        }
        tell(group)
        var needsWorker = false
        let (leadsOn, signal, isWatched): (Bool, Signal?, Bool) = state.withLock { state in
            if let own, group.contains(where: { $0 === own }) { own.isOver = true }
            let next = state.waitedFor.first
            if let own, !own.isOver, next !== own, own.signal == nil { own.signal = Signal(nil) }
            state.isLed = next != nil
            if next == nil, !state.writes.isEmpty, !state.isWorkerAsked {
                state.isWorkerAsked = true
                needsWorker = true
            }
            let leadsOn = next != nil && next === own
            return (leadsOn, leadsOn ? nil : next?.signal, state.otherWaiters > 0)
        }
        signal?.update { $0 = .lead }
        if needsWorker { askWorker() }
        if isWatched { state.wakeAll() }
        if !isLogLong { wake(group, but: own) }
        return leadsOn
    }

    /// Wakes the callers that wait for their writes in `group`.
    private func wake(_ group: [Write], but own: Write?) {
        let signals: [Signal] = state.withLock { _ in
            var signals: [Signal] = []
            for write in group where write.done == nil && write !== own {
                write.isOver = true
                if let signal = write.signal { signals.append(signal) }
            }
            return signals
        }
        for signal in signals { signal.update { $0 = .itIsOver } }
    }

    private func tell(_ group: [Write]) {
        let told = group.filter { $0.done != nil }
        guard !told.isEmpty else { return }
        pool.submit {
            for write in told { write.done?(write.failure) }
        }
    }

    private func write(_ group: [Write]) {
        guard var failure = attempt(group) else { return }
        if case .file(let error) = failure, error.isFull, file.connection.makeRoom() {
            guard let second = attempt(group) else { return }
            failure = second
        }
        // One write may be at fault, for example too large for the disk, so each write is tried
        // alone, in order.
        guard group.count > 1, !failure.isTemporary else {
            for write in group { write.failure = failure }
            return
        }
        for write in group { write.failure = attempt([write]) ?? write.failure }
    }

    /// Writes the whole group in one transaction. If a write is refused without harm to the other
    /// writes, only that write fails.
    ///
    /// - Returns: The reason why no write of the group is on disk; `nil` if the group was written.
    private func attempt(_ group: [Write]) -> OutboxError? {
        let connection = file.connection
        do throws(OutboxError) {
            let keepsLog = try JournalConnection.wrapping { () throws(SQLiteError) in
                // A failed rollback may have left a transaction open.
                if connection.isInTransaction { try connection.run("ROLLBACK") }
                try connection.begin()
                return connection.reserveLog()
            }
            let transaction = try JournalTransaction(
                file, secretHeaders: secretHeaders, mappers: mappers)
            for write in group {
                write.failure = nil
                do throws(OutboxError) {
                    if write.kind == .storing, !keepsLog { throw DeliveryRoom.error(path) }
                    try write.body(transaction)
                } catch {
                    if case .file = error { throw error }
                    write.failure = error
                }
            }
            try transaction.finish()
            if group.contains(where: { $0.kind == .storing && $0.failure == nil }) {
                try transaction.keepRoom()
            }
            try JournalConnection.wrapping { () throws(SQLiteError) in
                try connection.reserveFile()
                try connection.commit()
            }
            return nil
        } catch {
            if connection.isInTransaction { connection.rollBack() }
            return error
        }
    }
}
