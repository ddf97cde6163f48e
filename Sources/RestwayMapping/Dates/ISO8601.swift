/// Reads and writes calendar dates of ISO 8601, with or without a time. This includes RFC 3339.
///
/// Examples are `2024-02-29`, `20240229`, `2024-02-29T13:45:10.25+01:00` and `20240229T134510Z`. A
/// time may stop after the hours or minutes, may follow a space, and is UTC if it names no zone.
/// 24:00 is the end of its day.
enum ISO8601 {
    static func parse(_ text: UnsafeBufferPointer<UInt8>) throws(NotADate) -> Int64 {
        var scanner = DateScanner(text)
        var time = try date(&scanner)
        var offsetSeconds = 0
        if !scanner.isAtEnd {
            let isBehindSpace = scanner.accept(UInt8(ascii: " "))
            guard isBehindSpace || scanner.accept(UInt8(ascii: "T"), or: UInt8(ascii: "t")) else {
                throw NotADate()
            }
            try readTime(&scanner, &time)
            if !scanner.isAtEnd {
                if isBehindSpace { _ = scanner.accept(UInt8(ascii: " ")) }
                let isUTC = scanner.accept(UInt8(ascii: "Z"), or: UInt8(ascii: "z"))
                if !isUTC { offsetSeconds = try scanner.offset(.any) }
                try scanner.expectEnd()
            }
        }
        if time.hour == 24, time.minute == 0, time.second == 0, time.microsecond == 0 {
            time.hour = 0
            offsetSeconds -= 86_400
        }
        guard let microseconds = time.microseconds(offsetSeconds: offsetSeconds) else {
            throw NotADate()
        }
        guard DateFormat.dates.contains(microseconds) else { throw NotADate() }
        return microseconds
    }

    /// Writes `2024-02-29T13:45:10Z`, with a fraction if it is not zero.
    ///
    /// A date that is within a day of the years 1 to 9999 in UTC is written with an offset, so that
    /// its year has four digits and is one that other languages know: `9999-12-31T23:59:59-05:00`.
    static func format(_ microseconds: Int64) -> String {
        let hours = offsetHours(microseconds)
        let time = CivilTime(microseconds: microseconds + Int64(hours) * DateFormat.hour)
        var text = DateText()
        text.number(time.year, width: 4)
        let others = [
            ("-", time.month), ("-", time.day), ("T", time.hour), (":", time.minute),
            (":", time.second),
        ]
        for (separator, number) in others {
            text.text(separator)
            text.number(number, width: 2)
        }
        if time.microsecond != 0 {
            text.text(".")
            text.fraction(time.microsecond, digits: time.microsecond % 1_000 == 0 ? 3 : 6)
        }
        if hours == 0 {
            text.text("Z")
        } else {
            text.text(hours < 0 ? "-" : "+")
            text.number(abs(hours), width: 2)
            text.text(":00")
        }
        return text.string
    }

    /// Returns the offset in hours with which a date is in the years 1 to 9999; 0 for dates that
    /// are in them in UTC, and for dates that no offset leads there.
    private static func offsetHours(_ microseconds: Int64) -> Int {
        let (first, last) = (DateFormat.commonDates.lowerBound, DateFormat.commonDates.upperBound)
        guard !DateFormat.commonDates.contains(microseconds) else { return 0 }
        guard microseconds > first - DateFormat.day, microseconds < last + DateFormat.day else {
            return 0
        }
        let distance = microseconds < first ? first - microseconds : microseconds - last
        let hours = Int((distance + DateFormat.hour - 1) / DateFormat.hour)
        guard hours < 24 else { return 0 }
        return microseconds < first ? hours : -hours
    }

    private static func date(_ scanner: inout DateScanner) throws(NotADate) -> CivilTime {
        let year = try scanner.digits(4)
        let isExtended = scanner.accept(UInt8(ascii: "-"))
        let month = try scanner.digits(2)
        if isExtended { try scanner.expect(UInt8(ascii: "-")) }
        return CivilTime(year: year, month: month, day: try scanner.digits(2))
    }

    private static func readTime(
        _ scanner: inout DateScanner, _ time: inout CivilTime
    ) throws(NotADate) {
        time.hour = try scanner.digits(2)
        let isExtended = scanner.accept(UInt8(ascii: ":"))
        guard isExtended || scanner.nextDigit != nil else { return }
        time.minute = try scanner.digits(2)
        guard isExtended ? scanner.accept(UInt8(ascii: ":")) : scanner.nextDigit != nil else {
            return
        }
        time.second = try scanner.digits(2)
        guard scanner.accept(UInt8(ascii: "."), or: UInt8(ascii: ",")) else { return }
        time.microsecond = try scanner.microseconds(atLeast: 1, atMost: .max)
    }
}
