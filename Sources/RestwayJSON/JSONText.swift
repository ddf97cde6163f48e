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

    /// Does the same for UTF-8 text. Invalid UTF-8 appends no text and returns false.
    package mutating func append(text: [UInt8]) -> Bool {
        text.withUnsafeBufferPointer { text in
            // The loop checks all bytes without stopping early, so that many are checked at once.
            let isASCII = text.reduce(0, |) < 0x80
            guard isASCII || String(validating: text, as: UTF8.self) != nil else { return false }
            append(quoted: text)
            return true
        }
    }

    /// Writes into a temporary buffer first, because appending single bytes checks the capacity
    /// each time. It copies eight bytes at a time, up to the first one that needs escaping.
    private mutating func append(quoted text: UnsafeBufferPointer<UInt8>) {
        let text = UnsafeRawBufferPointer(text)
        let capacity = text.count * Self.escapedBytesMax + 2
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { output in
            output[0] = UInt8(ascii: "\"")
            var (position, end) = (0, 1)
            while position + 8 <= text.count {
                let word = text.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                UnsafeMutableRawBufferPointer(output).storeBytes(
                    of: word, toByteOffset: end, as: UInt64.self)
                let count = Self.countUntilEscaped(UInt64(littleEndian: word))
                (position, end) = (position + count, end + count)
                guard count < 8 else { continue }
                end = Self.escape(text[position], into: output, at: end)
                position += 1
            }
            for byte in text[position...] {
                if Self.isEscaped(byte) {
                    end = Self.escape(byte, into: output, at: end)
                } else {
                    output[end] = byte
                    end += 1
                }
            }
            output[end] = UInt8(ascii: "\"")
            bytes.append(contentsOf: UnsafeMutableBufferPointer(rebasing: output[...end]))
        }
    }

    /// The number of bytes before the first that is escaped, among eight, the first one lowest. A
    /// borrow from a byte affects only higher bytes, so the lowest mark is always right.
    private static func countUntilEscaped(_ word: UInt64) -> Int {
        func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }
        let controls = (word &- ones * 0x20) & ~word
        let quotes = zeros(word ^ ones * UInt64(UInt8(ascii: "\"")))
        let backslashes = zeros(word ^ ones * UInt64(UInt8(ascii: "\\")))
        let marks = (controls | quotes | backslashes) & (ones * 0x80)
        return marks.trailingZeroBitCount / 8
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101

    /// The largest number of bytes for one escaped byte.
    private static let escapedBytesMax = 6

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// - Returns: The position after the escaped byte.
    private static func escape(
        _ byte: UInt8, into output: UnsafeMutableBufferPointer<UInt8>, at start: Int
    ) -> Int {
        output[start] = UInt8(ascii: "\\")
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): output[start + 1] = byte
        case 0x08: output[start + 1] = UInt8(ascii: "b")
        case 0x0C: output[start + 1] = UInt8(ascii: "f")
        case 0x0A: output[start + 1] = UInt8(ascii: "n")
        case 0x0D: output[start + 1] = UInt8(ascii: "r")
        case 0x09: output[start + 1] = UInt8(ascii: "t")
        default:
            output[start + 1] = UInt8(ascii: "u")
            output[start + 2] = UInt8(ascii: "0")
            output[start + 3] = UInt8(ascii: "0")
            output[start + 4] = ASCII.upperHexDigit(byte >> 4)
            output[start + 5] = ASCII.upperHexDigit(byte & 15)
            return start + 6
        }
        return start + 2
    }
}
