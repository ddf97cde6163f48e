import RestwayText

/// A compiled pattern of Unicode TR 35, for example `dd/MM/yyyy HH:mm:ss`.
///
/// Names are English. A field of two or more letters has exactly as many digits; a field of a
/// single letter has as many digits as it needs. Fields that the pattern leaves out have their
/// value at 1970-01-01T00:00:00Z.
struct DatePattern: Equatable, Sendable {
    enum Field: Equatable, Sendable {
        case literal(UInt8)
        /// The numbers 69 to 99 mean the twentieth century, others the twenty-first (as in POSIX).
        case yearOfCentury
        case number(Part, least: Int, most: Int)
        case fraction(digits: Int)
        case monthName(isFull: Bool)
        case weekdayName(isFull: Bool)
        case halfOfDay
        /// The offset from UTC; `hasZulu` allows the letter Z in its place.
        case offset(DateScanner.OffsetForm, hasZulu: Bool)
        /// Zone names: "GMT", "UTC", or "GMT" with an offset.
        case zoneName
    }

    enum Part: Equatable, Sendable {
        case year, month, day
        /// Hours: 0 to 23, 1 to 24, 0 to 11, 1 to 12.
        case hour, hourFrom1, halfDayHour, halfDayHourFrom1
        case minute, second

        /// The numbers that the field may have.
        var bounds: ClosedRange<Int> {
            switch self {
            case .year: 0...9_999
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

    static let months: [StaticString] = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]
    static let weekdays: [StaticString] = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]

    private(set) var fields: [Field] = []
    /// Whether the pattern is `yyyy-MM-dd`, which `day` reads.
    let isDay: Bool

    init(_ text: String) throws(DateFormatError) {
        isDay = text == "yyyy-MM-dd"
        var rest = Array(text.utf8)[...]
        var hasField = false
        while let byte = rest.popFirst() {
            if byte == Self.quote {
                try readQuote(&rest)
            } else if ASCII.isLetter(byte) {
                let count = rest.prefix { $0 == byte }.count
                rest.removeFirst(count)
                fields.append(try Self.field(byte, count: count + 1))
                hasField = true
            } else {
                fields.append(.literal(byte))
            }
        }
        guard hasField else { throw .noField }
        separateNumbers()
    }

    private static let quote = UInt8(ascii: "'")

    /// Reads the text after a quote, up to the quote that ends it. Two quotes stand for one quote.
    private mutating func readQuote(_ rest: inout ArraySlice<UInt8>) throws(DateFormatError) {
        if rest.first == Self.quote {
            fields.append(.literal(rest.removeFirst()))
            return
        }
        while let byte = rest.popFirst() {
            if byte == Self.quote {
                guard rest.first == Self.quote else { return }
                rest.removeFirst()
            }
            fields.append(.literal(byte))
        }
        throw .unterminatedQuote
    }

    /// Limits the digits of a field that precedes another number to its own width. A pattern like
    /// `yMd` has nothing between its numbers.
    private mutating func separateNumbers() {
        for index in fields.indices.dropLast() {
            guard case .number(let part, let least, _) = fields[index] else { continue }
            switch fields[index + 1] {
            case .yearOfCentury, .number, .fraction:
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
            case "M" where count > 2, "L" where count > 2:
                count <= 4 ? .monthName(isFull: count == 4) : nil
            case "M", "L": number(.month, count)
            case "d": number(.day, count)
            case "H": number(.hour, count)
            case "k": number(.hourFrom1, count)
            case "K": number(.halfDayHour, count)
            case "h": number(.halfDayHourFrom1, count)
            case "m": number(.minute, count)
            case "s": number(.second, count)
            case "S": count <= 9 ? .fraction(digits: count) : nil
            case "E": count <= 4 ? .weekdayName(isFull: count == 4) : nil
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
        if count == 2 { return .yearOfCentury }
        return count <= 4 ? .number(.year, least: count, most: 4) : nil
    }

    private static func number(_ part: Part, _ count: Int) -> Field? {
        count <= 2 ? .number(part, least: count, most: 2) : nil
    }

    private static func zone(_ count: Int) -> Field? {
        switch count {
        case 1...3: .offset(.basic, hasZulu: false)
        case 4: .zoneName
        case 5: .offset(.extended, hasZulu: true)
        default: nil
        }
    }

    private static func offset(_ count: Int, hasZulu: Bool) -> Field? {
        switch count {
        case 1: .offset(.hours, hasZulu: hasZulu)
        case 2, 4: .offset(.basic, hasZulu: hasZulu)
        case 3, 5: .offset(.extended, hasZulu: hasZulu)
        default: nil
        }
    }
}
