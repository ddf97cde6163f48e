import RestwayObjects
import RestwaySQLite

extension StoreSettings {
    /// - Parameter path: The host's own, in place of the document's: a file makes the store
    ///   SQLite's whatever the document says.
    func open(_ entities: [Entity], path: String?) throws(Failure) -> any ObjectStore {
        guard let path = path ?? (kind == .sqlite ? self.path : nil) else { return MemoryStore() }
        var options = SQLiteStore.Options()
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
    /// An error of a store as its caller sees it.
    init(_ error: StoreError) {
        self.init(.store, error.message, field: error.path)
        isRetryable = error.isTemporary
    }
}
