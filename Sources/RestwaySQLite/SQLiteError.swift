import CSQLite

/// What SQLite refused, and why.
package struct SQLiteError: Error, Equatable, Sendable {
    /// SQLite's extended result code.
    package let code: Int32
    /// What SQLite says about it.
    package let message: String
    /// The file it is about.
    package let path: String

    package init(code: Int32, message: String, path: String) {
        self.code = code
        self.message = message
        self.path = path
    }

    /// For what the caller finds wrong with a file.
    package static var corrupt: Int32 { SQLITE_CORRUPT }

    /// The code without what extends it.
    package var primaryCode: Int32 { code & 0xFF }

    package var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

    package var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }

    /// In words; names the file.
    package var text: String {
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
