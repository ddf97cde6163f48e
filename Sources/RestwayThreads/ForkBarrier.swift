import CLinux
import Glibc
import Synchronization

/// Delays a fork until no thread holds a lock of the whole process that a child needs.
///
/// A forked child has one thread and a copy of the memory. If another thread of the parent holds a
/// lock at that moment, the lock stays locked in the child for ever, and the state that it guards
/// may be half changed. So the thread that forks first takes these locks itself, and releases them
/// afterwards in both processes (`pthread_atfork`; decision 0025).
///
/// It waits for them at most `patienceMilliseconds`. Otherwise a fork inside such a lock, or while
/// its holder waits for something else, would hang. After that time the child has a broken copy,
/// and refuses to open objects that need it.
package enum ForkBarrier {
    /// One lock, or several that are taken together.
    package struct Member: Sendable {
        /// Runs in the thread that forks. It returns false, and holds no lock, if the lock is not
        /// free before the deadline.
        let close: @Sendable (Deadline) -> Bool
        /// Runs in the parent after the fork, if `close` returned true.
        let openInParent: @Sendable () -> Void
        /// Runs in the child after the fork, when the child has no other thread yet. Receives the
        /// result of `close`.
        let openInChild: @Sendable (_ wasClosed: Bool) -> Void

        package init(
            close: @escaping @Sendable (Deadline) -> Bool,
            openInParent: @escaping @Sendable () -> Void,
            openInChild: @escaping @Sendable (_ wasClosed: Bool) -> Void
        ) {
            self.close = close
            self.openInParent = openInParent
            self.openInChild = openInChild
        }
    }

    /// The order in which a fork takes the locks. A thread that holds a lock of one kind may wait
    /// for a lock of a later kind, never for a lock of an earlier kind.
    package enum Kind: Int, CaseIterable, Sendable {
        case transport
        case own
        case storage
    }

    private struct State {
        var members: [[Member]] = Kind.allCases.map { _ in [] }
        /// The results of the members' `close` for the current fork, in the order of the calls.
        var answers: [Bool] = []
        var isWhole = true
    }

    /// How long a fork waits for all locks together.
    package static let patienceMilliseconds: Int64 = 500

    /// Guards the state and makes forks wait for each other. It is held during a fork.
    nonisolated(unsafe) private static let mutex = {
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        precondition(pthread_mutex_init(mutex, nil) == 0)
        return mutex
    }()

    nonisolated(unsafe) private static var state = State()

    /// Registers the fork handlers before the program starts, or while the library is loaded. Fork
    /// handlers of the program are registered later and so run earlier. If they take locks of the
    /// program, they never wait for a thread that the handlers here delay.
    @section(".init_array") @used
    private static let atLoad: @convention(c) () -> Void = { ForkBarrier.raise() }

    private static let isRaised: Bool = {
        _ = mutex
        _ = state
        return pthread_atfork(
            { ForkBarrier.prepareFork() }, { ForkBarrier.didForkInParent() },
            { ForkBarrier.didForkInChild() }) == 0
    }()

    package static func raise() {
        _ = isRaised
    }

    /// Runs `setUp`, during which no fork happens. From then on each fork waits for the member that
    /// `setUp` returns.
    package static func add(_ kind: Kind, _ setUp: () -> Member?) {
        raise()
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if let member = setUp() { state.members[kind.rawValue].append(member) }
    }

    /// Whether the copy is usable. It is false in a child that was forked while a lock was not
    /// free: the state that the lock guards cannot be used there.
    package static var isWhole: Bool { state.isWhole }

    // MARK: The fork

    private static func prepareFork() {
        pthread_mutex_lock(mutex)
        let end = SystemClock().now().advanced(milliseconds: patienceMilliseconds)
        state.answers = []
        for member in state.members.joined() { state.answers.append(member.close(end)) }
    }

    private static func didForkInParent() {
        for (member, wasClosed) in zip(state.members.joined(), state.answers) where wasClosed {
            member.openInParent()
        }
        pthread_mutex_unlock(mutex)
    }

    private static func didForkInChild() {
        ProcessGeneration.number.add(1, ordering: .relaxed)
        for (member, wasClosed) in zip(state.members.joined(), state.answers) {
            member.openInChild(wasClosed)
        }
        pthread_mutex_unlock(mutex)
    }

    static func breakCopy() {
        state.isWhole = false
    }
}

// MARK: Locks of the whole process

extension ForkBarrier {
    /// Makes a fork wait until no thread holds `lock`, which lives as long as the process.
    package static func guarded<State>(_ lock: Lock<State>) -> Lock<State> {
        let storage = lock.storage
        add(
            storage.withUnsafeMutablePointerToElements { UncheckedPointer(pointer: $0) },
            keeping: storage, condition: nil)
        return lock
    }

    /// Makes a fork wait until no thread holds `monitor`, which lives as long as the process. The
    /// child's copy forgets the waiting threads, which the child does not have.
    package static func guarded<State>(_ monitor: Monitor<State>) -> Monitor<State> {
        let storage = monitor.storage
        let (mutex, condition) = storage.withUnsafeMutablePointerToElements { parts in
            (UncheckedPointer(pointer: parts.mutex), UncheckedPointer(pointer: parts.condition))
        }
        add(mutex, keeping: storage, condition: condition)
        return monitor
    }

    private static func add(
        _ mutex: UncheckedPointer<pthread_mutex_t>, keeping owner: AnyObject,
        condition: UncheckedPointer<pthread_cond_t>?
    ) {
        _ = UserData.retain(owner)
        add(.own) {
            Member(
                close: { end in take(until: end) { pthread_mutex_trylock(mutex.pointer) == 0 } },
                openInParent: { pthread_mutex_unlock(mutex.pointer) },
                openInChild: { wasClosed in
                    if let condition { MonitorParts.begin(condition.pointer) }
                    if wasClosed {
                        pthread_mutex_unlock(mutex.pointer)
                    } else {
                        // The thread that would unlock it does not exist in the child.
                        pthread_mutex_init(mutex.pointer, nil)
                        breakCopy()
                    }
                })
        }
    }

    /// Calls `attempt` until it succeeds; false if it has not succeeded before the deadline.
    package static func take(until end: Deadline, _ attempt: () -> Bool) -> Bool {
        let clock = SystemClock()
        while true {
            if attempt() { return true }
            guard clock.now() < end else { return false }
            sched_yield()
        }
    }
}

/// A pointer to a part of an object that is never freed.
///
/// `@unchecked Sendable`: it points to a lock.
private struct UncheckedPointer<Pointee>: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<Pointee>
}

/// A gate around calls of another library that has locks of its own. A fork waits until no thread
/// is inside.
///
/// A thread that is inside must not pass the gate again.
///
/// `@unchecked Sendable`: the word is changed only atomically.
package final class ForkGate: @unchecked Sendable {
    private let word = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)

    package init() {
        word.initialize(to: 0)
    }

    deinit {
        word.deallocate()
    }

    @inline(__always)
    package func pass<Result>(_ body: () -> Result) -> Result {
        rw_gate_enter(word)
        defer { rw_gate_leave(word) }
        return body()
    }

    /// The gate as a member of the fork barrier.
    package var member: ForkBarrier.Member {
        ForkBarrier.Member(
            close: { [self] end in
                let left = end.nanoseconds(since: SystemClock().now())
                return rw_gate_close(word, Int64(clamping: left)) != 0
            },
            openInParent: { [self] in rw_gate_open(word) },
            openInChild: { [self] wasClosed in
                // The threads that the word counts do not exist in the child.
                word.pointee = 0
                if !wasClosed { ForkBarrier.breakCopy() }
            })
    }
}

/// Counts the forks between the first process and this one.
///
/// A child has the parent's memory but not its threads. Objects made before a fork cannot work
/// after it. An object that stores the number at its creation can detect this.
package enum ProcessGeneration {
    fileprivate static let number = Atomic<Int>(0)

    package static var current: Int {
        ForkBarrier.raise()
        return number.load(ordering: .relaxed)
    }
}
