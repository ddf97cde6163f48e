import Glibc
import RestwayText

/// A copy of JSON text in which U+FFFD replaces what is not Unicode: the escape of a half of a
/// surrogate pair (RFC 8259, section 8.2), and bytes that are not UTF-8.
///
/// Parsers refuse such a text as a whole. Only strings are repaired.
package struct RepairedText {
    package private(set) var bytes: [UInt8] = []

    /// Begins each string that was repaired and is not a key, if they are marked. It starts with a
    /// NUL, which is rare in strings, and ends with a number that is random for each process.
    package static let mark: [UInt8] = {
        let random = UInt64.random(in: .min ... .max)
        return [0] + Array(("repaired" + String(random, radix: 16) + ":").utf8)
    }()

    private static let escapedMark = Array("\\u0000".utf8) + mark.dropFirst()
    private static let replacement = Array("\u{FFFD}".utf8)
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    /// Repairs a text.
    ///
    /// - Parameter marksStrings: Whether `mark` begins each repaired string that is not a key.
    /// - Returns: `nil` if there is nothing to repair.
    package init?(_ text: UnsafeRawBufferPointer, marksStrings: Bool = false) {
        guard Self.mayNeedRepair(text) else { return nil }
        bytes.reserveCapacity(text.count + text.count / 8)
        let outline = JSONOutline(text)
        var isRepaired = false
        var index = 0
        while index < text.count {
            guard text[index] == Self.quote else {
                bytes.append(text[index])
                index += 1
                continue
            }
            let end = outline.endOfString(from: index)
            guard end - index >= 2, text[end - 1] == Self.quote,
                let content = Self.repaired(text[(index + 1)..<(end - 1)])
            else {
                bytes.append(contentsOf: text[index..<end])
                index = end
                continue
            }
            isRepaired = true
            bytes.append(Self.quote)
            if marksStrings, !outline.isKey(endingAt: end) {
                bytes.append(contentsOf: Self.escapedMark)
            }
            bytes.append(contentsOf: content)
            bytes.append(Self.quote)
            index = end
        }
        guard isRepaired else { return nil }
    }

    /// Whether the text is not UTF-8, or has an escape of a surrogate.
    private static func mayNeedRepair(_ text: UnsafeRawBufferPointer) -> Bool {
        let bytes = text.assumingMemoryBound(to: UInt8.self)
        if bytes.reduce(0, |) >= 0x80, String(validating: bytes, as: UTF8.self) == nil {
            return true
        }
        guard var start = text.baseAddress else { return false }
        let end = start + text.count
        while let found = memchr(start, Int32(backslash), end - start) {
            let escape = UnsafeRawBufferPointer(
                start: found, count: min(3, end - UnsafeRawPointer(found)))
            if escape.count == 3, escape[1] == UInt8(ascii: "u"),
                escape[2] | 0x20 == UInt8(ascii: "d")
            {
                return true
            }
            // A backslash that is escaped begins no escape.
            start = UnsafeRawPointer(found) + min(2, escape.count)
        }
        return false
    }

    /// Returns the repaired content of a string, without its quotes; `nil` if it needs no repair.
    private static func repaired(_ content: Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
        var result: [UInt8] = []
        var isRepaired = false
        var rest = content
        while let byte = rest.first {
            guard byte == backslash else {
                result.append(byte)
                rest.removeFirst()
                continue
            }
            guard let unit = unit(rest), (0xD800..<0xE000).contains(unit) else {
                result += rest.prefix(2)
                rest = rest.dropFirst(2)
                continue
            }
            let low = unit < 0xDC00 ? Self.unit(rest.dropFirst(6)) : nil
            if let low, (0xDC00..<0xE000).contains(low) {
                result += rest.prefix(12)
                rest = rest.dropFirst(12)
            } else {
                isRepaired = true
                result += replacement
                rest = rest.dropFirst(6)
            }
        }
        if result.reduce(0, |) >= 0x80, String(validating: result, as: UTF8.self) == nil {
            isRepaired = true
            result = Array(String(decoding: result, as: UTF8.self).utf8)
        }
        return isRepaired ? result : nil
    }

    /// Returns the code unit of an escape `\uD83D` at the start of `text`.
    private static func unit(_ text: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard text.count >= 6, text.starts(with: [backslash, UInt8(ascii: "u")]) else { return nil }
        var unit = 0
        for byte in text.dropFirst(2).prefix(4) {
            guard let digit = ASCII.hexValue(byte) else { return nil }
            unit = unit * 16 + Int(digit)
        }
        return unit
    }
}

extension JSONOutline {
    /// Whether the string that ends before `end` is the key of a member.
    fileprivate func isKey(endingAt end: Int) -> Bool {
        let next = skipSpaces(from: end)
        return next < text.count && text[next] == UInt8(ascii: ":")
    }
}
