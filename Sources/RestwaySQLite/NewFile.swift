import CSQLite
import Glibc
import RestwayThreads

/// Creates empty files for databases, with the permissions that the library wants.
///
/// SQLite gives a new file the mode 0644, reduced by the umask. The umask belongs to the process,
/// so the library creates the file first. SQLite copies the permissions of a file to its log.
enum NewFile {
    /// Guards the creation of files. A thread that closes its descriptor of a file releases the
    /// locks that SQLite holds on the file for another thread. So no thread of the library opens a
    /// file with SQLite while the file is being created.
    /// (A lock of nothing would have the address of its mutex, which ThreadSanitizer takes for a
    /// race.)
    private static let making = ForkBarrier.guarded(Lock(false))

    /// Creates the file; does nothing if it exists. If this fails, SQLite says why it cannot open
    /// the file.
    static func make(_ path: String, _ mode: FileMode) {
        guard let path = resolved(path) else { return }
        making.withLock { _ in
            let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC
            let descriptor = open(path, flags, FileMode.ownerOnly.bits)
            guard descriptor >= 0 else { return }
            // The mode of `open` is reduced by the umask. A file system without permissions refuses
            // this call; the file needs no permissions there.
            _ = fchmod(descriptor, mode.bits)
            close(descriptor)
        }
    }

    /// Returns the path as SQLite will open it: absolute, without symbolic links. A link may lead
    /// to a file that does not exist yet.
    private static func resolved(_ path: String) -> String? {
        guard let system = sqlite3_vfs_find(nil), let resolve = system.pointee.xFullPathname else {
            return nil
        }
        var name = [CChar](repeating: 0, count: Int(system.pointee.mxPathname) + 1)
        let code = resolve(system, path, Int32(name.count), &name)
        guard code & 0xFF == SQLITE_OK else { return nil }
        return name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }
}
