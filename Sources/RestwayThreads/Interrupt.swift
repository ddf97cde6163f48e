import CLinux
import Glibc
import Synchronization

/// Ends waits of the threads that use it; see restway/interrupt.h.
///
/// A thread of the interrupt's own reads a pipe, because nothing else that a signal handler may do
/// can wake a thread that waits for a condition.
package final class Interrupt: Sendable {
    private struct State {
        var isRaised = false
        var lastNumber = 0
        /// The functions that wake the waiting threads.
        var waiting: [Int: @Sendable () -> Void] = [:]
    }

    /// A wait found the interrupt raised, and has lowered it.
    package struct Interrupted: Error {
        package init() {}
    }

    package let generation = ProcessGeneration.current
    private let state = Lock(State())
    private let pipe: Pipe

    /// Creates an interrupt; `nil` if the system has no descriptor or thread left.
    package init?() {
        guard let pipe = Pipe() else { return nil }
        self.pipe = pipe
        let readEnd = pipe.readEnd
        let isStarted = Thread.start("restway-intr") { [weak self] in
            Pipe.read(readEnd) { self?.raise() }
        }
        // The thread closes this end.
        guard isStarted else {
            close(readEnd)
            return nil
        }
    }

    /// A byte that is written here raises the interrupt.
    package var descriptor: Int32 { pipe.writeEnd }

    package func raise() {
        let wakeUps = state.withLock { state in
            state.isRaised = true
            return Array(state.waiting.values)
        }
        for wake in wakeUps { wake() }
    }

    /// Whether the interrupt is raised. Does not lower it.
    package var isRaised: Bool { state.withLock { $0.isRaised } }

    /// Lowers the interrupt; false if it was not raised.
    package func lower() -> Bool {
        state.withLock { state in
            defer { state.isRaised = false }
            return state.isRaised
        }
    }

    /// Runs `body`; `wake` runs, on another thread, when the interrupt is raised meanwhile.
    package func waking<Result, Failed: Error>(
        _ wake: @escaping @Sendable () -> Void, _ body: () throws(Failed) -> Result
    ) throws(Failed) -> Result {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.waiting[state.lastNumber] = wake
            return state.lastNumber
        }
        defer { state.withLock { $0.waiting[number] = nil } }
        return try body()
    }

    // MARK: The thread's interrupt

    /// The interrupt that the calling thread uses.
    package static var current: Interrupt? {
        guard let pointer = pthread_getspecific(key) else { return nil }
        let interrupt = UserData.object(Interrupt.self, pointer)
        return interrupt.generation == ProcessGeneration.current ? interrupt : nil
    }

    /// Lets the calling thread use `interrupt`.
    package static func use(_ interrupt: Interrupt?) {
        let before = pthread_getspecific(key)
        pthread_setspecific(key, interrupt.map(UserData.retain))
        if let before { release(before) }
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        precondition(pthread_key_create(&key, { Interrupt.release($0!) }) == 0)
        return key
    }()

    /// A child keeps the reference of its parent: the interrupt's lock may be held for ever.
    private static func release(_ pointer: UnsafeMutableRawPointer) {
        let generation = UserData.object(Interrupt.self, pointer).generation
        if generation == ProcessGeneration.current { _ = UserData.take(Interrupt.self, pointer) }
    }
}

/// A pipe whose write end does not block.
private final class Pipe: Sendable {
    let readEnd: Int32
    let writeEnd: Int32

    init?() {
        var ends: [Int32] = [-1, -1]
        guard rw_pipe(&ends) == 0 else { return nil }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    /// The end of the write end ends `read`.
    deinit {
        close(writeEnd)
    }

    /// Calls `body` whenever bytes have come, until the write end is closed; then closes the read
    /// end.
    static func read(_ readEnd: Int32, _ body: () -> Void) {
        var bytes = [UInt8](repeating: 0, count: 64)
        while SystemCall.read(readEnd, &bytes, bytes.count) > 0 { body() }
        close(readEnd)
    }
}

extension Monitor {
    /// Waits as `wait` does. Throws if the interrupt of the calling thread is raised and `body` has
    /// no value.
    package func waitInterruptibly<Result>(
        until deadline: Deadline = .never, for body: (inout State) -> Result?
    ) throws(Interrupt.Interrupted) -> Result? {
        guard let interrupt = Interrupt.current else { return wait(until: deadline, for: body) }
        let found: Result?? = interrupt.waking({ self.update { _ in } }) {
            wait(until: deadline) { state -> Result?? in
                if let result = body(&state) { return .some(.some(result)) }
                return interrupt.lower() ? .some(.none) : nil
            }
        }
        switch found {
        case .some(.none): throw Interrupt.Interrupted()
        case .some(.some(let result)): return result
        case .none: return nil
        }
    }
}
