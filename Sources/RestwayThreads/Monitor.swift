public import Glibc

/// The parts of a monitor other than its state.
///
/// It is not nested in `Monitor`: a generic type would be looked up at run time for each use.
@usableFromInline
struct MonitorParts {
    @usableFromInline var mutex = pthread_mutex_t()
    @usableFromInline var condition = pthread_cond_t()

    @usableFromInline init() {}

    /// Creates the condition so that its deadlines use the monotonic clock.
    @usableFromInline
    static func begin(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
        var attributes = pthread_condattr_t()
        precondition(pthread_condattr_init(&attributes) == 0)
        precondition(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0)
        precondition(pthread_cond_init(condition, &attributes) == 0)
        pthread_condattr_destroy(&attributes)
    }
}

extension UnsafeMutablePointer<MonitorParts> {
    var mutex: UnsafeMutablePointer<pthread_mutex_t> { part(at: \.mutex) }
    var condition: UnsafeMutablePointer<pthread_cond_t> { part(at: \.condition) }

    private func part<Part>(
        at path: KeyPath<MonitorParts, Part>
    ) -> UnsafeMutablePointer<Part> {
        (UnsafeMutableRawPointer(self) + MemoryLayout<MonitorParts>.offset(of: path)!)
            .assumingMemoryBound(to: Part.self)
    }
}

/// A `Lock` whose state a thread can wait for.
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

    /// - Parameter state: It is created in place, because copying it costs more than the lock.
    @inlinable
    public init(_ state: @autoclosure () -> State) {
        storage = Storage.create(minimumCapacity: 1) { storage in
            storage.withUnsafeMutablePointerToElements { parts in
                parts.initialize(to: MonitorParts())
                precondition(pthread_mutex_init(&parts.pointee.mutex, nil) == 0)
                MonitorParts.begin(&parts.pointee.condition)
            }
            return state()
        }
    }

    /// Runs `body` with the lock held, without waking any thread.
    @inlinable
    public func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        storage.withUnsafeMutablePointers { state, parts in
            pthread_mutex_lock(&parts.pointee.mutex)
            defer { pthread_mutex_unlock(&parts.pointee.mutex) }
            return body(&state.pointee)
        }
    }

    /// Runs `body` with the lock held, then wakes all waiting threads.
    @inlinable
    public func update<Result>(_ body: (inout State) -> Result) -> Result {
        let result = withLock(body)
        // This comes after the lock is released, or the woken threads would wait for the lock.
        wakeAll()
        return result
    }

    /// Wakes all waiting threads, so that they check their conditions again.
    @inlinable
    public func wakeAll() {
        _ = storage.withUnsafeMutablePointerToElements {
            pthread_cond_broadcast(&$0.pointee.condition)
        }
    }

    /// Waits until `body` returns a value, and returns it; `nil` if `deadline` passes first.
    ///
    /// `body` runs with the lock held, at once and after every wake-up.
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
