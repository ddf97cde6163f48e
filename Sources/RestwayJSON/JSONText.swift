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
        for index in 0..<text.utf8CodeUnitCount { bytes.append(text.utf8Start[index]) }
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
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        for (index, byte) in text.enumerated() where Self.isEscaped(byte) {
            bytes.append(contentsOf: text[start..<index])
            append(escaped: byte)
            start = index + 1
        }
        bytes.append(contentsOf: text[start...])
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case 0x08: append("\\b")
        case 0x0C: append("\\f")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        case ..<0x20:
            append(byte < 0x10 ? "\\u000" : "\\u001")
            bytes.append(ASCII.upperHexDigit(byte & 15))
        default:
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        }
    }
}
