/// JSON text that is written as it comes, where no value of it is wanted afterwards.
///
/// Strings are escaped as `JSONValue.text()` does it; what stands between them is the caller's.
package struct JSONText: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// Goes in as it is.
    package mutating func append(_ text: StaticString) {
        for index in 0..<text.utf8CodeUnitCount { bytes.append(text.utf8Start[index]) }
    }

    /// A string with its quotes.
    package mutating func append(string: String) {
        bytes.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { text in
            var start = 0
            for (index, byte) in text.enumerated() where Self.isEscaped(byte) {
                bytes.append(contentsOf: text[start..<index])
                appendEscaped(byte)
                start = index + 1
            }
            bytes.append(contentsOf: text[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x08: append("\\b")
        case 0x0C: append("\\f")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        default:
            append("\\u00")
            let letter = UInt8(ascii: "A") - 10
            for digit in [byte >> 4, byte & 15] {
                bytes.append(digit + (digit < 10 ? UInt8(ascii: "0") : letter))
            }
        }
    }
}
