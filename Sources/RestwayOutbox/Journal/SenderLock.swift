import CLinux
import Glibc
import RestwaySupport

/// The lock that only one sender of an outbox has: on a file of its own beside the database, which
/// is never removed. (To close any descriptor of the database itself would take SQLite's locks
/// away.) The kernel lets go of it when its holder dies.
///
/// One thread at a time may use it.
final class SenderLock {
    private let path: String
    private var descriptor: Int32 = -1
    private var generation = ProcessGeneration.current
    private(set) var isHeld = false

    /// - Parameter database: Its name as SQLite has it.
    init(database: String) {
        path = database + "-sender"
    }

    deinit {
        letGo()
    }

    /// Whether it is ours from here on; false when somebody else has it.
    func tryLock() throws(OutboxError) -> Bool {
        if isHeld { return true }
        if descriptor < 0 {
            descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
            guard descriptor >= 0 else { throw failure(errno) }
            generation = ProcessGeneration.current
            InheritedDescriptors.add(descriptor)
        }
        switch rw_description_lock(descriptor, 1) {
        case 0: isHeld = true
        case EAGAIN: return false
        case let code: throw failure(code)
        }
        return true
    }

    /// In a forked child it is the parent's, and the descriptor is closed already.
    func letGo() {
        guard descriptor >= 0 else { return }
        if generation == ProcessGeneration.current {
            if isHeld { _ = rw_description_lock(descriptor, 0) }
            InheritedDescriptors.remove(descriptor)
            close(descriptor)
        }
        descriptor = -1
        isHeld = false
    }

    private func failure(_ code: Int32) -> OutboxError {
        .lock(path: path, reason: String(cString: strerror(code)))
    }
}
