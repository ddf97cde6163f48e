public import Glibc

/// What a monitor consists of beside its state.
///
/// Not inside of `Monitor`, where it would be a generic type, which the runtime looks up each time.
@usableFromInline
struct MonitorParts {
    @usableFromInline var mutex = pthread_mutex_t()
    @usableFromInline var condition = pthread_cond_t()

    @usableFromInline init() {}
}

/// A `Lock` whose state can be waited for.
///
/// `@unchecked Sendable`: every access to the state goes through the mutex.
public struct Monitor<State>: @unchecked Sendable {
    @usableFromInline
    final class Storage: ManagedBuffer<State, MonitorParts> {
        deinit {
            withUnsafeMutablePointerToElements { parts in
                pthread_cond_destroy(&parts.pointee.condition)
                pthread_mutex_destroy(&parts.pointee.mutex)
                _ = parts.deinitialize(count: 1)
            }
        }
    }

    @usableFromInline let storage: ManagedBuffer<State, MonitorParts>

    /// - Parameter state: Made right where it stays: copying it costs more than the lock.
    @inlinable
    public init(_ state: @autoclosure () -> State) {
        storage = Storage.create(minimumCapacity: 1) { storage in
            storage.withUnsafeMutablePointerToElements { parts in
                parts.initialize(to: MonitorParts())
                var attributes = pthread_condattr_t()
                precondition(pthread_mutex_init(&parts.pointee.mutex, nil) == 0)
                precondition(pthread_condattr_init(&attributes) == 0)
                precondition(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0)
                precondition(pthread_cond_init(&parts.pointee.condition, &attributes) == 0)
                pthread_condattr_destroy(&attributes)
            }
            return state()
        }
    }

    /// Runs `body` alone, without waking anyone.
    @inlinable
    public func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        storage.withUnsafeMutablePointers { state, parts in
            pthread_mutex_lock(&parts.pointee.mutex)
            defer { pthread_mutex_unlock(&parts.pointee.mutex) }
            return body(&state.pointee)
        }
    }

    /// Runs `body` alone, then wakes every thread that waits.
    @inlinable
    public func update<Result>(_ body: (inout State) -> Result) -> Result {
        let result = withLock(body)
        // Behind the lock: who wakes would run right into it.
        wakeAll()
        return result
    }

    /// Wakes every thread that waits, to look again.
    @inlinable
    public func wakeAll() {
        _ = storage.withUnsafeMutablePointerToElements {
            pthread_cond_broadcast(&$0.pointee.condition)
        }
    }

    /// Runs `body` alone, then wakes one thread that waits.
    @inlinable
    public func updateWakingOne<Result>(_ body: (inout State) -> Result) -> Result {
        let result = withLock(body)
        wakeOne()
        return result
    }

    /// Wakes one thread that waits, to look again.
    @inlinable
    public func wakeOne() {
        _ = storage.withUnsafeMutablePointerToElements {
            pthread_cond_signal(&$0.pointee.condition)
        }
    }

    /// Waits until `body` answers something, and returns that; `nil` when `deadline` passed first.
    ///
    /// `body` runs alone, at once and after every wake.
    package func wait<Result>(
        until deadline: Deadline = .never, for body: (inout State) -> Result?
    ) -> Result? {
        storage.withUnsafeMutablePointers { state, parts in
            pthread_mutex_lock(&parts.pointee.mutex)
            defer { pthread_mutex_unlock(&parts.pointee.mutex) }
            while true {
                if let result = body(&state.pointee) { return result }
                let isWoken = deadline.wait(
                    for: &parts.pointee.condition, &parts.pointee.mutex)
                if !isWoken { return body(&state.pointee) }
            }
        }
    }
}
