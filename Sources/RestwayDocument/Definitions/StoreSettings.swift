/// The settings in a document for the store of its clients.
package struct StoreSettings: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case memory, sqlite
    }

    package var kind = Kind.memory
    /// The path of the file, if the kind of store has one.
    package var path: String?
    /// The number of objects in the cache; nil for the default.
    package var cachedObjectsMax: Int?
    package var busyTimeoutMilliseconds: Int32?

    /// Resolves a relative path against `directory`.
    package mutating func resolve(in directory: String) {
        guard let path, !path.hasPrefix("/") else { return }
        self.path = directory + path
    }
}
