import CJansson
import RestwayJSON

/// The members of a large object, located but not parsed.
struct LargeObject {
    struct Member {
        let key: [UInt8]
        /// The text of the value, which is borrowed, without white space around it.
        let value: UnsafeRawBufferPointer
        /// The parts of the value if it is a list. They were found together with its end.
        let list: LargeList?
    }

    private(set) var members: [Member] = []

    /// - Parameter outline: The text of the object, from the opening bracket to the closing one.
    /// - Returns: `nil` if the object must be parsed as a whole: it has too many members, or a key
    ///   occurs twice, so that the later member counts.
    init?(_ outline: JSONOutline, _ sizes: LargeText) throws(JSONError) {
        var keys: Set<[UInt8]> = []
        let text = outline.text
        let last = text.count - 1
        var index = outline.skipSpaces(from: 1)
        if index == last, text[last] == UInt8(ascii: "}") { return }
        while true {
            guard members.count < sizes.membersMax else { return nil }
            guard index < last, text[index] == UInt8(ascii: "\"") else {
                throw LargeText.malformed
            }
            let keyEnd = outline.endOfString(from: index)
            let key = try Self.key(outline.trimmed(index..<keyEnd))
            guard keys.insert(key).inserted else { return nil }

            let colon = outline.skipSpaces(from: keyEnd)
            guard colon < last, text[colon] == UInt8(ascii: ":") else {
                throw LargeText.malformed
            }
            let end = try add(
                key, outline, from: outline.skipSpaces(from: colon + 1), sizes)
            if text[end] == UInt8(ascii: ",") {
                index = outline.skipSpaces(from: end + 1)
                continue
            }
            guard end == last, text[end] == UInt8(ascii: "}") else { throw LargeText.malformed }
            return
        }
    }

    /// Adds the member whose value begins at `start`, and returns the end of the value.
    private mutating func add(
        _ key: [UInt8], _ outline: JSONOutline, from start: Int, _ sizes: LargeText
    ) throws(JSONError) -> Int {
        var list: LargeList?
        if start < outline.text.count, outline.text[start] == UInt8(ascii: "[") {
            list = try LargeList(outline, from: start, sizes)
        }
        guard let end = outline.endOfValue(from: list?.end ?? start) else {
            throw LargeText.malformed
        }
        let value = outline.trimmed(start..<end)
        if let list, value.count != list.end - start { throw LargeText.malformed }
        members.append(Member(key: key, value: value, list: list))
        return end
    }

    private static func key(_ text: UnsafeRawBufferPointer) throws(JSONError) -> [UInt8] {
        let value = try JSONValue.parse(text)
        return try withExtendedLifetime(value) { () throws(JSONError) in
            let count = json_string_length(value.pointer)
            guard let start = json_string_value(value.pointer) else {
                throw LargeText.malformed
            }
            return Array(UnsafeRawBufferPointer(start: start, count: count))
        }
    }
}
