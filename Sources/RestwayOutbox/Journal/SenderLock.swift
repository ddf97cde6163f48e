import CLinux
import Glibc
import RestwayThreads

/// The lock that makes one journal the only sender of an outbox. It is on a file of its own beside
/// the database; that file is never removed. (Closing any descriptor of the database itself would
/// release SQLite's locks.) The kernel releases the lock when its holder dies.
///
/// Behind the number of the turn, the file has the items that were sent and have no result in the
/// database yet, each with its attempts at that moment: for the sender that follows.
///
/// Only one thread at a time may use it.
final class SenderLock {
    private let path: String
    private let database: String
    private var descriptor: Int32 = -1
    private var generation = ProcessGeneration.current
    private(set) var isHeld = false
    /// The number of the current sender's turn, from the file. It grows with each turn, and it is
    /// odd while a sender is active or if the sender died. A crash of the machine ends all senders,
    /// so nothing waits until the number is on disk.
    private(set) var turn: UInt64
    /// The number before this journal took the lock.
    private(set) var turnBefore: UInt64

    /// - Parameter database: The name of the database as SQLite has it.
    init(database: String) {
        self.database = database
        path = LockFile.path(database)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        turn = file < 0 ? 0 : Self.read(file)
        turnBefore = turn
        if file >= 0 { close(file) }
    }

    deinit {
        letGo()
    }

    /// Tries to take the lock. Returns whether this journal holds it; false if another journal
    /// holds it.
    func tryLock() throws(OutboxError) -> Bool {
        if isHeld { return true }
        if descriptor < 0 {
            descriptor = try LockFile.open(path, like: database)
            generation = ProcessGeneration.current
            InheritedDescriptors.add(descriptor)
        }
        switch LockFile.lock(descriptor, RW_EXCLUSIVE, LockFile.ofSender) {
        case 0:
            isHeld = true
            turnBefore = Self.read(descriptor)
            write((turnBefore | 1) + (turnBefore & 1) * 2)
        case EAGAIN: return false
        case let code: throw failure(code)
        }
        return true
    }

    /// Releases the lock. In a forked child the lock is the parent's, and the descriptor is already
    /// closed.
    func letGo() {
        guard descriptor >= 0 else { return }
        if generation == ProcessGeneration.current {
            if isHeld {
                write(turn + 1)
                _ = LockFile.lock(descriptor, RW_UNLOCKED, LockFile.ofSender)
            }
            InheritedDescriptors.remove(descriptor)
            close(descriptor)
        }
        descriptor = -1
        isHeld = false
    }

    // MARK: Items on their way

    /// More items are not noted.
    private static let flightsMax = 4_096

    /// Whether a sender has died and no other one has followed.
    var hasDiedHolder: Bool { !isHeld && turn % 2 == 1 }

    /// An item that was sent and has no result in the database.
    struct Flight {
        let id: Int64
        /// The attempts before this one.
        let attempts: Int64
        /// Whether the attempt has not ended. It counts if the sender dies.
        let isUnderWay: Bool
    }

    /// Notes these items in place of those that were noted before. Nothing waits until they are on
    /// disk.
    func note(_ flights: [Flight]) {
        guard isHeld else { return }
        let noted = flights.prefix(Self.flightsMax)
        var numbers = [Int64(noted.count)]
        for flight in noted {
            // The attempts of an item that came back are written as a negative number.
            numbers += [flight.id, flight.isUnderWay ? flight.attempts : -1 - flight.attempts]
        }
        numbers.withUnsafeBytes { bytes in
            _ = SystemCall.pwrite(
                descriptor, bytes.baseAddress, bytes.count, at: Self.turnBytes)
        }
    }

    /// Returns and forgets the items without a result that the sender before this one has left.
    func takeFlights() -> [Flight] {
        guard isHeld else { return [] }
        defer { note([]) }
        var numbers = [Int64](repeating: 0, count: 1 + 2 * Self.flightsMax)
        let count = numbers.withUnsafeMutableBytes { bytes in
            SystemCall.pread(descriptor, bytes.baseAddress, bytes.count, at: Self.turnBytes)
        }
        let known = max(0, count) / MemoryLayout<Int64>.size
        guard known > 0, (0...Int64(Self.flightsMax)).contains(numbers[0]),
            1 + 2 * Int(numbers[0]) <= known
        else { return [] }
        let hasDied = turnBefore % 2 == 1
        return (0..<Int(numbers[0])).map { index in
            let (id, attempts) = (numbers[1 + 2 * index], numbers[2 + 2 * index])
            return Flight(
                id: id, attempts: attempts < 0 ? -1 - attempts : attempts,
                isUnderWay: hasDied && attempts >= 0)
        }
    }

    private static let turnBytes = Int64(MemoryLayout<UInt64>.size)

    private static func read(_ descriptor: Int32) -> UInt64 {
        var turn: UInt64 = 0
        let count = withUnsafeMutableBytes(of: &turn) {
            SystemCall.pread(descriptor, $0.baseAddress, $0.count, at: 0)
        }
        return count == MemoryLayout<UInt64>.size ? turn : 0
    }

    /// Writes the number. If the disk is full, a later sender continues with the number before.
    private func write(_ turn: UInt64) {
        self.turn = turn
        _ = withUnsafeBytes(of: turn) {
            SystemCall.pwrite(descriptor, $0.baseAddress, $0.count, at: 0)
        }
    }

    private func failure(_ code: Int32) -> OutboxError { LockFile.failure(path, code) }
}

/// The file beside the database on which processes take their locks.
enum LockFile {
    /// The bytes that the sender locks.
    static let ofSender: Range<Int64> = 0..<1 << 62
    /// The byte for storing requests and for comparing the journal with the object store.
    static let ofEdits: Range<Int64> = 1 << 62..<1 << 62 + 1

    static func path(_ database: String) -> String { database + "-sender" }

    /// Opens or creates the file. A new file gets the owner and the permissions of the database,
    /// like SQLite's log: a process that may write the database may lock the file.
    static func open(_ path: String, like database: String) throws(OutboxError) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC
        let made = Glibc.open(path, flags | O_EXCL, FileMode.ownerOnly.bits)
        if made < 0 {
            guard errno == EEXIST else { throw failure(path, errno) }
            let found = Glibc.open(path, flags, FileMode.ownerOnly.bits)
            guard found >= 0 else { throw failure(path, errno) }
            return found
        }
        var status = stat()
        if stat(database, &status) == 0 {
            if geteuid() == 0 { _ = fchown(made, status.st_uid, status.st_gid) }
            // A file system without permissions refuses this call; the file needs no permissions
            // there.
            _ = fchmod(made, status.st_mode & 0o666)
        }
        return made
    }

    /// Takes or releases a lock, for the open file description.
    ///
    /// - Returns: 0, or the error; `EAGAIN` if another description has a lock in the way.
    static func lock(_ descriptor: Int32, _ kind: Int32, _ bytes: Range<Int64>) -> Int32 {
        rw_description_lock_bytes(descriptor, kind, bytes.lowerBound, Int64(bytes.count))
    }

    static func failure(_ path: String, _ code: Int32) -> OutboxError {
        .lock(path: path, reason: String(cString: strerror(code)))
    }
}

/// Descriptors that a forked child must close: otherwise it would keep the lock of a parent that
/// died.
enum InheritedDescriptors {
    /// A fork waits for this lock, so the child can read the list.
    private static let descriptors = ForkBarrier.guarded(Lock<[Int32]>([]))

    /// The handlers of a child run in the order of their registration, so the fork barrier, which
    /// `descriptors` registers, has released the lock before.
    private static let isWatchingForks: Bool = {
        _ = descriptors
        return pthread_atfork(nil, nil, { InheritedDescriptors.closeAll() }) == 0
    }()

    static func add(_ descriptor: Int32) {
        _ = isWatchingForks
        descriptors.withLock { $0.append(descriptor) }
    }

    static func remove(_ descriptor: Int32) {
        descriptors.withLock { $0.removeAll { $0 == descriptor } }
    }

    private static func closeAll() {
        descriptors.withLock { descriptors in
            for descriptor in descriptors { close(descriptor) }
            descriptors = []
        }
    }
}
