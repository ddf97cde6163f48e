import Glibc

/// Sets the "C" locale for the current thread. Jansson uses the current locale to read and write
/// numbers.
enum CLocale {
    /// The locale, made once and kept for the life of the process; `nil` if the system could not
    /// make it.
    nonisolated(unsafe) private static let locale = newlocale(LC_ALL_MASK, "C", nil)

    static func run<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let before = uselocale(locale)
        defer { _ = uselocale(before) }
        return try body()
    }

    private static var LC_ALL_MASK: Int32 { 0x1FBF }
}
