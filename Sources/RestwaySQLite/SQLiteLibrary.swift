import CSQLite
import Glibc
import RestwayThreads
import Synchronization

/// SQLite itself, which all code of the process shares, and its state after a fork.
///
/// SQLite has a handful of static mutexes, which it holds for a moment: around its allocator, its
/// page caches, the list of open files. `sqlite3_mutex_alloc` returns them to any caller, so the
/// library can hold them during a fork. This works whatever code uses SQLite, and changes no
/// setting of SQLite.
enum SQLiteLibrary {
    private enum Readiness: Int, AtomicRepresentable {
        case unknown, ready
        /// A mutex stays locked in this child.
        case broken
        /// This is a child of a fork that did not hold the mutexes. They are checked before the
        /// next use.
        case doubtful
    }

    private static let readiness = Atomic<Readiness>(.unknown)

    /// The time that a doubtful mutex may stay locked. Its holder may be a thread of this process.
    private static let patienceMilliseconds: Int64 = 500

    /// The mutexes in the order in which SQLite takes them: a mutex that SQLite takes while it
    /// holds another mutex comes later. SQLite does not use the mutexes that are meant for programs
    /// (SQLITE_MUTEX_STATIC_APP1 etc.).
    private static let kinds = [
        SQLITE_MUTEX_STATIC_OPEN, SQLITE_MUTEX_STATIC_MASTER, SQLITE_MUTEX_STATIC_VFS1,
        SQLITE_MUTEX_STATIC_VFS2, SQLITE_MUTEX_STATIC_VFS3, SQLITE_MUTEX_STATIC_LRU,
        SQLITE_MUTEX_STATIC_PMEM, SQLITE_MUTEX_STATIC_PRNG, SQLITE_MUTEX_STATIC_MEM,
    ]

    /// Prepares SQLite. Called before a file is opened.
    static func use(_ path: String) throws(SQLiteError) {
        if readiness.load(ordering: .acquiring) != .ready { setUp() }
        guard readiness.load(ordering: .acquiring) == .ready else {
            throw .forked(path, "a thread of the parent was inside SQLite when it forked")
        }
    }

    private static func setUp() {
        ForkBarrier.add(.storage) {
            let before = readiness.load(ordering: .relaxed)
            guard before != .ready, before != .broken else { return nil }
            let mutexes = kinds.map { StaticMutex(pointer: sqlite3_mutex_alloc($0)) }
            // Other code of the parent may have used SQLite during the fork, before the library's
            // first use here.
            let isDoubtful = before == .doubtful || ProcessGeneration.current > 0
            let end = SystemClock().now().advanced(milliseconds: patienceMilliseconds)
            guard !isDoubtful || close(mutexes, end) else {
                readiness.store(.broken, ordering: .releasing)
                return nil
            }
            if isDoubtful { open(mutexes) }
            // SQLite would also initialize itself when the first file is opened.
            sqlite3_initialize()
            readiness.store(.ready, ordering: .releasing)
            return before == .doubtful ? nil : member(mutexes)
        }
    }

    private static func member(_ mutexes: [StaticMutex]) -> ForkBarrier.Member {
        ForkBarrier.Member(
            close: { close(mutexes, $0) }, openInParent: { open(mutexes) },
            openInChild: { wasClosed in
                if wasClosed {
                    open(mutexes)
                } else {
                    readiness.store(.doubtful, ordering: .releasing)
                }
            })
    }

    // MARK: Mutexes

    /// A mutex of SQLite, which any thread may use: hence `@unchecked Sendable`.
    private struct StaticMutex: @unchecked Sendable {
        let pointer: OpaquePointer?
    }

    /// Takes all mutexes or no mutex. It never waits long for a mutex while it holds other mutexes,
    /// so the order in which another version of SQLite takes them does not matter.
    private static func close(_ mutexes: [StaticMutex], _ end: Deadline) -> Bool {
        ForkBarrier.take(until: end) {
            for (count, mutex) in mutexes.enumerated()
            where sqlite3_mutex_try(mutex.pointer) != SQLITE_OK {
                open(Array(mutexes.prefix(count)))
                return false
            }
            return true
        }
    }

    private static func open(_ mutexes: [StaticMutex]) {
        for mutex in mutexes.reversed() { sqlite3_mutex_leave(mutex.pointer) }
    }
}
