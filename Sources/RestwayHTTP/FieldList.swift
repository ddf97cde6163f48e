import RestwayText

/// Header fields whose value is a list (RFC 9110, section 5.6.1).
package enum FieldList {
    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")

    /// The members of a list, without white space around them. A comma in a quoted string separates
    /// nothing. A quotation mark that is never closed is an ordinary character: it must not hide
    /// the members behind it.
    package static func members(_ text: String) -> [Substring] {
        let utf8 = text.utf8
        // Most lists have one member.
        let isList = utf8.withContiguousStorageIfAvailable { $0.contains(comma) } ?? true
        guard isList else { return [Headers.trimmed(text[...])] }
        var members: [Substring] = []
        var start = utf8.startIndex
        var index = start
        while index < utf8.endIndex {
            if utf8[index] == comma {
                members.append(Headers.trimmed(text[start..<index]))
                start = utf8.index(after: index)
            } else if utf8[index] == quote, let end = closingQuote(utf8, index) {
                index = end
            }
            index = utf8.index(after: index)
        }
        members.append(Headers.trimmed(text[start...]))
        return members
    }

    /// The names in a list, in lower case, without empty members.
    package static func names(_ text: String) -> [String] {
        members(text).filter { !$0.isEmpty }.map { ASCII.lowercased(String($0)) }
    }

    /// The content of a quoted string; any other text as it is.
    package static func unquoted(_ text: Substring) -> String {
        let utf8 = text.utf8
        guard utf8.count >= 2, utf8.first == quote, utf8.last == quote else { return String(text) }
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in utf8.dropFirst().dropLast() {
            if byte == UInt8(ascii: "\\"), !isEscaped {
                isEscaped = true
            } else {
                bytes.append(byte)
                isEscaped = false
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func closingQuote(
        _ utf8: String.UTF8View, _ opening: String.Index
    ) -> String.Index? {
        var index = utf8.index(after: opening)
        while index < utf8.endIndex {
            if utf8[index] == quote { return index }
            if utf8[index] == UInt8(ascii: "\\") {
                index = utf8.index(after: index)
                if index == utf8.endIndex { return nil }
            }
            index = utf8.index(after: index)
        }
        return nil
    }
}
