public import Glibc

/// State that only one thread at a time can touch.
///
/// It is built on `pthread_mutex_t`, which ThreadSanitizer understands. The state lives inside, so
/// it cannot be reached without the lock. Both share one allocation, because each call makes
/// several locks.
///
/// `Lock`, `Monitor` and `Fifo` are public and inlinable; other types are not. Only then does the
/// compiler specialise them in other modules. Otherwise these would use them through type metadata,
/// at several times the cost (decision 0017).
///
/// `@unchecked Sendable`: every access to the state goes through the mutex.
public struct Lock<State>: @unchecked Sendable {
    @usableFromInline
    final class Storage: ManagedBuffer<State, pthread_mutex_t> {
        deinit {
            withUnsafeMutablePointerToElements { mutex in
                pthread_mutex_destroy(mutex)
                _ = mutex.deinitialize(count: 1)
            }
        }
    }

    @usableFromInline let storage: ManagedBuffer<State, pthread_mutex_t>

    /// - Parameter state: It is created in place, because copying it costs more than the lock.
    @inlinable
    public init(_ state: @autoclosure () -> State) {
        storage = Storage.create(minimumCapacity: 1) { storage in
            storage.withUnsafeMutablePointerToElements { mutex in
                mutex.initialize(to: pthread_mutex_t())
                precondition(pthread_mutex_init(mutex, nil) == 0)
            }
            return state()
        }
    }

    /// Runs `body` with the lock held. `body` must not call out: no callback, no interface of the
    /// core.
    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // ManagedBuffer's own accessors do not pass typed errors on.
        let (state, mutex) = storage.withUnsafeMutablePointers { ($0, $1) }
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state.pointee)
    }
}
