import CLinux
import Glibc

/// Starts threads.
package enum Thread {
    /// The data that a new thread receives and owns.
    private final class Start {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Runs `body` on a new, detached thread called `name` (at most 15 bytes are kept). All signals
    /// are blocked, because signals belong to the host.
    ///
    /// - Returns: false if the system has no thread left.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = startJoinable(name, body) else { return false }
        pthread_detach(thread)
        return true
    }

    /// Starts a thread, as `start` does, that must be joined; nil if the system has no thread left.
    static func startJoinable(
        _ name: String, _ body: @escaping @Sendable () -> Void
    ) -> pthread_t? {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        let start = UserData.retain(
            Start {
                rw_thread_set_name(name)
                body()
            })
        var thread = pthread_t()
        let failed = pthread_create(&thread, nil, { argument in
            UserData.take(Start.self, argument!).body()
            return nil
        }, start)
        guard failed == 0 else {
            _ = UserData.take(Start.self, start)
            return nil
        }
        return thread
    }
}

/// Tells whether the current thread is inside a callback of the host.
///
/// Blocking functions check this: a callback that waited for another callback would never end.
package enum CallbackScope {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        precondition(pthread_key_create(&key, nil) == 0)
        return key
    }()

    package static var isActive: Bool { depth > 0 }

    /// Runs `body`, which calls into the host. The job that this thread would do next
    /// (`WorkerLoop`) goes to another worker, because the host may take long or wait for it.
    package static func run<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if let next = WorkerLoop.giveBack() { WorkerPool.shared.submit(next) }
        let outer = depth
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: outer + 1))
        defer { pthread_setspecific(key, UnsafeRawPointer(bitPattern: outer)) }
        return try body()
    }

    /// The value of the thread is a count, not an address.
    private static var depth: Int { Int(bitPattern: pthread_getspecific(key)) }
}
