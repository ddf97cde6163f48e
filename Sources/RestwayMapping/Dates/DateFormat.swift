/// How dates are written in a payload, compiled once: `iso8601`, `epoch`, `epochMilliseconds`, or a
/// pattern of Unicode TR 35 (`yyyy-MM-dd`).
///
/// Dates are microseconds since 1970-01-01T00:00:00Z; text without a zone is UTC. Years are 0 to
/// 9999.
package struct DateFormat: Sendable, Equatable {
    enum Kind: Equatable, Sendable {
        case iso8601
        case epoch(unitMicroseconds: Int64)
        case pattern(DatePattern)
    }

    /// The text of the format in the API document.
    package let text: String
    let kind: Kind

    package static let iso8601 = DateFormat()

    /// The dates that can be read and written: the years 0 to 9999, in any time zone up to 23 hours
    /// west of UTC.
    package static let dates = -62_167_219_200_000_000...(253_402_300_799_999_999 + 23 * hour)
    /// The dates of the years 1 to 9999 in UTC, which all languages can hold.
    package static let commonDates: ClosedRange<Int64> =
        -62_135_596_800_000_000...253_402_300_799_999_999
    /// The first date that is in the year 1 with an offset of whole hours.
    static let firstInSomeZone = commonDates.lowerBound - 23 * hour
    static let hour: Int64 = 3_600_000_000
    static let day = 24 * hour

    private init() {
        (text, kind) = ("iso8601", .iso8601)
    }

    package init(_ text: String) throws(DateFormatError) {
        self.text = text
        kind =
            switch text {
            case "iso8601": .iso8601
            case "epoch": .epoch(unitMicroseconds: 1_000_000)
            case "epochMilliseconds": .epoch(unitMicroseconds: 1_000)
            default: .pattern(try DatePattern(text))
            }
    }

    /// The date in `text`; nil if the whole text is not a date. Allocates no memory.
    package func parse(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        switch kind {
        case .iso8601: try? ISO8601.parse(text)
        case .epoch(let unit): Self.known(try? Self.parseNumber(text, unit))
        case .pattern(let pattern): Self.known(try? pattern.parse(text))
        }
    }

    /// The date, unless it is out of range.
    private static func known(_ date: Int64?) -> Int64? {
        date.flatMap { dates.contains($0) ? $0 : nil }
    }

    /// The date of a number; nil if it is out of range or this format has no numbers.
    package func date(_ number: Int64) -> Int64? {
        guard case .epoch(let unit) = kind else { return nil }
        let (product, overflows) = number.multipliedReportingOverflow(by: unit)
        return overflows ? nil : Self.known(product)
    }

    /// The date of a number with a fraction; nil in the same cases.
    package func date(_ number: Double) -> Int64? {
        guard case .epoch(let unit) = kind else { return nil }
        return Self.known(Int64(exactly: (number * Double(unit)).rounded()))
    }

    /// Whether the format can write a date. A pattern writes UTC, and years of four digits.
    func holds(_ date: Int64) -> Bool {
        if case .pattern = kind { date <= Self.commonDates.upperBound } else { true }
    }

    /// The text of a date, in UTC.
    package func format(_ microseconds: Int64) -> String {
        switch kind {
        case .iso8601:
            return ISO8601.format(microseconds)
        case .pattern(let pattern):
            return pattern.format(microseconds)
        case .epoch(let unit):
            let rest = microseconds % unit
            let sign = microseconds < 0 ? "-" : ""
            let whole = sign + String((microseconds / unit).magnitude)
            guard rest != 0 else { return whole }
            var fraction = String((unit + Int64(rest.magnitude))).dropFirst()
            while fraction.last == "0" { fraction.removeLast() }
            return whole + "." + fraction
        }
    }

    /// Reads a number that came as a string: digits with an optional sign and fraction.
    private static func parseNumber(
        _ text: UnsafeBufferPointer<UInt8>, _ unit: Int64
    ) throws(NotADate) -> Int64 {
        var scanner = DateScanner(text)
        let isNegative = scanner.accept(UInt8(ascii: "-"))
        let whole = try scanner.digits(atLeast: 1, atMost: 17)
        var fraction = 0
        if scanner.accept(UInt8(ascii: ".")) {
            fraction = try scanner.microseconds(atLeast: 1, atMost: .max)
        }
        try scanner.expectEnd()
        let (product, overflows) = Int64(whole).multipliedReportingOverflow(by: unit)
        let part = Int64(fraction) * unit / 1_000_000
        let (sum, isTooLarge) = product.addingReportingOverflow(part)
        guard !overflows, !isTooLarge else { throw NotADate() }
        return isNegative ? -sum : sum
    }
}

/// Why a text is not a date format.
package enum DateFormatError: Error, Equatable, Sendable {
    case unknownLetter(String)
    case unsupportedWidth(String)
    case unterminatedQuote
    case noField

    package var message: String {
        switch self {
        case .unknownLetter(let letter): "\"\(letter)\" is not a field of a date pattern"
        case .unsupportedWidth(let field): "\"\(field)\" is not supported in a date pattern"
        case .unterminatedQuote: "a quote of the date pattern has no end"
        case .noField: "the date pattern has no field"
        }
    }
}
