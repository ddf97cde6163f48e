package import RestwaySQLite

/// Why a store refused.
package enum StoreError: Error, Equatable, Sendable {
    /// A row was committed before.
    case alreadyCommitted
    /// The store keeps the entities that it was opened with, and this is none of them.
    case foreignEntity(String)
    /// The file, or the disk below it.
    case file(SQLiteError)
    /// A database of something else.
    case foreignFile(path: String)
    /// Written by a later version of the library.
    case newerFile(path: String, version: Int64)
    /// The file holds objects that what is asked for now has no place for.
    case incompatible(path: String, reason: String)

    package var message: String {
        switch self {
        case .alreadyCommitted: "these changes have already been committed"
        case .foreignEntity(let name):
            "the store was not opened with this entity \"\(name)\": it is of another api"
        case .file(let error): "the store \(error.text)"
        case .foreignFile(let path):
            "the store \"\(path)\": the file is a database of another program"
        case .newerFile(let path, let version):
            "the store \"\(path)\": the file has format \(version), of a later Restway"
        case .incompatible(let path, let reason): "the store \"\(path)\": \(reason)"
        }
    }

    /// Whether the same may succeed a moment later.
    package var isTemporary: Bool {
        if case .file(let error) = self { return error.isBusy }
        return false
    }

    /// The file it is about; nil when it is about none.
    package var path: String? {
        switch self {
        case .alreadyCommitted, .foreignEntity: nil
        case .file(let error): error.path
        case .foreignFile(let path), .newerFile(let path, _), .incompatible(let path, _): path
        }
    }

    /// What SQLite throws in `body`, as an error of the store.
    static func wrapping<Result>(
        _ body: () throws(SQLiteError) -> Result
    ) throws(StoreError) -> Result {
        do {
            return try body()
        } catch {
            throw .file(error)
        }
    }
}
