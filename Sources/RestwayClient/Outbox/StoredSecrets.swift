/// The headers that are never stored: they say who asks, and are given anew when it is sent.
struct StoredSecrets {
    private(set) var names: Set<String> = ["authorization", "proxy-authorization", "cookie"]

    /// - Parameter scheme: The header that the scheme sets, when it is another.
    init(scheme: String?) {
        if let scheme { names.insert(scheme.lowercased()) }
    }

    func contains(_ name: String) -> Bool {
        names.contains(name.lowercased())
    }
}
