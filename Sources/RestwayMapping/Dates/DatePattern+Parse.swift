/// Reads dates.
extension DatePattern {
    /// The fields that have been read so far.
    private struct Reading {
        var time = CivilTime()
        var halfDayHour: Int?
        var isAfternoon = false
        var weekday: Int?
        var offsetSeconds = 0
    }

    /// Reads all of `text`, strictly: a weekday must match its date.
    func parse(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        var scanner = DateScanner(text)
        var reading = Reading()
        for field in fields {
            guard Self.read(field, &scanner, &reading) else { return nil }
        }
        guard scanner.isAtEnd else { return nil }
        if let hour = reading.halfDayHour {
            reading.time.hour = hour + (reading.isAfternoon ? 12 : 0)
        }
        guard let result = reading.time.microseconds(offsetSeconds: reading.offsetSeconds) else {
            return nil
        }
        if let weekday = reading.weekday, weekday != reading.time.weekday { return nil }
        return result
    }

    /// Reads a text of `yyyy-MM-dd`, by far the most common pattern.
    static func day(_ text: UnsafeRawBufferPointer) -> Int64? {
        guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            let century = twoDigits(text, 0), let year = twoDigits(text, 2),
            let month = twoDigits(text, 5), let day = twoDigits(text, 8)
        else { return nil }
        return CivilTime(year: century * 100 + year, month: month, day: day)
            .microseconds(offsetSeconds: 0)
    }

    @inline(__always)
    private static func twoDigits(_ text: UnsafeRawBufferPointer, _ index: Int) -> Int? {
        let first = Int(text[index]) - 0x30
        let second = Int(text[index + 1]) - 0x30
        guard (0...9).contains(first), (0...9).contains(second) else { return nil }
        return first * 10 + second
    }

    private static func read(
        _ field: Field, _ scanner: inout DateScanner, _ reading: inout Reading
    ) -> Bool {
        switch field {
        case .literal(let byte):
            return scanner.accept(byte)
        case .year(let least, let most):
            guard let year = scanner.digits(atLeast: least, atMost: most) else { return false }
            reading.time.year = year
        case .yearOfCentury:
            guard let year = scanner.digits(2) else { return false }
            reading.time.year = year + (year >= 69 ? 1_900 : 2_000)
        case .number(let part, let least, let most):
            guard let number = scanner.digits(atLeast: least, atMost: most),
                part.bounds.contains(number)
            else { return false }
            set(part, number, &reading)
        case .fraction(let digits):
            guard let fraction = scanner.microseconds(atLeast: digits, atMost: digits) else {
                return false
            }
            reading.time.microsecond = fraction
        case .monthName(let isFull):
            guard let month = DateNames.month(&scanner, isFull) else { return false }
            reading.time.month = month
        case .weekdayName(let isFull):
            guard let weekday = DateNames.weekday(&scanner, isFull) else { return false }
            reading.weekday = weekday
        case .halfOfDay:
            reading.isAfternoon = scanner.accept(word: "pm")
            return reading.isAfternoon || scanner.accept(word: "am")
        case .offset(let offset):
            return read(offset, &scanner, &reading)
        case .zoneName:
            return readZoneName(&scanner, &reading)
        }
        return true
    }

    private static func set(_ part: Part, _ number: Int, _ reading: inout Reading) {
        switch part {
        case .month: reading.time.month = number
        case .day: reading.time.day = number
        case .hour: reading.time.hour = number
        case .hourFrom1: reading.time.hour = number % 24
        case .halfDayHour: reading.halfDayHour = number
        case .halfDayHourFrom1: reading.halfDayHour = number % 12
        case .minute: reading.time.minute = number
        case .second: reading.time.second = number
        }
    }

    private static func read(
        _ offset: Offset, _ scanner: inout DateScanner, _ reading: inout Reading
    ) -> Bool {
        if offset.hasZulu, scanner.accept(UInt8(ascii: "Z"), or: UInt8(ascii: "z")) { return true }
        if offset.hasPrefix { return readZoneName(&scanner, &reading) }
        let seconds = scanner.offset(
            hoursOnly: offset.hoursOnly, basic: offset.basic, extended: offset.extended)
        reading.offsetSeconds = seconds ?? 0
        return seconds != nil
    }

    private static func readZoneName(
        _ scanner: inout DateScanner, _ reading: inout Reading
    ) -> Bool {
        guard
            scanner.accept(word: "GMT") || scanner.accept(word: "UTC") || scanner.accept(word: "Z")
        else { return false }
        guard scanner.next == UInt8(ascii: "+") || scanner.next == UInt8(ascii: "-") else {
            return true
        }
        let seconds = scanner.offset(hoursOnly: true, basic: true, extended: true)
        reading.offsetSeconds = seconds ?? 0
        return seconds != nil
    }
}
