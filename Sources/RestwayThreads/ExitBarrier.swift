import CLinux
import Glibc

/// Delays the exit of the process until the threads that use other libraries have ended.
///
/// `exit` runs the exit handlers of these libraries, such as OpenSSL, on the thread that called it.
/// The handlers free memory that a running or ending thread still reads: OpenSSL frees its storage
/// for a thread when the thread ends. So these threads are joined first.
package enum ExitBarrier {
    /// How long `exit` waits for one thread, which may be inside a slow callback of the host.
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
        /// A thread that has finished its body but has not been joined. There is at most one: the
        /// next thread to end joins it.
        var ended: pthread_t?
    }

    /// These threads do not exist in a forked child, and the lock may be locked there.
    private static let generation = ProcessGeneration.current
    private static let state = Lock(State())

    /// Registers the barrier. It runs before the exit handlers that are already registered, so the
    /// libraries must be initialised first.
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
    /// - Parameter stop: Called by `exit`, on any thread. `body` must then return soon, without
    ///   calling the host.
    /// - Returns: false if the system has no thread left or the process is exiting.
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

    /// Notes that the calling thread, which `start` made, is about to end.
    private static func end(_ number: Int) {
        let previous: pthread_t? = state.withLock { state in
            // If the thread is not listed, `exit` has taken it over.
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
