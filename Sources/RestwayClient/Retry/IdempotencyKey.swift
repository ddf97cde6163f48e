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
        return String(unsafeUninitializedCapacity: 36) { text in
            var end = 0
            for index in 0..<32 {
                if index == 8 || index == 12 || index == 16 || index == 20 {
                    text[end] = UInt8(ascii: "-")
                    end += 1
                }
                let half = index < 16 ? high : low
                let digit = UInt8(truncatingIfNeeded: half >> UInt64(60 - index % 16 * 4)) & 15
                text[end] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                end += 1
            }
            return end
        }
    }
}
