import RestwayText

/// A pattern for texts with the rules of SQLite's LIKE: `%` stands for any characters, also for
/// none, `_` for one character, and every other character for itself. The letters A to Z are the
/// same in both cases; other letters are not.
package struct LikePattern: Sendable {
    /// SQLite refuses longer patterns.
    package static let bytesMax = 50_000

    package let text: String
    private let bytes: [UInt8]

    package init(_ text: String) {
        self.text = text
        // SQLite reads patterns and texts up to the first NUL.
        bytes = Array(text.utf8.prefix { $0 != 0 })
    }

    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        let count = text.firstIndex(of: 0) ?? text.count
        var (place, next) = (0, 0)
        // The place behind the last `%`, and the place in the text up to which it reaches.
        var retry: (pattern: Int, text: Int)?
        while place < count {
            if next < bytes.count, bytes[next] == UInt8(ascii: "%") {
                next += 1
                retry = (next, place)
            } else if next < bytes.count, bytes[next] == UInt8(ascii: "_") {
                next += 1
                place = Self.end(ofCharacterAt: place, text, count)
            } else if next < bytes.count,
                ASCII.lowercased(bytes[next]) == ASCII.lowercased(text[place])
            {
                next += 1
                place += 1
            } else if let last = retry {
                // The last `%` takes one character more.
                let reached = Self.end(ofCharacterAt: last.text, text, count)
                retry = (last.pattern, reached)
                (next, place) = (last.pattern, reached)
            } else {
                return false
            }
        }
        return bytes[next...].allSatisfy { $0 == UInt8(ascii: "%") }
    }

    /// Returns the place behind a character of UTF-8.
    private static func end(
        ofCharacterAt place: Int, _ text: UnsafeRawBufferPointer, _ count: Int
    ) -> Int {
        var end = place + 1
        guard text[place] >= 0xC0 else { return end }
        while end < count, text[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }
}
