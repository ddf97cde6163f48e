/// Reads dates.
extension DatePattern {
    /// Reads all of `text`, strictly: a weekday must match its date.
    func parse(_ text: UnsafeBufferPointer<UInt8>) throws(NotADate) -> Int64 {
        var reading = Reading(text)
        for field in fields { try reading.read(field) }
        return try reading.finish()
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

    /// A text that is being read, and its fields so far.
    private struct Reading {
        private var scanner: DateScanner
        private var time = CivilTime()
        private var halfDayHour: Int?
        private var isAfternoon = false
        private var weekday: Int?
        private var offsetSeconds = 0

        init(_ text: UnsafeBufferPointer<UInt8>) {
            scanner = DateScanner(text)
        }

        /// The date, after all fields have been read.
        mutating func finish() throws(NotADate) -> Int64 {
            try scanner.expectEnd()
            if let halfDayHour { time.hour = halfDayHour + (isAfternoon ? 12 : 0) }
            guard let result = time.microseconds(offsetSeconds: offsetSeconds),
                weekday == nil || weekday == time.weekday
            else { throw NotADate() }
            return result
        }

        mutating func read(_ field: Field) throws(NotADate) {
            switch field {
            case .literal(let byte):
                try scanner.expect(byte)
            case .yearOfCentury:
                let year = try scanner.digits(2)
                time.year = year + (year >= 69 ? 1_900 : 2_000)
            case .number(let part, let least, let most):
                let number = try scanner.digits(atLeast: least, atMost: most)
                guard part.bounds.contains(number) else { throw NotADate() }
                set(part, number)
            case .fraction(let digits):
                time.microsecond = try scanner.microseconds(atLeast: digits, atMost: digits)
            case .monthName(let isFull):
                time.month = try scanner.name(months, isFull: isFull) + 1
            case .weekdayName(let isFull):
                weekday = try scanner.name(weekdays, isFull: isFull)
            case .halfOfDay:
                isAfternoon = scanner.accept(word: "pm")
                guard isAfternoon || scanner.accept(word: "am") else { throw NotADate() }
            case .offset(let form, let hasZulu):
                if hasZulu, scanner.accept(UInt8(ascii: "Z"), or: UInt8(ascii: "z")) { return }
                offsetSeconds = try scanner.offset(form)
            case .zoneName:
                guard
                    scanner.accept(word: "GMT") || scanner.accept(word: "UTC")
                        || scanner.accept(word: "Z")
                else { throw NotADate() }
                if scanner.next == UInt8(ascii: "+") || scanner.next == UInt8(ascii: "-") {
                    offsetSeconds = try scanner.offset(.any)
                }
            }
        }

        private mutating func set(_ part: Part, _ number: Int) {
            switch part {
            case .year: time.year = number
            case .month: time.month = number
            case .day: time.day = number
            case .hour: time.hour = number
            case .hourFrom1: time.hour = number % 24
            case .halfDayHour: halfDayHour = number
            case .halfDayHourFrom1: halfDayHour = number % 12
            case .minute: time.minute = number
            case .second: time.second = number
            }
        }
    }
}
