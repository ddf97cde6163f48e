import RestwayText

/// JSON text that is written directly, without making values.
///
/// Strings are escaped as in `JSONValue.text()`. The caller writes the text between them.
package struct JSONText: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// Appends text unchanged.
    package mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends a string with its quotes.
    package mutating func append(string: String) {
        var string = string
        string.withUTF8 { append(quoted: $0) }
    }

    /// Appends UTF-8 text as a string with its quotes. Invalid UTF-8 appends no text and returns
    /// false.
    package mutating func append(text: [UInt8]) -> Bool {
        text.withUnsafeBufferPointer { text in
            // The loop checks all bytes without stopping early, so that many are checked at once.
            let isASCII = text.reduce(0, |) < 0x80
            guard isASCII || String(validating: text, as: UTF8.self) != nil else { return false }
            append(quoted: text)
            return true
        }
    }

    private mutating func append(quoted text: UnsafeBufferPointer<UInt8>) {
        let escapes = text.reduce(0) { Self.isEscaped($1) ? $0 + 1 : $0 }
        // The longest escape has six bytes.
        bytes.append(addingCapacity: 2 + text.count + 5 * escapes) { output in
            output.append(UInt8(ascii: "\""))
            for byte in text {
                if Self.isEscaped(byte) {
                    Self.append(escaped: byte, to: &output)
                } else {
                    output.append(byte)
                }
            }
            output.append(UInt8(ascii: "\""))
        }
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func append(escaped byte: UInt8, to output: inout OutputSpan<UInt8>) {
        output.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x0C: output.append(UInt8(ascii: "f"))
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case ..<0x20:
            output.append(UInt8(ascii: "u"))
            output.append(UInt8(ascii: "0"))
            output.append(UInt8(ascii: "0"))
            output.append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
            output.append(ASCII.upperHexDigit(byte & 15))
        default: output.append(byte)
        }
    }
}
