import CLinux
import Glibc

/// Holds the process's exit up until the threads that use foreign libraries have ended.
///
/// `exit` runs the handlers of those libraries, OpenSSL's among them, on the thread that called
/// it. They free what a thread that still runs, or is just ending, reads: the storage that OpenSSL
/// keeps for each thread is given back when the thread ends. So such threads are joined first.
package enum ExitBarrier {
    /// How long `exit` waits for one thread, which may be held up by a callback of the host.
    private static let patienceMilliseconds: Int32 = 2_000

    private struct Member {
        let thread: pthread_t
        let stop: @Sendable () -> Void
    }

    private struct State {
        var isUp = false
        var isExiting = false
        var lastNumber = 0
        var running: [Int: Member] = [:]
        /// A thread that has run its body but has not been joined. There is at most one: the next
        /// one to end joins it.
        var ended: pthread_t?
    }

    /// A forked child has none of these threads, and may find the lock taken.
    private static let generation = ProcessGeneration.current
    private static let state = Lock(State())

    /// Sets the barrier up. It stands before the exit handlers that were there already, so the
    /// libraries in question have to be initialised first.
    package static func raise() {
        _ = generation
        let isFirst = state.withLock { state in
            defer { state.isUp = true }
            return !state.isUp
        }
        if isFirst { atexit { ExitBarrier.wait() } }
    }

    /// Runs `body` on a new thread that `exit` waits for.
    ///
    /// - Parameter stop: Called by `exit`, on any thread: `body` has to return soon after, without
    ///   calling the host.
    /// - Returns: false when the system has no thread to give, or the process is exiting.
    package static func start(
        _ name: String, stop: @escaping @Sendable () -> Void,
        _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        guard generation == ProcessGeneration.current else { return Thread.start(name, body) }
        return state.withLock { state in
            guard !state.isExiting else { return false }
            state.lastNumber += 1
            let number = state.lastNumber
            let thread = Thread.startJoinable(name) {
                body()
                ExitBarrier.end(number)
            }
            guard let thread else { return false }
            state.running[number] = Member(thread: thread, stop: stop)
            return true
        }
    }

    /// The calling thread, a member, is about to end.
    private static func end(_ number: Int) {
        let previous: pthread_t? = state.withLock { state in
            // Else `exit` has taken it over.
            guard let member = state.running.removeValue(forKey: number) else { return nil }
            defer { state.ended = member.thread }
            return state.ended
        }
        if let previous { pthread_join(previous, nil) }
    }

    private static func wait() {
        guard generation == ProcessGeneration.current else { return }
        let (members, ended) = state.withLock { state in
            state.isExiting = true
            defer { (state.running, state.ended) = ([:], nil) }
            return (Array(state.running.values), state.ended)
        }
        for member in members { member.stop() }
        for thread in members.map(\.thread) + [ended].compactMap(\.self) {
            guard pthread_equal(thread, pthread_self()) == 0 else { continue }
            _ = rw_thread_join_within(thread, patienceMilliseconds)
        }
    }
}
