import RestwayText

/// A compiled pattern of Unicode TR 35, for example `dd/MM/yyyy HH:mm:ss`.
///
/// Names are English. A field of two or more letters has exactly as many digits; a field of a
/// single letter has as many digits as it needs. Fields that the pattern leaves out have their
/// value at 1970-01-01T00:00:00Z.
struct DatePattern: Equatable, Sendable {
    enum Field: Equatable, Sendable {
        case literal(UInt8)
        case year(least: Int, most: Int)
        /// The numbers 69 to 99 mean the twentieth century, others the twenty-first (as in POSIX).
        case yearOfCentury
        case number(Part, least: Int, most: Int)
        case fraction(digits: Int)
        case monthName(isFull: Bool)
        case weekdayName(isFull: Bool)
        case halfOfDay
        case offset(Offset)
        /// Zone names: "GMT", "UTC", or "GMT" with an offset.
        case zoneName
    }

    enum Part: Equatable, Sendable {
        case month, day
        /// Hours: 0 to 23, 1 to 24, 0 to 11, 1 to 12.
        case hour, hourFrom1, halfDayHour, halfDayHourFrom1
        case minute, second

        /// The numbers that the field may have.
        var bounds: ClosedRange<Int> {
            switch self {
            case .month: 1...12
            case .day: 1...31
            case .hour: 0...23
            case .hourFrom1: 1...24
            case .halfDayHour: 0...11
            case .halfDayHourFrom1: 1...12
            case .minute: 0...59
            case .second: 0...60
            }
        }
    }

    struct Offset: Equatable, Sendable {
        var hasZulu: Bool
        var hoursOnly = false
        var basic = false
        var extended = false
        /// Whether the field has a prefix, as in `ZZZZ`: "GMT+01:00".
        var hasPrefix = false
    }

    private(set) var fields: [Field] = []
    /// Whether the pattern is `yyyy-MM-dd`, which `day` reads.
    let isDay: Bool

    init(_ text: String) throws(DateFormatError) {
        isDay = text == "yyyy-MM-dd"
        let bytes = Array(text.utf8)
        var index = 0
        var hasField = false
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "'") {
                try readQuote(bytes, &index)
            } else if ASCII.isLetter(byte) {
                var end = index
                while end < bytes.count, bytes[end] == byte { end += 1 }
                fields.append(try Self.field(byte, count: end - index))
                hasField = true
                index = end
            } else {
                fields.append(.literal(byte))
                index += 1
            }
        }
        guard hasField else { throw .noField }
        separateNumbers()
    }

    private mutating func readQuote(_ bytes: [UInt8], _ index: inout Int) throws(DateFormatError) {
        let quote = UInt8(ascii: "'")
        index += 1
        if index < bytes.count, bytes[index] == quote {
            fields.append(.literal(quote))
            index += 1
            return
        }
        while index < bytes.count {
            if bytes[index] == quote {
                guard index + 1 < bytes.count, bytes[index + 1] == quote else {
                    index += 1
                    return
                }
                index += 1
            }
            fields.append(.literal(bytes[index]))
            index += 1
        }
        throw .unterminatedQuote
    }

    /// Limits the digits of a field that precedes another number to its own width. A pattern like
    /// `yMd` has nothing between its numbers.
    private mutating func separateNumbers() {
        for index in fields.indices.dropLast() {
            let isBeforeNumber =
                switch fields[index + 1] {
                case .year, .yearOfCentury, .number, .fraction: true
                default: false
                }
            guard isBeforeNumber else { continue }
            switch fields[index] {
            case .year(let least, _):
                fields[index] = .year(least: least, most: least)
            case .number(let part, let least, _):
                fields[index] = .number(part, least: least, most: least)
            default:
                break
            }
        }
    }

    private static func field(_ letter: UInt8, count: Int) throws(DateFormatError) -> Field {
        let text = String(repeating: String(UnicodeScalar(letter)), count: count)
        let field: Field? =
            switch text.first {
            case "y": year(count)
            case "M", "L": count <= 2 ? number(.month, count) : name(count, Field.monthName)
            case "d": number(.day, count)
            case "H": number(.hour, count)
            case "k": number(.hourFrom1, count)
            case "K": number(.halfDayHour, count)
            case "h": number(.halfDayHourFrom1, count)
            case "m": number(.minute, count)
            case "s": number(.second, count)
            case "S": count <= 9 ? .fraction(digits: count) : nil
            case "E": count <= 3 ? .weekdayName(isFull: false) : name(count, Field.weekdayName)
            case "a": count <= 3 ? .halfOfDay : nil
            case "z": count <= 4 ? .zoneName : nil
            case "Z": zone(count)
            case "X", "x": offset(count, hasZulu: text.first == "X")
            default: throw .unknownLetter(String(text.prefix(1)))
            }
        guard let field else { throw .unsupportedWidth(text) }
        return field
    }

    private static func year(_ count: Int) -> Field? {
        switch count {
        case 1: .year(least: 1, most: 4)
        case 2: .yearOfCentury
        case 3, 4: .year(least: count, most: 4)
        default: nil
        }
    }

    private static func number(_ part: Part, _ count: Int) -> Field? {
        count <= 2 ? .number(part, least: count, most: 2) : nil
    }

    private static func name(_ count: Int, _ make: (Bool) -> Field) -> Field? {
        count == 3 || count == 4 ? make(count == 4) : nil
    }

    private static func zone(_ count: Int) -> Field? {
        switch count {
        case 1...3: .offset(Offset(hasZulu: false, basic: true))
        case 4: .offset(Offset(hasZulu: false, extended: true, hasPrefix: true))
        case 5: offset(3, hasZulu: true)
        default: nil
        }
    }

    private static func offset(_ count: Int, hasZulu: Bool) -> Field? {
        switch count {
        case 1: .offset(Offset(hasZulu: hasZulu, hoursOnly: true, basic: true))
        case 2, 4: .offset(Offset(hasZulu: hasZulu, basic: true))
        case 3, 5: .offset(Offset(hasZulu: hasZulu, extended: true))
        default: nil
        }
    }
}
