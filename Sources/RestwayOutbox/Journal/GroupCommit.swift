import RestwaySQLite
import RestwaySupport

/// Writes for many callers at once: what comes while a transaction is being made durable goes into
/// the next one together, in the order in which it came.
///
/// One thread leads at a time: a caller that waits for its own write, or a worker for those that do
/// not wait. Who leads writes one group and passes on. Threads that wait are woken one by one, each
/// when its write is over or when it is to lead.
final class GroupCommit: Sendable {
    /// What one caller wants written.
    private final class Write: @unchecked Sendable {
        /// Run in the transaction, perhaps twice: on its own when a group has failed.
        let body: (JournalTransaction) throws(OutboxError) -> Void
        /// On a worker; nil for who waits.
        let done: (@Sendable (OutboxError?) -> Void)?
        /// Of who leads, until it is over.
        var failure: OutboxError?
        /// Behind the lock: who waits, if that thread does not lead.
        var bell: Bell?
        /// Behind the lock.
        var isOver = false

        init(
            _ body: @escaping (JournalTransaction) throws(OutboxError) -> Void,
            _ done: (@Sendable (OutboxError?) -> Void)?
        ) {
            self.body = body
            self.done = done
        }
    }

    /// Wakes one thread.
    private final class Bell: Sendable {
        enum Call {
            case itIsOver, lead
        }

        private let call = Monitor<Call?>(nil)

        func ring(_ call: Call) { self.call.updateWakingOne { $0 = call } }

        /// Once for each ring.
        func wait() -> Call? { call.wait { $0.take() } }
    }

    private struct State {
        var writes = Fifo<Write>()
        /// Of those, the ones that somebody waits for.
        var waitedFor = Fifo<Write>()
        /// Threads that wait for something else than a write of theirs.
        var onlookers = 0
        var isLed = false
        /// A worker is about to come and lead.
        var isSummoned = false
        var isClosed = false
    }

    /// In one transaction.
    private static let groupMax = 1_024
    /// Who brings more than this waits until there is room.
    private static let writesMax = 16_384
    /// A log of more pages is moved into the file.
    private static let logFramesMax = 1_000

    private let path: String
    private let secretHeaders: [String]
    private let pool: WorkerPool
    private let state = Monitor(State())
    /// Of who leads.
    private let file: JournalConnection

    init(_ file: JournalConnection, secretHeaders: Set<String>, pool: WorkerPool) {
        path = file.connection.path
        self.file = file
        self.secretHeaders = HeaderText.secretNames + secretHeaders
        self.pool = pool
    }

    /// Returns when what `body` wrote is on disk; when this throws, nothing of it is.
    func run<Result>(
        _ body: @escaping (JournalTransaction) throws(OutboxError) -> Result
    ) throws(OutboxError) -> Result {
        var result: Result?
        let write = Write({ (transaction) throws(OutboxError) in
            result = try body(transaction)
        }, nil)
        let leads: Bool? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.writes.append(write)
            state.waitedFor.append(write)
            if state.isLed { write.bell = Bell() }
            defer { state.isLed = true }
            return !state.isLed
        }
        guard let leads else { throw .closed(path: path) }
        if leads { lead(for: write) }
        // Others lead until this is over, or it is this thread's turn.
        while let bell = state.withLock({ _ in write.isOver ? nil : write.bell }),
            bell.wait() == .lead
        {
            lead(for: write)
        }
        if let failure = write.failure { throw failure }
        guard let result else { throw .closed(path: path) }
        return result
    }

    /// Tells `done` on a worker, exactly once.
    func submit(
        _ body: @escaping (JournalTransaction) throws(OutboxError) -> Void,
        _ done: @escaping @Sendable (OutboxError?) -> Void
    ) {
        let write = Write(body, done)
        enum Next { case nothing, summon, lead, refuse }
        while true {
            let next: Next? = watch { state in
                if state.isClosed { return .refuse }
                if state.writes.count >= Self.writesMax {
                    guard !state.isLed else { return nil }
                    state.isLed = true
                    return .lead
                }
                state.writes.append(write)
                guard !state.isLed, !state.isSummoned else { return .nothing }
                state.isSummoned = true
                return .summon
            }
            switch next {
            case .lead:
                lead()
                continue
            case .summon: summon()
            case .refuse:
                let path = path
                pool.submit { done(.closed(path: path)) }
            case .nothing, nil: break
            }
            return
        }
    }

    /// What was brought before is written; what comes now is refused.
    func close() {
        state.withLock { $0.isClosed = true }
        finish()
    }

    /// Returns when what was brought before is written.
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

    /// Waits until `body` answers something.
    private func watch<Result>(_ body: (inout State) -> Result?) -> Result? {
        var isCounted = false
        return state.wait { state in
            let result = body(&state)
            if (result == nil) != isCounted {
                isCounted.toggle()
                state.onlookers += isCounted ? 1 : -1
            }
            return result
        }
    }

    /// Whether `submit` takes a good many more without waiting.
    var hasRoom: Bool { state.withLock { $0.writes.count < Self.writesMax / 2 } }

    // MARK: Leading

    private func summon() {
        pool.submit {
            let leads = self.state.withLock { state in
                state.isSummoned = false
                guard !state.isLed, !state.writes.isEmpty else { return false }
                state.isLed = true
                return true
            }
            if leads { self.lead() }
        }
    }

    /// Writes one group, then somebody else leads, if anybody has to.
    ///
    /// - Parameter own: What this thread waits for; it leads on while it is its turn.
    private func lead(for own: Write? = nil) {
        while writeGroup(own) {}
    }

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
        let isLogLong = file.connection.logFrameCount > Self.logFramesMax
        if isLogLong {
            // Behind what others wait for, and still before the next group.
            wake(group, but: own)
            try? file.connection.checkpoint()
        }
        tell(group)
        var needsWorker = false
        let (leadsOn, bell, isWatched): (Bool, Bell?, Bool) = state.withLock { state in
            if let own, group.contains(where: { $0 === own }) { own.isOver = true }
            let heir = state.waitedFor.first
            if let own, !own.isOver, heir !== own, own.bell == nil { own.bell = Bell() }
            state.isLed = heir != nil
            if heir == nil, !state.writes.isEmpty, !state.isSummoned {
                state.isSummoned = true
                needsWorker = true
            }
            let leadsOn = heir != nil && heir === own
            return (leadsOn, leadsOn ? nil : heir?.bell, state.onlookers > 0)
        }
        bell?.ring(.lead)
        if needsWorker { summon() }
        if isWatched { state.wakeAll() }
        if !isLogLong { wake(group, but: own) }
        return leadsOn
    }

    /// Those that wait for their writes in `group` need not any more.
    private func wake(_ group: [Write], but own: Write?) {
        let bells: [Bell] = state.withLock { _ in
            var bells: [Bell] = []
            for write in group where write.done == nil && write !== own {
                write.isOver = true
                if let bell = write.bell { bells.append(bell) }
            }
            return bells
        }
        for bell in bells { bell.ring(.itIsOver) }
    }

    private func tell(_ group: [Write]) {
        let told = group.filter { $0.done != nil }
        guard !told.isEmpty else { return }
        pool.submit {
            for write in told { write.done?(write.failure) }
        }
    }

    private func write(_ group: [Write]) {
        guard let failure = attempt(group) else { return }
        // One of them may be at fault, too large for the disk perhaps: each on its own, in order.
        guard group.count > 1, !failure.isTemporary else {
            for write in group { write.failure = failure }
            return
        }
        for write in group { write.failure = attempt([write]) ?? write.failure }
    }

    /// All in one transaction. What a write is refused for without harm to the others is its own.
    ///
    /// - Returns: Why none of them is written.
    private func attempt(_ group: [Write]) -> OutboxError? {
        let connection = file.connection
        do throws(OutboxError) {
            try JournalConnection.wrapping { () throws(SQLiteError) in
                // Left behind by a roll-back that failed.
                if connection.isInTransaction { try connection.run("ROLLBACK") }
                try connection.begin()
                connection.reserveLog()
            }
            let transaction = try JournalTransaction(file, secretHeaders: secretHeaders)
            for write in group {
                write.failure = nil
                do throws(OutboxError) {
                    try write.body(transaction)
                } catch {
                    if case .file = error { throw error }
                    write.failure = error
                }
            }
            try transaction.finish()
            try JournalConnection.wrapping { () throws(SQLiteError) in try connection.commit() }
            transaction.remember()
            return nil
        } catch {
            if connection.isInTransaction { connection.rollBack() }
            return error
        }
    }
}
