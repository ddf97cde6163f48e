/// The settings in a document for the store of its clients.
struct StoreSettings: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case memory, sqlite
    }

    var kind = Kind.memory
    /// The path of the file, if the kind of store has one.
    var path: String?
    /// The number of objects in the cache; nil for the default.
    var cachedObjectsMax: Int?
    var busyTimeoutMilliseconds: Int32?

    /// Resolves a relative path against `directory`.
    mutating func resolve(in directory: String) {
        guard let path, !path.hasPrefix("/") else { return }
        self.path = directory + path
    }
}
