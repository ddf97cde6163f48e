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

    /// Appends text as a string with its quotes. U+FFFD replaces invalid UTF-8.
    package mutating func append(repairing text: UnsafeRawBufferPointer) {
        let bytes = text.assumingMemoryBound(to: UInt8.self)
        if bytes.reduce(0, |) < 0x80 { return append(quoted: bytes) }
        append(string: String(decoding: bytes, as: UTF8.self))
    }

    /// Appends text that is JSON.
    package mutating func append(json text: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: text)
    }

    package mutating func append(integer: Int64) {
        append(digits: "\(integer)")
    }

    /// Appends a finite number with the fewest digits that are read as the same double.
    package mutating func append(real: Double) {
        append(digits: NumberForm.shortest(real))
    }

    private mutating func append(digits: String) {
        bytes.append(contentsOf: digits.utf8)
    }

    private mutating func append(quoted text: UnsafeBufferPointer<UInt8>) {
        // This loop checks all bytes as well. An escape has two bytes or, in place of a control
        // character, up to six.
        let escapeMax = text.reduce(.max, min) < 0x20 ? 6 : 2
        bytes.append(addingCapacity: escapeMax * text.count + 2) { span in
            span.withUnsafeMutableBufferPointer { output, count in
                output[0] = UInt8(ascii: "\"")
                var end = 1
                for byte in text {
                    if Self.isEscaped(byte) {
                        end += Self.write(escaped: byte, to: output, at: end)
                    } else {
                        output[end] = byte
                        end += 1
                    }
                }
                output[end] = UInt8(ascii: "\"")
                count = end + 1
            }
        }
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Writes an escape, and returns its length.
    private static func write(
        escaped byte: UInt8, to output: UnsafeMutableBufferPointer<UInt8>, at start: Int
    ) -> Int {
        output[start] = UInt8(ascii: "\\")
        switch byte {
        case 0x08: output[start + 1] = UInt8(ascii: "b")
        case 0x0C: output[start + 1] = UInt8(ascii: "f")
        case 0x0A: output[start + 1] = UInt8(ascii: "n")
        case 0x0D: output[start + 1] = UInt8(ascii: "r")
        case 0x09: output[start + 1] = UInt8(ascii: "t")
        case ..<0x20:
            output[start + 1] = UInt8(ascii: "u")
            output[start + 2] = UInt8(ascii: "0")
            output[start + 3] = UInt8(ascii: "0")
            output[start + 4] = byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1")
            output[start + 5] = ASCII.upperHexDigit(byte & 15)
            return 6
        default: output[start + 1] = byte
        }
        return 2
    }
}
