import RestwayText

/// The text of a full text search: words and phrases that all have to be in an object.
///
/// Parts between spaces and parts in quotation marks are phrases: their words have to follow each
/// other. A phrase with an asterisk behind it may end with the beginning of a word.
package struct WordPattern: Sendable {
    package struct Phrase: Sendable {
        /// The phrase as it was written, without quotation marks and without the asterisk.
        package let text: String
        package let isPrefix: Bool
        fileprivate let words: [Words.Word]

        fileprivate init?(_ scalars: [Unicode.Scalar], isPrefix: Bool) {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            self.text = String(text)
            self.isPrefix = isPrefix
            words = Words.of(self.text)
            if words.isEmpty { return nil }
        }

        fileprivate func stands(in text: [Words.Word]) -> Bool {
            guard let last = words.last else { return false }
            let firstWords = words.dropLast()
            return text.indices.dropLast(firstWords.count).contains { start in
                let end = start + firstWords.count
                return text[start..<end].elementsEqual(firstWords)
                    && (isPrefix ? text[end].starts(with: last) : text[end] == last)
            }
        }
    }

    package static let bytesMax = 10_000
    package static let phrasesMax = 64

    /// The phrases. Without a phrase, the pattern matches no object.
    package private(set) var phrases: [Phrase] = []

    package init(_ text: String) {
        var part: [Unicode.Scalar] = []
        var isQuoted = false
        var scalars = text.unicodeScalars.makeIterator()
        var next = scalars.next()
        while let scalar = next {
            next = scalars.next()
            if scalar == "\"" {
                add(part, isPrefix: (isQuoted ? next : part.last) == "*")
                part = []
                isQuoted.toggle()
            } else if scalar.value <= 0x20, !isQuoted {
                add(part, isPrefix: part.last == "*")
                part = []
            } else {
                // SQLite would read the text only up to a NUL.
                part.append(scalar == "\0" ? " " : scalar)
            }
        }
        add(part, isPrefix: part.last == "*")
    }

    private mutating func add(_ part: [Unicode.Scalar], isPrefix: Bool) {
        if let phrase = Phrase(part, isPrefix: isPrefix) { phrases.append(phrase) }
    }

    /// Returns whether each phrase stands in one of the texts of the object in which a full text
    /// search looks.
    func matches(_ object: Snapshot) -> Bool {
        let texts = object.entity.fullText.map { attribute in
            let cell = object.cell(at: attribute)
            guard CellOrder.isText(cell) else { return [Words.Word]() }
            return Words.of(String(decoding: cell.text, as: UTF8.self))
        }
        return !phrases.isEmpty
            && phrases.allSatisfy { phrase in texts.contains { phrase.stands(in: $0) } }
    }
}

/// Divides texts into words as the tokenizer `unicode61` of SQLite does, without its removal of
/// diacritics.
enum Words {
    /// The UTF-8 of a word in lower case. Strings would be equal if they are written differently.
    typealias Word = [UInt8]

    static func of(_ text: String) -> [Word] {
        var words: [Word] = []
        var word: Word = []
        for scalar in text.unicodeScalars {
            if isOfWord(scalar) {
                word += UTF8.encode(folded(scalar))!
            } else if !word.isEmpty {
                words.append(word)
                word = []
            }
        }
        return word.isEmpty ? words : words + [word]
    }

    private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return ASCII.isAlphanumeric(UInt8(scalar.value)) }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber, .otherNumber, .privateUse, .unassigned:
            return true
        default: return false
        }
    }

    private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        if scalar.isASCII { return Unicode.Scalar(ASCII.lowercased(UInt8(scalar.value))) }
        switch scalar {
        // Three letters are another form of a lower case letter.
        case "\u{B5}": return "\u{3BC}"
        case "\u{17F}": return "s"
        case "\u{3C2}": return "\u{3C3}"
        default: break
        }
        let lower = scalar.properties.lowercaseMapping.unicodeScalars
        return lower.count == 1 ? lower.first! : scalar
    }
}
