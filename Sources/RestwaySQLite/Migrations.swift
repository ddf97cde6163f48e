/// Brings the tables of a library up to its version, step by step, each with its number.
///
/// Brings the tables of a library up to its version, in numbered steps.
///
/// The `user_version` of a file is its version, and its `application_id` says which program it
/// belongs to.
package struct Migrations: Sendable {
    /// The reason why a file is refused before anything was done to it.
    package enum Refusal: Error, Equatable, Sendable {
        /// The database belongs to another program: it has tables and lacks our mark.
        case foreign
        /// A later version of the library wrote the file.
        case newer(version: Int64)
        case failed(SQLiteError)
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
