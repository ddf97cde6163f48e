public import Glibc

/// State that only one thread at a time can touch.
///
/// Built on `pthread_mutex_t`, which ThreadSanitizer understands. The state lives inside, so it
/// cannot be reached without the lock. Both are one allocation: each call makes some of these.
///
/// Public and inlinable, as `Monitor` and `Fifo` are, and nothing else is: the compiler looks into
/// nothing less, and other modules would use them through descriptions of their types, at several
/// times the cost (decision 0017).
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

    /// - Parameter state: Made right where it stays: copying it costs more than the lock.
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

    /// Runs `body` alone. It must not call out: no callback, no seam.
    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // ManagedBuffer's own accessors pass no typed errors on.
        let (state, mutex) = storage.withUnsafeMutablePointers { ($0, $1) }
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state.pointee)
    }
}
