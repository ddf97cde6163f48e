/// What makes a request safe to repeat whatever its method: the server knows it again.
package enum IdempotencyKey: Sendable, Equatable {
    case given(String)
    /// A new one for each send of the request; all attempts of a call share it.
    case random

    static let headerName = "Idempotency-Key"

    var text: String {
        switch self {
        case .given(let text): text
        case .random: Self.uuid()
        }
    }

    /// A random UUID (RFC 9562, section 5.4), from the system's own source.
    private static func uuid() -> String {
        var high = UInt64.random(in: 0 ... .max)
        var low = UInt64.random(in: 0 ... .max)
        high = high & ~0xF000 | 0x4000
        low = low & ~(3 << 62) | 2 << 62
        let digits = [high, low].map { half in
            let text = String(half, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()
        var parts: [Substring] = []
        var rest = digits[...]
        for count in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return parts.joined(separator: "-")
    }
}
