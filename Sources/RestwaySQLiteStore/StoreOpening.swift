import RestwayObjects
import RestwaySQLite

/// Brings a file up to date with the library and the document, or refuses it.
struct StoreOpening {
    static let lastKeySQL = "SELECT value FROM restway_store WHERE name = 'lastKey'"

    /// The number of keys that a file has for itself before the keys of another file begin. In
    /// practice neither limit is reached. Keys stay exact in a double, and fit six bytes of the
    /// file.
    private static let keysOfAFile: Int64 = 1 << 30
    private static let fileNumbers: Range<Int64> = 1..<(1 << 17)
    /// Each memory store of a process starts at a multiple of this.
    private static let fileNumbersOfAMemoryStore: Int64 = 1 << 10

    private let connection: Connection
    private let entities: [Entity]
    private let keyBefore: Int64

    init(_ connection: Connection, _ entities: [Entity], _ options: SQLiteStore.Options) {
        self.connection = connection
        self.entities = entities
        keyBefore = options.keyBefore ?? Self.randomKey()
    }

    /// Returns the layouts of all tables. It writes only if something is missing.
    func layouts() throws(StoreError) -> [TableLayout] {
        let isCurrent: Bool
        do throws(Migrations.Refusal) {
            isCurrent = try StoreSchema.migrations.areDone(connection)
        } catch {
            throw StoreError(error, path: connection.path)
        }
        if isCurrent, let layouts = try currentLayouts() { return layouts }
        do throws(SQLiteError) {
            try connection.begin()
        } catch {
            throw StoreError(error)
        }
        do throws(StoreError) {
            try migrate()
            guard let layouts = try currentLayouts() else {
                throw .incompatible(
                    path: connection.path, reason: "its tables do not fit the document")
            }
            try StoreError.wrapping { () throws(SQLiteError) in try connection.commit() }
            return layouts
        } catch {
            connection.rollBack()
            throw error
        }
    }

    private func currentLayouts() throws(StoreError) -> [TableLayout]? {
        let schema = try StoreError.wrapping { () throws(SQLiteError) in
            try StoreSchema(reading: connection)
        }
        let layouts = entities.compactMap { schema.layout($0) }
        return layouts.count == entities.count ? layouts : nil
    }

    private func migrate() throws(StoreError) {
        do throws(Migrations.Refusal) {
            try StoreSchema.migrations.run(connection)
        } catch {
            throw StoreError(error, path: connection.path)
        }
        var migration = try StoreError.wrapping { () throws(SQLiteError) in
            let insertion = try connection.prepare(
                "INSERT OR IGNORE INTO restway_store VALUES ('lastKey', ?1)")
            insertion.bind(1, keyBefore)
            try insertion.run()
            return try SchemaMigration(connection)
        }
        try migration.run(entities)
    }

    private static func randomKey() -> Int64 {
        var number: Int64
        repeat {
            number = Int64.random(in: fileNumbers)
        } while number.isMultiple(of: fileNumbersOfAMemoryStore)
        return number * keysOfAFile
    }
}

extension StoreError {
    init(_ error: SQLiteError) {
        self = .file(
            FileFailure(
                path: error.path, message: error.text, isForked: error.isForked,
                isTemporary: error.isBusy, isFull: error.isFull))
    }

    init(_ refusal: Migrations.Refusal, path: String) {
        switch refusal {
        case .foreign: self = .foreignFile(path: path)
        case .newer(let version): self = .newerFile(path: path, version: version)
        case .failed(let error): self.init(error)
        }
    }

    /// Converts an error that SQLite throws in `body` to an error of the store.
    static func wrapping<Result>(
        _ body: () throws(SQLiteError) -> Result
    ) throws(StoreError) -> Result {
        do {
            return try body()
        } catch {
            throw StoreError(error)
        }
    }
}
