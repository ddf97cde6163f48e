/// Finds the ends of the values of a text without parsing them.
///
/// It trusts quotes and brackets. For a malformed text it returns pieces that are not valid JSON
/// either, or that do not fit together. The parser of the pieces detects this.
package struct JSONOutline {
    /// The text. It is borrowed and must outlive the outline.
    package let text: UnsafeRawBufferPointer

    package init(_ text: UnsafeRawBufferPointer) {
        self.text = text
    }

    package func isSpace(at index: Int) -> Bool {
        switch text[index] {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): true
        default: false
        }
    }

    /// The first index from `start` on that is not white space, or the end of the text.
    package func skipSpaces(from start: Int) -> Int {
        var index = start
        while index < text.count, isSpace(at: index) { index += 1 }
        return index
    }

    /// The part `range` without white space around it.
    package func trimmed(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, isSpace(at: start) { start += 1 }
        while start < end, isSpace(at: end - 1) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: text[start..<end])
    }

    /// The end of the value that begins at or after `start`: a comma, or the closing bracket of the
    /// container around the value. Returns `nil` if the text ends first.
    package func endOfValue(from start: Int) -> Int? {
        var index = start
        var depth = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""):
                index = endOfString(from: index)
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return index }
                depth -= 1
            case UInt8(ascii: ","):
                if depth == 0 { return index }
            default:
                break
            }
            index += 1
        }
        return nil
    }

    /// The index after the string that opens at `start`.
    package func endOfString(from start: Int) -> Int {
        var index = start + 1
        while true {
            index = skipPlainText(from: index)
            guard index < text.count else { return text.count }
            switch text[index] {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
    }

    /// Skips text without quotes and backslashes, eight bytes at a time as far as possible.
    private func skipPlainText(from start: Int) -> Int {
        var index = start
        while index + 8 <= text.count {
            let word = UInt64(
                littleEndian: text.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let found = Self.zeroBytes(word ^ Self.quotes) | Self.zeroBytes(word ^ Self.backslashes)
            guard found == 0 else { return index + found.trailingZeroBitCount / 8 }
            index += 8
        }
        return index
    }

    private static var quotes: UInt64 { 0x2222_2222_2222_2222 }
    private static var backslashes: UInt64 { 0x5C5C_5C5C_5C5C_5C5C }

    /// The highest bit of each byte that is 0. Only the lowest of these bits is reliable.
    private static func zeroBytes(_ word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }
}
