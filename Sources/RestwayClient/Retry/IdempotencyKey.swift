import Glibc
import RestwayText

/// The key that makes a request safe to repeat whatever its method, because the server recognises
/// it.
package enum IdempotencyKey: Sendable, Equatable {
    case given(String)
    /// A new key each time the request is sent; all attempts of a call share it.
    case random

    static let headerName = "Idempotency-Key"

    var text: String {
        switch self {
        case .given(let text): text
        case .random: Self.uuid()
        }
    }

    /// Returns random bits with the version and the variant of a random UUID, with one call of the
    /// system.
    private static func bits() -> (high: UInt64, low: UInt64) {
        var bits: (high: UInt64, low: UInt64) = (0, 0)
        let code = withUnsafeMutableBytes(of: &bits) { bytes in
            bytes.baseAddress.map { getentropy($0, bytes.count) } ?? -1
        }
        if code != 0 { bits = (.random(in: 0 ... .max), .random(in: 0 ... .max)) }
        return (bits.high & ~0xF000 | 0x4000, bits.low & ~(3 << 62) | 2 << 62)
    }

    /// A random UUID (RFC 9562, section 5.4), from the system's own source.
    private static func uuid() -> String {
        let (high, low) = bits()
        func digit(_ number: UInt64) -> UInt8 {
            ASCII.lowerHexDigit(UInt8(truncatingIfNeeded: number) & 15)
        }
        return String(unsafeUninitializedCapacity: 36) { text in
            var end = 0
            for index in 0..<16 {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    text[end] = UInt8(ascii: "-")
                    end += 1
                }
                let byte = (index < 8 ? high : low) >> UInt64(56 - index % 8 * 8)
                text[end] = digit(byte >> 4)
                text[end + 1] = digit(byte)
                end += 2
            }
            return end
        }
    }
}
