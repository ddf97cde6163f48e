import RestwayObjects
import RestwaySQLite
import RestwaySQLiteStore
import RestwayThreads

extension StoreSettings {
    /// - Parameter path: The path that the program gives; it replaces the document's path. A store
    ///   with a path is a SQLite store, whatever the document says.
    /// - Parameter mode: The permissions of a new file.
    func open(
        _ entities: [Entity], path: String?, mode: FileMode
    ) throws(Failure) -> any ObjectStore {
        guard let path = path ?? (kind == .sqlite ? self.path : nil) else { return MemoryStore() }
        var options = SQLiteStore.Options()
        options.connection.mode = mode
        if let cachedObjectsMax { options.cachedObjectsMax = cachedObjectsMax }
        if let busyTimeoutMilliseconds {
            options.connection.busyTimeoutMilliseconds = busyTimeoutMilliseconds
        }
        do {
            return try SQLiteStore(path, entities, options)
        } catch {
            throw Failure(error)
        }
    }
}

extension Failure {
    /// Turns an error of a store into a failure of the client.
    init(_ error: StoreError) {
        self.init(error.isForked ? .forked : .store, error.message, field: error.path)
        isRetryable = error.isTemporary
    }
}
