/// The name of an object that the server has not named yet. Every request about the object holds
/// this text, in paths, headers and bodies, where the identity will stand.
///
/// The journal finds these texts, does not send a request that holds one, and replaces each text by
/// the server's identity once that is known. The text is random, so that nothing else equals it by
/// chance. It consists of unreserved characters, so that it can stand unchanged in any URL or JSON
/// string.
package struct LocalID: Hashable, Sendable {
    package static let prefix = "restway-local-"
    /// The number of lower-case hexadecimal digits after the prefix.
    static let digitCount = 32
    static let byteCount = prefix.utf8.count + digitCount

    /// The prefix and 32 digits.
    package let text: String

    /// The form of an identity that replaces a local one in a body. It is the form in which the
    /// conversion of the attribute would have written the identity.
    package enum Form: String, CaseIterable, Sendable {
        /// The identity is written as the server gave it.
        case plain = ""
        /// A number is written as a string of its digits.
        case text = "-text"
        /// A string of digits is written as a number.
        case number = "-number"
        /// A string is written as its base64.
        case base64 = "-base64"
    }

    /// Returns the text that stands in a body for an identity that is to be written in `form`.
    package func text(as form: Form) -> String { text + form.rawValue }

    /// Returns a new local identity from the system's source of random numbers.
    package static func random() -> LocalID {
        let halves = [UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max)]
        let digits = halves.map { half in
            let text = String(half, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        return LocalID(unchecked: prefix + digits.joined())
    }

    /// Returns `nil` if the text is not a local identity.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == Self.byteCount, Self.starts(bytes[...]) else { return nil }
        self.text = text
    }

    init(unchecked text: String) {
        self.text = text
    }

    /// Returns whether a local identity stands at the beginning of `bytes`, which must be long
    /// enough.
    static func starts(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.starts(with: prefixBytes)
            && bytes.dropFirst(prefixBytes.count).prefix(digitCount).allSatisfy(isDigit)
    }

    static let prefixBytes = Array(prefix.utf8)

    private static func isDigit(_ byte: UInt8) -> Bool {
        (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66)
    }
}
