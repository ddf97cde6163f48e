/// Headers that say nothing about who asks: these alone follow a redirect to another origin.
enum SafeHeaders {
    private static let names: Set<String> = [
        "accept", "accept-encoding", "accept-language", "content-type", "if-match",
        "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "range",
        "user-agent",
    ]

    static func contains(_ name: String) -> Bool {
        names.contains(name.lowercased())
    }
}
