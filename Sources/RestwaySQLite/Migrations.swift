/// Brings the tables of a library up to its version, step by step, each with its number.
///
/// The version of a file is its `user_version`; whose file it is tells its `application_id`.
package struct Migrations: Sendable {
    /// Why a file is refused before anything was done to it.
    package enum Refusal: Error, Equatable, Sendable {
        /// Somebody else's database: it has tables, and not our mark.
        case foreign
        /// Written by a later version of the library.
        case newer(version: Int64)
        case failed(SQLiteError)
    }

    private let applicationID: Int32
    /// Step n leads from version n to n + 1.
    private let steps: [String]

    package init(applicationID: Int32, steps: [String]) {
        self.applicationID = applicationID
        self.steps = steps
    }

    /// Whether `run` has nothing to do. Only reads, what another one may just be writing.
    package func areDone(_ connection: Connection) throws(Refusal) -> Bool {
        let version = try connection.reading(
            { () throws(Refusal) in try check(connection) }, orThrow: { .failed($0) })
        return version == Int64(steps.count)
    }

    /// Within a transaction of the caller's.
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
        let version: Int64
        do {
            version = try connection.integer("PRAGMA user_version") ?? 0
            let owner = try connection.integer("PRAGMA application_id") ?? 0
            if owner != Int64(applicationID) {
                let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
                guard owner == 0, version == 0, tables == 0 else { throw Refusal.foreign }
            }
        } catch let error as SQLiteError {
            throw .failed(error)
        } catch {
            throw .foreign
        }
        guard version <= Int64(steps.count) else { throw .newer(version: version) }
        return version
    }
}
