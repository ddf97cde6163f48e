import CSQLite

/// Finds out which program a file belongs to, before the library or SQLite changes anything.
extension Migrations {
    enum Verdict: Equatable {
        case ours
        /// Only the log says whose file it is, or which version it has.
        case inLog
        case foreign
        case newer(version: Int64)
        case noDatabase
    }

    /// Refuses a file that belongs to another program, is newer, or is not a database. It changes
    /// nothing in the file or in its log.
    func admit(_ connection: Connection) throws(Refusal) {
        let (head, companions): (FileHead, FileHead.Companions)
        do throws(SQLiteError) {
            head = try connection.head()
            companions = connection.companions()
        } catch {
            throw .failed(error)
        }
        // If the file is refused after all, now or while its tables are being made, its log stays.
        connection.leavesLogAtClose = companions.hasLog
        switch verdict(head, companions) {
        case .ours: break
        case .inLog: _ = try areDone(connection)
        case .foreign: throw .foreign
        case .newer(let version): throw .newer(version: version)
        case .noDatabase: throw .failed(connection.error(SQLITE_NOTADB))
        }
    }

    func verdict(_ head: FileHead, _ companions: FileHead.Companions) -> Verdict {
        switch head {
        case .empty:
            return .ours
        case .noDatabase:
            // A power failure may leave this state while a new file is being made.
            return companions.rollback == .ofNewFile ? .ours : .noDatabase
        case .database(let owner, let version, let hasTables):
            if owner == applicationID {
                if version > steps.count { return .newer(version: Int64(version)) }
                return companions.hasLog ? .inLog : .ours
            }
            guard owner == 0, version == 0, !hasTables, companions.rollback != .ofPages else {
                return .foreign
            }
            return companions.hasLog ? .inLog : .ours
        }
    }
}
