import CSQLite
import RestwayThreads

/// An operation that SQLite refused, and the reason.
package struct SQLiteError: Error, Equatable, Sendable {
    /// SQLite's extended result code.
    package let code: Int32
    /// The message of SQLite.
    package let message: String
    /// The path of the file.
    package let path: String
    /// Whether SQLite was not called, because the parent of this forked process uses the file or
    /// forked while SQLite was in use.
    package let isForked: Bool

    init(code: Int32, message: String, path: String, isForked: Bool = false) {
        self.code = code
        self.message = message
        self.path = path
        self.isForked = isForked
    }

    static func forked(_ path: String, _ reason: String) -> SQLiteError {
        SQLiteError(
            code: SQLITE_MISUSE,
            message: reason + "; a child that calls exec, or that is forked earlier, can open it",
            path: path, isForked: true)
    }

    /// Makes the error of a file that the caller finds damaged.
    package static func corrupt(_ path: String, _ message: String) -> SQLiteError {
        SQLiteError(code: SQLITE_CORRUPT, message: message, path: path)
    }

    /// Makes the error of a write for which the caller finds no room on the disk.
    package static func full(_ path: String, _ message: String) -> SQLiteError {
        SQLiteError(code: SQLITE_FULL, message: message, path: path)
    }

    /// The primary result code, without the extension.
    package var primaryCode: Int32 { code & 0xFF }

    package var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

    package var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }

    /// Whether the disk is full, or the file may not grow.
    package var isFull: Bool { primaryCode == SQLITE_FULL }

    /// Whether the content of the file is damaged, or is no database.
    package var isDamage: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    /// Whether the file or its directory does not let this process write.
    package var isReadOnly: Bool {
        [SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH].contains(primaryCode)
    }

    /// A description that names the file.
    package var text: String {
        if isForked { return "\"\(path)\": \(message)" }
        if primaryCode == SQLITE_CANTOPEN, let problem = Folder.problem(of: path) {
            return "\"\(path)\": \(problem)"
        }
        let reason =
            switch primaryCode {
            case SQLITE_BUSY, SQLITE_LOCKED: "another process or connection keeps it locked"
            case SQLITE_CORRUPT: "it is damaged"
            case SQLITE_NOTADB: "it is no SQLite database"
            case SQLITE_FULL: "the disk is full"
            case SQLITE_READONLY: "it is read-only, or its directory is"
            case SQLITE_CANTOPEN: "it cannot be opened"
            case SQLITE_PERM, SQLITE_AUTH: "access is denied"
            case SQLITE_IOERR: "reading or writing it failed"
            case SQLITE_NOMEM: "there is not enough memory"
            case SQLITE_TOOBIG: "a value or a row is too large"
            default: "SQLite refused"
            }
        return "\"\(path)\": \(reason) (SQLite \(code): \(message))"
    }
}
