import CSQLite

/// Brings the tables of a library up to its version, in numbered steps.
///
/// The `user_version` of a file is its version, and its `application_id` says which program it
/// belongs to.
package struct Migrations: Sendable {
    /// The reason why a file is refused before anything was done to it.
    package enum Refusal: Error, Equatable, Sendable {
        /// The file belongs to another program: it is no database, or a database that has tables
        /// and lacks our mark.
        case foreign
        /// A later version of the library wrote the file.
        case newer(version: Int64)
        case failed(SQLiteError)

        /// Converts an error that SQLite throws in `body`.
        static func wrapping<Result>(
            _ body: @autoclosure () throws(SQLiteError) -> Result
        ) throws(Refusal) -> Result {
            do {
                return try body()
            } catch {
                throw .failed(error)
            }
        }
    }

    let applicationID: Int32
    /// The steps. Step n leads from version n to n + 1.
    let steps: [String]

    package init(applicationID: Int32, steps: [String]) {
        self.applicationID = applicationID
        self.steps = steps
    }

    /// Returns whether `run` has nothing to do. It only reads, and another connection may be
    /// writing.
    package func areDone(_ connection: Connection) throws(Refusal) -> Bool {
        let version = try connection.reading(
            { () throws(Refusal) in try check(connection) }, orThrow: { .failed($0) })
        return version == Int64(steps.count)
    }

    /// Runs the missing steps within a transaction of the caller.
    package func run(_ connection: Connection) throws(Refusal) {
        let version = try check(connection)
        guard version < Int64(steps.count) else { return }
        do {
            for step in steps[Int(version)...] { try connection.run(step) }
            try connection.run("PRAGMA application_id = \(applicationID)")
            try connection.run("PRAGMA user_version = \(steps.count)")
        } catch {
            throw .failed(error)
        }
    }

    private func check(_ connection: Connection) throws(Refusal) -> Int64 {
        let (version, owner, tables) = try Refusal.wrapping(
            (
                connection.integer("PRAGMA user_version") ?? 0,
                connection.integer("PRAGMA application_id") ?? 0,
                connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
            ))
        guard owner == applicationID || (owner, version, tables) == (0, 0, 0) else {
            throw .foreign
        }
        guard version <= steps.count else { throw .newer(version: version) }
        return version
    }
}

/// Finds out which program a file belongs to, before the library or SQLite changes anything.
extension Migrations {
    enum Verdict: Equatable {
        case ours
        /// Only the log says whose file it is, or which version it has.
        case inLog
        case foreign
        case newer(version: Int64)
        case damaged
    }

    /// Refuses a file that belongs to another program, is newer, or is damaged. It changes
    /// nothing in the file or in its log.
    func admit(_ connection: Connection) throws(Refusal) {
        let head = try Refusal.wrapping(connection.head())
        let companions = connection.companions()
        // If the file is refused after all, now or while its tables are being made, its log stays.
        connection.leavesLogAtClose = companions.hasLog
        switch verdict(head, companions) {
        case .ours: break
        case .inLog: _ = try areDone(connection)
        case .foreign: throw .foreign
        case .newer(let version): throw .newer(version: version)
        case .damaged: throw .failed(connection.error(SQLITE_NOTADB))
        }
    }

    func verdict(_ head: FileHead, _ companions: FileHead.Companions) -> Verdict {
        switch head {
        case .empty:
            return .ours
        case .foreign(let isBlank):
            // A power failure may leave this state while a new file is being made.
            return isBlank && companions.rollback == .ofNewFile ? .ours : .foreign
        case .damaged:
            return .damaged
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
