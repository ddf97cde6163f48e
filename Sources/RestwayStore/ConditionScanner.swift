import RestwayObjects
import RestwayOutcome
import RestwayText

/// Splits the text of a condition into its words and signs.
struct ConditionScanner {
    enum Token: Equatable {
        case word(String)
        /// A name in quotation marks, which is never a word of the language.
        case quoted(String)
        case comparison(Query.Comparison)
        /// `?`, which stands for a value.
        case place
        case dot, open, close, end
    }

    private let bytes: [UInt8]
    private var position = 0
    /// The column at which the token begins that `next` returned last.
    private(set) var column = 1

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func next() throws(Failure) -> Token {
        while position < bytes.count, ASCII.isJSONSpace(bytes[position]) { position += 1 }
        column = Self.column(bytes[..<position])
        guard position < bytes.count else { return .end }
        let first = bytes[position]
        switch first {
        case ASCII.question: return single(.place)
        case ASCII.dot: return single(.dot)
        case UInt8(ascii: "("): return single(.open)
        case UInt8(ascii: ")"): return single(.close)
        case UInt8(ascii: "\""): return .quoted(try quotedName())
        case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "="), UInt8(ascii: "!"):
            return .comparison(try comparison())
        default: return .word(try word())
        }
    }

    /// Returns the number of the character that follows `bytes`, counted from 1.
    private static func column(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.count { $0 & 0xC0 != 0x80 } + 1
    }

    private mutating func single(_ token: Token) -> Token {
        position += 1
        return token
    }

    private mutating func word() throws(Failure) -> String {
        let start = position
        while position < bytes.count, Self.isOfWord(bytes[position]) { position += 1 }
        let first = bytes[start]
        guard position > start, !ASCII.isDigit(first) else {
            let sign = String(decoding: [first], as: UTF8.self)
            let isValue = ASCII.isDigit(first) || first == UInt8(ascii: "'")
            throw failure(
                isValue
                    ? "values do not stand in the text: write ? and pass the value"
                    : "\"\(sign)\" has no meaning here")
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    /// Reads a name in quotation marks, in which two quotation marks stand for one.
    private mutating func quotedName() throws(Failure) -> String {
        let quote = UInt8(ascii: "\"")
        var name: [UInt8] = []
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte != quote {
                name.append(byte)
            } else if position < bytes.count, bytes[position] == quote {
                name.append(quote)
                position += 1
            } else {
                return String(decoding: name, as: UTF8.self)
            }
        }
        throw failure("the quotation mark is never closed")
    }

    private mutating func comparison() throws(Failure) -> Query.Comparison {
        let start = position
        while position < bytes.count, position < start + 2, Self.isOfComparison(bytes[position]) {
            position += 1
        }
        let sign = String(decoding: bytes[start..<position], as: UTF8.self)
        switch sign {
        case "=", "==": return .equal
        case "!=", "<>": return .notEqual
        case "<": return .less
        case "<=": return .lessOrEqual
        case ">": return .greater
        case ">=": return .greaterOrEqual
        default: throw failure("\"\(sign)\" is no comparison")
        }
    }

    private static func isOfComparison(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "<")...UInt8(ascii: ">")).contains(byte) || byte == UInt8(ascii: "!")
    }

    /// Returns the failure for the token that begins at `column`.
    func failure(_ message: String) -> Failure {
        Failure(.invalidArgument, "condition, column \(column): \(message)", field: "condition")
    }
}

extension ConditionScanner.Token {
    /// The token as it stands in messages.
    var description: String {
        switch self {
        case .word(let word): "\"\(word)\""
        case .quoted(let name): "\"\(name)\""
        case .comparison: "a comparison"
        case .place: "?"
        case .dot: "a dot"
        case .open: "("
        case .close: ")"
        case .end: "the end"
        }
    }

    /// Whether it is this word of the language, in any case of letters.
    func isWord(_ word: String) -> Bool {
        if case .word(let own) = self { ASCII.areEqualIgnoringCase(own, word) } else { false }
    }
}
