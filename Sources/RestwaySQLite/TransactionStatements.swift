import CSQLite

/// The statements that begin and end the transactions of one connection. Each of them is prepared
/// once: preparing such a short statement takes longer than running it.
struct TransactionStatements {
    enum Kind: Int, CaseIterable {
        /// A transaction that only reads.
        case beginReading
        /// A transaction that writes.
        case beginWriting
        case commit

        fileprivate var sql: String {
            switch self {
            case .beginReading: "BEGIN"
            case .beginWriting: "BEGIN IMMEDIATE"
            case .commit: "COMMIT"
            }
        }
    }

    private var prepared = [OpaquePointer?](repeating: nil, count: Kind.allCases.count)

    /// Runs a statement of the connection `handle`, and returns the code of SQLite.
    mutating func run(_ kind: Kind, _ handle: OpaquePointer) -> Int32 {
        if prepared[kind.rawValue] == nil {
            let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
            let code = sqlite3_prepare_v3(
                handle, kind.sql, -1, flags, &prepared[kind.rawValue], nil)
            guard code == SQLITE_OK else { return code }
        }
        let statement = prepared[kind.rawValue]
        sqlite3_step(statement)
        // It returns the error of the step.
        return sqlite3_reset(statement)
    }

    /// Ends the statements, before their connection closes.
    mutating func finalize() {
        for statement in prepared { sqlite3_finalize(statement) }
        prepared = []
    }
}
