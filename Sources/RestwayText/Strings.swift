extension String {
    /// The text with its control characters escaped, for messages and the log.
    ///
    /// Messages quote text from outside: methods, paths, header names, texts of a server or a
    /// plugin. A line break in such a text could forge a line of a log, and an escape character
    /// could command the terminal that shows the log. Line breaks and tabs become `\n`, `\r` and
    /// `\t`, other characters `\u001b`. Besides controls (C0, DEL, C1), this escapes the separators
    /// of lines and paragraphs (U+2028, U+2029), and the characters that change the direction of
    /// text (U+202A to U+202E, U+2066 to U+2069).
    ///
    /// A backslash stays as it is, so escaping a text twice changes nothing more.
    package var escapingControls: String {
        if hasPrintableASCIIOnly { return self }
        guard unicodeScalars.contains(where: Self.isControl) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where Self.isControl(scalar):
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// Whether the text has only characters from U+0020 to U+007E, as most texts have. Looking at
    /// bytes takes less time than looking at characters.
    private var hasPrintableASCIIOnly: Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        } ?? false
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
