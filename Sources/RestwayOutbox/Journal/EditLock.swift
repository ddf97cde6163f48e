import CLinux
import Glibc
import RestwayOutcome
import RestwayThreads

/// Keeps requests that are being stored apart from the comparison of the journal with the object
/// store, in all threads and processes with the file.
///
/// The two files share no transaction. While a request is being stored, the store has its edit, and
/// the journal has no item yet; a comparison at that moment would take the edit back. So any number
/// of requests may be stored at a time, but nothing is stored during a comparison. Neither side
/// waits for long: a process that was stopped in between must not hold up the others.
final class EditLock: Sendable {
    private struct State {
        var descriptor: Int32 = -1
        var storing = 0
        var isComparing = false
        var isClosed = false
    }

    /// The longest wait for another process.
    private static let waitMilliseconds: Int64 = 2_000
    private static let pauseMilliseconds: Int64 = 2

    private let database: String
    private let generation = ProcessGeneration.current
    private let state = Monitor(State())

    /// - Parameter database: The name of the database as SQLite has it.
    init(database: String) {
        self.database = database
    }

    deinit {
        close()
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            guard state.descriptor >= 0 else { return }
            if generation == ProcessGeneration.current {
                InheritedDescriptors.remove(state.descriptor)
                Glibc.close(state.descriptor)
            }
            state.descriptor = -1
        }
    }

    /// A request is about to be stored. If another process keeps the lock for too long, the request
    /// is stored without it: then only the crash of a process at the same moment could undo what
    /// the store shows of it.
    func beginStoring() {
        let isIn = wait { state in
            guard !state.isComparing, state.storing > 0 || lock(RW_SHARED, &state) else {
                return false
            }
            state.storing += 1
            return true
        }
        guard !isIn else { return }
        Log.shared.write(
            .warning, .outbox, "a request is stored without the lock of \"\(database)\"")
        state.withLock { $0.storing += 1 }
    }

    /// The request is stored, or what the store has of it was taken back.
    func endStoring() {
        state.withLock { state in
            state.storing -= 1
            if state.storing == 0 { unlock(&state) }
        }
    }

    /// Runs `body` while no request is being stored.
    ///
    /// - Returns: False, without running `body`, if requests were being stored for too long.
    func compare(_ body: () throws(Failure) -> Void) throws(Failure) -> Bool {
        let isIn = wait { state in
            guard state.storing == 0, !state.isComparing, lock(RW_EXCLUSIVE, &state) else {
                return false
            }
            state.isComparing = true
            return true
        }
        guard isIn else { return false }
        defer {
            state.withLock { state in
                state.isComparing = false
                unlock(&state)
            }
        }
        try body()
        return true
    }

    /// Tries `enter` until it returns true or the time is over.
    private func wait(_ enter: (inout State) -> Bool) -> Bool {
        let clock = SystemClock()
        let limit = clock.now().advanced(milliseconds: Self.waitMilliseconds)
        while true {
            if state.withLock({ enter(&$0) }) { return true }
            let now = clock.now()
            guard now < limit else { return false }
            let pause = now.advanced(milliseconds: Self.pauseMilliseconds)
            // Another process cannot wake this thread.
            let _: Bool? = Monitor(()).wait(until: pause) { _ in nil }
        }
    }

    /// Takes the lock of this process. If the file of the lock cannot be opened, the lock holds
    /// only in this process.
    private func lock(_ kind: Int32, _ state: inout State) -> Bool {
        if state.descriptor < 0, !state.isClosed,
            let opened = try? LockFile.open(LockFile.path(database), like: database)
        {
            state.descriptor = opened
            InheritedDescriptors.add(opened)
        }
        guard state.descriptor >= 0 else { return true }
        return LockFile.lock(state.descriptor, kind, LockFile.ofEdits) != EAGAIN
    }

    private func unlock(_ state: inout State) {
        guard state.descriptor >= 0 else { return }
        _ = LockFile.lock(state.descriptor, RW_UNLOCKED, LockFile.ofEdits)
    }
}
