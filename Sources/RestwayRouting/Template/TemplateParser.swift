import RestwayText

/// Parses a path template in one pass.
struct TemplateParser {
    private let text: String
    private let bytes: [UInt8]
    private var position = 0
    private var parts: [TemplatePart] = []
    private var literal: [UInt8] = []
    private var isAtSegmentStart = true
    private var isInPath = true

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    static func parse(_ text: String) throws(RoutingError) -> [TemplatePart] {
        var parser = TemplateParser(text)
        return try parser.parse()
    }

    private mutating func parse() throws(RoutingError) -> [TemplatePart] {
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "{"):
                try parseExpression()
            case UInt8(ascii: "}"):
                throw failure("\"}\" without \"{\"; write \\} for the character")
            case UInt8(ascii: "\\"):
                try parseEscape()
            case ASCII.colon where isAtSegmentStart && isInPath:
                try parseColonVariable()
            case _ where ASCII.isControl(byte):
                throw failure("a control character")
            default:
                literal.append(byte)
                position += 1
                isAtSegmentStart = byte == ASCII.slash
                if ASCII.endsPath(byte) { isInPath = false }
            }
        }
        endLiteral()
        return parts
    }

    private mutating func parseEscape() throws(RoutingError) {
        let escapable: [UInt8] = [
            ASCII.dot, ASCII.colon, UInt8(ascii: "@"), UInt8(ascii: "{"), UInt8(ascii: "}"),
            UInt8(ascii: "\\"),
        ]
        guard position + 1 < bytes.count, escapable.contains(bytes[position + 1]) else {
            throw failure("\"\\\" stands only before . : @ { } \\")
        }
        literal.append(bytes[position + 1])
        position += 2
        isAtSegmentStart = false
    }

    private mutating func parseColonVariable() throws(RoutingError) {
        position += 1
        let name = try parseName(orElse: "a name must follow \":\"; write \\: for the character")
        endLiteral()
        parts.append(.variable(name))
        isAtSegmentStart = false
    }

    /// Parses an expression (RFC 6570, section 2.2).
    private mutating func parseExpression() throws(RoutingError) {
        let start = position
        position += 1
        guard let byte = peek() else { throw failure("\"{\" without \"}\"", at: start) }
        if Array("=,!@|".utf8).contains(byte) { throw failure("a reserved operator") }
        let kind = TemplateExpression.Operator(rawValue: byte)
        if kind != nil { position += 1 }
        var variables: [TemplateExpression.Variable] = []
        repeat {
            if !variables.isEmpty { position += 1 }
            let name = try parseName(orElse: "a variable's name is expected")
            variables.append(.init(name: name, modifier: try parseModifier()))
        } while peek() == UInt8(ascii: ",")
        guard let end = peek() else { throw failure("\"{\" without \"}\"", at: start) }
        guard end == UInt8(ascii: "}") else { throw failure("\",\" or \"}\" is expected") }
        position += 1
        endLiteral()
        let expression = TemplateExpression(kind: kind, variables: variables)
        parts.append(.expression(expression))
        isAtSegmentStart = false
        if expression.endsPath { isInPath = false }
    }

    /// Parses a modifier (RFC 6570, section 2.4). A prefix is from 1 to 9999.
    private mutating func parseModifier() throws(RoutingError) -> TemplateExpression.Modifier {
        switch peek() {
        case UInt8(ascii: "*"):
            position += 1
            return .explode
        case ASCII.colon:
            let start = position
            position += 1
            var length = 0
            while let byte = peek(), ASCII.isDigit(byte), position - start <= 4 {
                length = length * 10 + Int(byte - UInt8(ascii: "0"))
                position += 1
            }
            guard length > 0, bytes[start + 1] != UInt8(ascii: "0") else {
                throw failure("a prefix is a number from 1 to 9999", at: start)
            }
            return .prefix(length)
        default:
            return .none
        }
    }

    /// Parses a name, or several names joined by dots.
    private mutating func parseName(orElse reason: String) throws(RoutingError) -> String {
        let start = position
        guard startsName(at: position) else { throw failure(reason) }
        while let byte = peek() {
            if byte == ASCII.dot {
                guard startsName(at: position + 1) else {
                    throw failure("a name must follow \".\"; write \\. for the character")
                }
            } else if !ASCII.isAlphanumeric(byte) && byte != UInt8(ascii: "_") {
                break
            }
            position += 1
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private func startsName(at index: Int) -> Bool {
        guard index < bytes.count else { return false }
        return ASCII.isLetter(bytes[index]) || bytes[index] == UInt8(ascii: "_")
    }

    private mutating func endLiteral() {
        if literal.isEmpty { return }
        parts.append(.literal(literal))
        literal = []
    }

    private func peek() -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private func failure(_ reason: String, at offset: Int? = nil) -> RoutingError {
        .invalidTemplate(text: text, position: offset ?? position, reason: reason)
    }
}

/// A piece of a path template.
enum TemplatePart: Equatable, Sendable {
    /// Literal text, with escapes resolved.
    case literal([UInt8])
    /// A variable `:name`.
    case variable(String)
    /// An expression `{...}`.
    case expression(TemplateExpression)

    var variableNames: [String] {
        switch self {
        case .literal: []
        case .variable(let name): [name]
        case .expression(let expression): expression.variables.map(\.name)
        }
    }
}
