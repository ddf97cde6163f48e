/// What a document says about the store of its clients.
struct StoreSettings: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case memory, sqlite
    }

    var kind = Kind.memory
    /// Of a file, when the kind has one.
    var path: String?
    /// nil takes the default.
    var cachedObjectsMax: Int?
    var busyTimeoutMilliseconds: Int32?

    /// Takes a relative path as one below `directory`.
    mutating func resolve(in directory: String) {
        guard let path, !path.hasPrefix("/") else { return }
        self.path = directory + path
    }
}
