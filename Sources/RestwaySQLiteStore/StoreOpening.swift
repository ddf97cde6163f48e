import RestwayObjects
import RestwaySQLite

/// Brings a file up to date with the library and the document, or refuses it.
struct StoreOpening {
    static let lastKeySQL = "SELECT value FROM restway_store WHERE name = 'lastKey'"
    private static let identitySQL = "SELECT value FROM restway_store WHERE name = 'identity'"

    /// The number of keys that a file has for itself before the keys of another file begin. In
    /// practice neither limit is reached. Keys stay exact in a double, and fit six bytes of the
    /// file.
    private static let keysOfAFile: Int64 = 1 << 30
    private static let fileNumbers: Range<Int64> = 1..<(1 << 17)
    /// Each memory store of a process starts at a multiple of this.
    private static let fileNumbersOfAMemoryStore: Int64 = 1 << 10

    let connection: Connection
    let entities: [Entity]
    /// In a new file, the first object gets the key after this key.
    let keyBefore: Int64
    /// The name of SQLite's module for full text searches.
    let textModule: String

    /// Returns the layouts of all tables, and the identity of the store. It writes only if
    /// something is missing.
    func open() throws(StoreError) -> (layouts: [TableLayout], identity: Int64) {
        try requireTextModule()
        let isCurrent = try StoreError.wrapping(
            StoreSchema.migrations.areDone(connection), connection.path)
        if isCurrent, let present = try present(), present.unsearched.isEmpty {
            return (present.layouts, present.identity)
        }
        try StoreError.wrapping(connection.begin())
        do throws(StoreError) {
            try migrate()
            guard let present = try present() else {
                throw .incompatible(
                    path: connection.path, reason: "its tables do not fit the document")
            }
            for layout in present.unsearched {
                try StoreError.wrapping(layout.findUnloaded(connection))
            }
            try StoreError.wrapping(connection.commit())
            return (present.layouts, present.identity)
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Refuses a document with full text searches if SQLite has no module for them.
    private func requireTextModule() throws(StoreError) {
        guard let entity = entities.first(where: { !$0.fullText.isEmpty }) else { return }
        let modules = try StoreError.wrapping(
            connection.prepare(
                "SELECT 1 FROM pragma_module_list WHERE name = ?1", .text(textModule)))
        guard try StoreError.wrapping(modules.firstInteger()) == nil else { return }
        throw .incompatible(
            path: connection.path,
            reason: "entity \"\(entity.name)\" has \"fullText\", and this SQLite has no FTS5")
    }

    private struct Present {
        let layouts: [TableLayout]
        let identity: Int64
        /// The tables whose unloaded objects have to be searched for.
        let unsearched: [TableLayout]
    }

    /// Returns the tables of the file; `nil` if they do not fit the document.
    private func present() throws(StoreError) -> Present? {
        let schema = try StoreError.wrapping(StoreSchema(reading: connection))
        let families = StoredFamily.all(entities)
        let layouts = families.compactMap { schema.layout($0) }
        let identity = try StoreError.wrapping(connection.integer(Self.identitySQL))
        guard let identity, layouts.count == families.count else { return nil }
        return Present(
            layouts: layouts, identity: identity,
            unsearched: layouts.filter(schema.needsSearchForUnloaded))
    }

    private func migrate() throws(StoreError) {
        try StoreError.wrapping(StoreSchema.migrations.run(connection), connection.path)
        try StoreError.wrapping(
            connection.prepare(
                "INSERT OR IGNORE INTO restway_store VALUES ('lastKey', ?1)", .integer(keyBefore)
            ).run())
        try StoreError.wrapping(
            connection.prepare(
                "INSERT OR IGNORE INTO restway_store VALUES ('identity', ?1)",
                .integer(.random(in: .min ... .max))
            ).run())
        var migration = try StoreError.wrapping(SchemaMigration(connection, textModule: textModule))
        try migration.run(entities)
    }

    static func randomKey() -> Int64 {
        var number: Int64
        repeat {
            number = Int64.random(in: fileNumbers)
        } while number.isMultiple(of: fileNumbersOfAMemoryStore)
        return number * keysOfAFile
    }
}

extension StoreError {
    init(_ error: SQLiteError) {
        let failure: FileFailure =
            error.isForked ? .forked : error.isBusy ? .busy : error.isFull ? .full : .lasting
        self = .file(failure, path: error.path, message: error.text)
    }

    /// Converts an error that SQLite throws in `body` to an error of the store.
    static func wrapping<Result>(
        _ body: @autoclosure () throws(SQLiteError) -> Result
    ) throws(StoreError) -> Result {
        do {
            return try body()
        } catch {
            throw StoreError(error)
        }
    }

    /// Converts the refusal of the file at `path` to an error of the store.
    static func wrapping<Result>(
        _ body: @autoclosure () throws(Migrations.Refusal) -> Result, _ path: String
    ) throws(StoreError) -> Result {
        do {
            return try body()
        } catch {
            switch error {
            case .foreign: throw .foreignFile(path: path)
            case .newer(let version): throw .newerFile(path: path, version: version)
            case .failed(let error): throw StoreError(error)
            }
        }
    }
}
