import CSQLite

/// The statements that each transaction of a connection runs. Each of them is prepared once:
/// preparing such a short statement takes longer than running it.
struct TransactionStatements {
    enum Kind: Int, CaseIterable {
        /// A transaction that only reads.
        case beginReading
        /// A transaction that writes.
        case beginWriting
        case commit
        /// Asks for the number of pages of the file, with the pages that the transaction has added.
        case pageCount
        /// Asks for the number of pages of the file that hold nothing.
        case freePageCount

        fileprivate var sql: String {
            switch self {
            case .beginReading: "BEGIN"
            case .beginWriting: "BEGIN IMMEDIATE"
            case .commit: "COMMIT"
            case .pageCount: "PRAGMA page_count"
            case .freePageCount: "PRAGMA freelist_count"
            }
        }
    }

    private var prepared = [OpaquePointer?](repeating: nil, count: Kind.allCases.count)

    /// Runs a statement of the connection `handle`.
    ///
    /// - Parameter result: Receives the first column of its row, if it has a row.
    /// - Returns: The code of SQLite.
    mutating func run(_ kind: Kind, _ handle: OpaquePointer, result: inout Int64?) -> Int32 {
        if prepared[kind.rawValue] == nil {
            let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
            let code = sqlite3_prepare_v3(
                handle, kind.sql, -1, flags, &prepared[kind.rawValue], nil)
            guard code == SQLITE_OK else { return code }
        }
        let statement = prepared[kind.rawValue]
        if sqlite3_step(statement) == SQLITE_ROW { result = sqlite3_column_int64(statement, 0) }
        // It returns the error of the step.
        return sqlite3_reset(statement)
    }

    /// Ends the statements, before their connection closes.
    mutating func finalize() {
        for statement in prepared { sqlite3_finalize(statement) }
        prepared = []
    }
}
