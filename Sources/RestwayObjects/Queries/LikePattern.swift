import RestwayText

/// A pattern for texts with the rules of SQLite's LIKE: `%` stands for any characters, also for
/// none, `_` for one character, and every other character for itself. The letters A to Z are the
/// same in both cases; other letters are not. A character behind the escape character stands for
/// itself.
package struct LikePattern: Sendable {
    private enum Part {
        case any, one
        case byte(UInt8)
    }

    /// SQLite refuses longer patterns.
    package static let bytesMax = 50_000

    package let text: String
    /// The escape character; `nil` for a pattern without one.
    package let escape: Unicode.Scalar?
    private let parts: [Part]
    /// Whether the pattern ends with an escape character that has nothing behind it. No text
    /// matches such a pattern.
    private let endsInEscape: Bool

    package init(_ text: String, escape: Unicode.Scalar? = nil) {
        self.text = text
        self.escape = escape
        var parts: [Part] = []
        var isEscaped = false
        // SQLite reads patterns and texts up to the first NUL.
        for scalar in text.unicodeScalars.prefix(while: { $0 != "\0" }) {
            if !isEscaped, scalar == escape {
                isEscaped = true
                continue
            }
            switch scalar {
            case "%" where !isEscaped: parts.append(.any)
            case "_" where !isEscaped: parts.append(.one)
            default: parts += UTF8.encode(scalar)!.map { .byte($0) }
            }
            isEscaped = false
        }
        self.parts = parts
        endsInEscape = isEscaped
    }

    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        guard !endsInEscape else { return false }
        let count = text.firstIndex(of: 0) ?? text.count
        var (place, next) = (0, 0)
        // The place behind the last `%`, and the place in the text up to which it reaches.
        var retry: (pattern: Int, text: Int)?
        while place < count {
            switch next < parts.count ? parts[next] : nil {
            case .any:
                next += 1
                retry = (next, place)
                continue
            case .one:
                next += 1
                place = Self.end(ofCharacterAt: place, text, count)
                continue
            case .byte(let byte) where ASCII.lowercased(byte) == ASCII.lowercased(text[place]):
                next += 1
                place += 1
                continue
            case .byte, nil: break
            }
            guard let last = retry else { return false }
            // The last `%` takes one character more.
            let reached = Self.end(ofCharacterAt: last.text, text, count)
            retry = (last.pattern, reached)
            (next, place) = (last.pattern, reached)
        }
        return parts[next...].allSatisfy { if case .any = $0 { true } else { false } }
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
