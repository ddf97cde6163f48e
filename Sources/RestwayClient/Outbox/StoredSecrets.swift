import RestwayHTTP

/// The headers that are never stored because they hold credentials. They are set anew when the
/// request is sent.
struct StoredSecrets {
    private(set) var names = ["authorization", "proxy-authorization", "cookie"]

    /// - Parameter scheme: The header that the authentication scheme sets, if it is another one.
    init(scheme: String?) {
        if let scheme { names.append(scheme.lowercased()) }
    }

    func contains(_ field: HeaderField) -> Bool {
        names.contains { field.isNamed($0) }
    }
}
