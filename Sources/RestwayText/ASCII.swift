/// Characters and classes of ASCII that grammars use.
package enum ASCII {
    package static let percent = UInt8(ascii: "%")
    package static let slash = UInt8(ascii: "/")
    package static let question = UInt8(ascii: "?")
    package static let hash = UInt8(ascii: "#")
    package static let dot = UInt8(ascii: ".")
    package static let colon = UInt8(ascii: ":")
    package static let at = UInt8(ascii: "@")

    package static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    package static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    package static func isAlphanumeric(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte)
    }

    /// Whether `text` is a token (RFC 9110, section 5.6.2).
    package static func isToken(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: isAlphanumeric(byte)
        }
    }

    package static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F
    }

    /// Whether `byte` is white space in JSON (RFC 8259, section 2).
    package static func isJSONSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Whether `byte` begins a query or a fragment.
    package static func endsPath(_ byte: UInt8) -> Bool {
        byte == question || byte == hash
    }

    package static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    package static func lowercased(_ text: String) -> String {
        var text = text
        let isLower = text.withUTF8 { $0.allSatisfy { lowercased($0) == $0 } }
        return isLower ? text : String(decoding: text.utf8.map { lowercased($0) }, as: UTF8.self)
    }

    /// Compares texts without regard to the case of ASCII letters. Allocates no memory.
    package static func areEqualIgnoringCase(_ left: String, _ right: String) -> Bool {
        let left = left.utf8.span
        let right = right.utf8.span
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] {
            guard lowercased(left[index]) == lowercased(right[index]) else { return false }
        }
        return true
    }

    /// Whether `byte` may follow the first letter of a URL's scheme (RFC 3986, section 3.1).
    static func continuesScheme(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == dot || byte == UInt8(ascii: "+")
            || byte == UInt8(ascii: "-")
    }

    package static func hexValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte - UInt8(ascii: "0") }
        let lower = byte | 0x20
        guard (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(lower) else { return nil }
        return lower - UInt8(ascii: "a") + 10
    }

    /// The hexadecimal digit of a value below 16.
    package static func upperHexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    /// The hexadecimal digit of a value below 16, in lower case.
    package static func lowerHexDigit(_ value: UInt8) -> UInt8 {
        upperHexDigit(value) | 0x20
    }
}
