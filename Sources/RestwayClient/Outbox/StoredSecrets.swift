import RestwayHTTP

/// The headers that are never stored: they say who asks, and are given anew when it is sent.
struct StoredSecrets {
    private(set) var names = ["authorization", "proxy-authorization", "cookie"]

    /// - Parameter scheme: The header that the scheme sets, when it is another.
    init(scheme: String?) {
        if let scheme { names.append(scheme.lowercased()) }
    }

    func contains(_ field: HeaderField) -> Bool {
        names.contains { field.isNamed($0) }
    }
}
