import CJansson
import Glibc
import RestwayText

/// Passes numbers through a JSON tree as marked strings: those that neither an int64 nor a double
/// can hold and, where the digits of all numbers are needed, those with a fraction or an exponent.
///
/// Jansson refuses a whole text for a number that is out of range, and rounds a fraction to a
/// double. The text is parsed with each of these numbers replaced by a string: a random mark, then
/// the digits.
enum OutOfRangeNumber {
    /// The mark. It starts with a NUL, which is rare in strings, so that the check is quick. The
    /// rest is random for each process.
    static let mark: [UInt8] = {
        let random = UInt64.random(in: .min ... .max)
        return [0] + Array(("number" + String(random, radix: 16) + ":").utf8)
    }()

    /// The mark as it appears in JSON text, after the opening quote.
    static let escapedMark: [UInt8] = Array("\\u0000".utf8) + mark.dropFirst()

    /// Returns `text` with each of these numbers as a marked string, and each key that
    /// contains a NUL as a marked key (`NULKey`). Both are marked at once, because Jansson reports
    /// only the first error.
    ///
    /// - Parameter options: Which of the two are marked. The parser refuses the other one.
    static func marking(
        _ text: UnsafeRawBufferPointer, _ options: JSONValue.ParseOptions
    ) -> [UInt8] {
        let outline = JSONOutline(text)
        var result: [UInt8] = []
        result.reserveCapacity(text.count + 64)
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte == UInt8(ascii: "\"") {
                let end = outline.endOfString(from: index)
                if options.keepsNULInKeys, let key = markedKey(outline, index..<end) {
                    result.append(contentsOf: key)
                } else {
                    result.append(contentsOf: text[index..<end])
                }
                index = end
            } else if byte == UInt8(ascii: "-") || ASCII.isDigit(byte) {
                let end = endOfNumber(text, from: index)
                let number = text[index..<end]
                if options.keepsOutOfRangeNumbers,
                    isOutOfRange(number) || options.keepsDigits && isDecimal(number)
                {
                    result.append(UInt8(ascii: "\""))
                    result.append(contentsOf: escapedMark)
                    result.append(contentsOf: number)
                    result.append(UInt8(ascii: "\""))
                } else {
                    result.append(contentsOf: number)
                }
                index = end
            } else {
                result.append(byte)
                index += 1
            }
        }
        return result
    }

    /// The string in `range`, with its quotes, in the spelling of `NULKey`; `nil` if it is not a
    /// key or has no NUL.
    private static func markedKey(_ outline: JSONOutline, _ range: Range<Int>) -> [UInt8]? {
        let text = outline.text
        guard range.count >= 2, text[range.upperBound - 1] == quote else { return nil }
        let colon = outline.skipSpaces(from: range.upperBound)
        guard colon < text.count, text[colon] == UInt8(ascii: ":"),
            let key = NULKey.marking(text[(range.lowerBound + 1)..<(range.upperBound - 1)])
        else { return nil }
        return [quote] + key + [quote]
    }

    private static let quote = UInt8(ascii: "\"")

    private static func endOfNumber(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index < text.count, ASCII.isDigit(text[index]) || "-+.eE".utf8.contains(text[index]) {
            index += 1
        }
        return index
    }

    /// Whether `number` is a well-formed number with a fraction or an exponent.
    private static func isDecimal(_ number: Slice<UnsafeRawBufferPointer>) -> Bool {
        !NumberForm.isWhole(number) && NumberForm.fits(number)
    }

    /// Whether `number` is a well-formed number (RFC 8259, section 6) that is out of range. A
    /// malformed number is left for the parser to refuse.
    private static func isOutOfRange(_ number: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard NumberForm.fits(number) else { return false }
        return NumberForm.isOutOfRange(String(decoding: number, as: UTF8.self))
    }
}

/// Passes keys that contain a NUL through Jansson's parser.
///
/// Jansson's trees accept these keys, but its parser refuses the whole text. Such a text is parsed
/// again with each of these keys in another spelling: a random mark, then the key with NUL as
/// U+0001 "0" and U+0001 as U+0001 "1". Afterwards the keys in the tree are restored.
enum NULKey {
    private static let escape: UInt8 = 0x01

    /// The mark, which is random for each process.
    private static let mark: [UInt8] = {
        let random = UInt64.random(in: .min ... .max)
        return [escape] + Array(("key" + String(random, radix: 16) + ":").utf8)
    }()

    private static let escapeInText = Array("\\u0001".utf8)
    private static let zeroInText = Array("\\u0000".utf8)

    /// Returns the marked spelling of a key, given as in JSON text without its quotes; `nil` if the
    /// key has no NUL.
    static func marking(_ key: Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
        var result = escapeInText + mark.dropFirst()
        var holdsNUL = false
        var rest = key
        while let byte = rest.first {
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                rest.removeFirst()
                continue
            }
            if rest.starts(with: zeroInText) {
                holdsNUL = true
                result += escapeInText + [UInt8(ascii: "0")]
                rest.removeFirst(zeroInText.count)
            } else if rest.starts(with: escapeInText) {
                result += escapeInText + [UInt8(ascii: "1")]
                rest.removeFirst(escapeInText.count)
            } else {
                result += rest.prefix(2)
                rest = rest.dropFirst(2)
            }
        }
        return holdsNUL ? result : nil
    }

    /// Restores the original keys of every object of a tree.
    static func restore(in value: UnsafeMutablePointer<json_t>) {
        switch value.pointee.type {
        case JSON_ARRAY:
            for index in 0..<json_array_size(value) {
                if let element = json_array_get(value, index) { restore(in: element) }
            }
        case JSON_OBJECT:
            let members = value.mapMembers { (key: $0, value: $1) }
            for member in members { restore(in: member.value) }
            if members.contains(where: { original(of: $0.key) != nil }) {
                renameMembers(of: value)
            }
        default:
            break
        }
    }

    /// Sets all members again, so that they keep their order.
    private static func renameMembers(of object: UnsafeMutablePointer<json_t>) {
        let members = object.mapMembers { key, value in
            json_incref(value)
            return (key: original(of: key) ?? Array(key), value: value)
        }
        json_object_clear(object)
        for (key, value) in members {
            // The terminating NUL gives an empty key an address too.
            let result = (key + [0]).withUnsafeBytes { bytes in
                json_object_setn_new_nocheck(
                    object, bytes.bindMemory(to: CChar.self).baseAddress, key.count, value)
            }
            precondition(result == 0, "out of memory")
        }
    }

    /// The original key of a member; `nil` if its key was not marked.
    private static func original(of key: UnsafeRawBufferPointer) -> [UInt8]? {
        guard key.first == escape, key.starts(with: mark) else { return nil }
        var result: [UInt8] = []
        var rest = key.dropFirst(mark.count)
        while let byte = rest.popFirst() {
            guard byte == escape else {
                result.append(byte)
                continue
            }
            result.append(rest.popFirst() == UInt8(ascii: "0") ? 0 : escape)
        }
        return result
    }
}
