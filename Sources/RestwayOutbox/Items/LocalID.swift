/// Names an object that the server has not named yet, in every request that is about it: a text
/// that stands where its identity will stand, in paths, headers and bodies.
///
/// The journal finds these texts by itself, keeps a request that holds one from being sent, and
/// replaces each by the server's identity when that is known. Random, so nothing else looks alike;
/// of unreserved characters, so that it stands in any URL or JSON string as it is.
package struct LocalID: Hashable, Sendable {
    package static let prefix = "restway-local-"
    /// Behind the prefix: lower-case hexadecimal digits.
    static let digitCount = 32
    static let byteCount = prefix.utf8.count + digitCount

    /// The prefix and 32 digits.
    package let text: String

    /// A new one, from the system's own source of random numbers.
    package static func random() -> LocalID {
        let halves = [UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max)]
        let digits = halves.map { half in
            let text = String(half, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        return LocalID(unchecked: prefix + digits.joined())
    }

    /// nil for a text that is none.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == Self.byteCount, Self.starts(bytes[...]) else { return nil }
        self.text = text
    }

    init(unchecked text: String) {
        self.text = text
    }

    /// Whether a local identity stands at the beginning of `bytes`, which has enough of them.
    static func starts(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.starts(with: prefixBytes)
            && bytes.dropFirst(prefixBytes.count).prefix(digitCount).allSatisfy(isDigit)
    }

    static let prefixBytes = Array(prefix.utf8)

    private static func isDigit(_ byte: UInt8) -> Bool {
        (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66)
    }
}
