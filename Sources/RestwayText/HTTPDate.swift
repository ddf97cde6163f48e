/// The dates of HTTP's header fields (RFC 9110, section 5.6.7).
package enum HTTPDate {
    private static let weekdays: [StaticString] = [
        "sun", "mon", "tue", "wed", "thu", "fri", "sat",
    ]
    /// The rest of the names of weekdays in the form of RFC 850.
    private static let weekdayEnds: [StaticString] = [
        "day", "day", "sday", "nesday", "rsday", "day", "urday",
    ]
    private static let months: [StaticString] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Reads a date in one of the three forms; `nil` for anything else. Case does not matter. The
    /// weekday must be the name of a day, but it need not be the right one.
    ///
    /// - Parameter now: Seconds since 1970. A year of two digits that seems to be more than 50
    ///   years in the future is in the past.
    /// - Returns: Seconds since 1970.
    package static func seconds(_ text: String, now: Int64) -> Int64? {
        var text = text
        return text.withUTF8 { seconds($0, now: now) }
    }

    private static func seconds(_ text: UnsafeBufferPointer<UInt8>, now: Int64) -> Int64? {
        var scanner = Scanner(rest: text[...])
        guard let weekday = scanner.name(of: weekdays) else { return nil }
        if scanner.take(",") { return scanner.fixedDate() }
        if scanner.take(" ") { return scanner.ansiDate() }
        guard scanner.take(weekdayEnds[weekday]), scanner.take(",") else { return nil }
        return scanner.rfc850Date(now: now)
    }

    /// Days from 1970-01-01 to a day of the Gregorian calendar. Years begin in March here, so that
    /// the leap day is the last day of its year.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }

    private struct Scanner {
        var rest: Slice<UnsafeBufferPointer<UInt8>>

        /// "Sun, 06 Nov 1994 08:49:37 GMT", from the first space on.
        mutating func fixedDate() -> Int64? {
            guard take(" "), let day = number(2), take(" "), let month = month(), take(" "),
                let year = number(4), take(" "), let time = time(), take(" gmt"), rest.isEmpty
            else { return nil }
            return Self.seconds(year, month, day, time)
        }

        /// "Sunday, 06-Nov-94 08:49:37 GMT", from the first space on.
        mutating func rfc850Date(now: Int64) -> Int64? {
            guard take(" "), let day = number(2), take("-"), let month = month(), take("-"),
                let year = number(2), take(" "), let time = time(), take(" gmt"), rest.isEmpty
            else { return nil }
            let secondsOfYear: Int64 = 31_556_952
            let century = (1_970 + now / secondsOfYear) / 100 * 100
            guard let date = Self.seconds(century + year, month, day, time) else { return nil }
            if date <= now + 50 * secondsOfYear { return date }
            return Self.seconds(century - 100 + year, month, day, time)
        }

        /// "Sun Nov  6 08:49:37 1994", from the month on.
        mutating func ansiDate() -> Int64? {
            guard let month = month(), take(" "), let day = take(" ") ? number(1) : number(2),
                take(" "), let time = time(), take(" "), let year = number(4), rest.isEmpty
            else { return nil }
            return Self.seconds(year, month, day, time)
        }

        /// Takes `text`, which is in lower case.
        mutating func take(_ text: StaticString) -> Bool {
            let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
            guard rest.count >= wanted.count else { return false }
            for (index, byte) in wanted.enumerated()
            where ASCII.lowercased(rest[rest.startIndex + index]) != byte {
                return false
            }
            rest = rest.dropFirst(wanted.count)
            return true
        }

        /// Takes one of several names, and returns its place among them.
        mutating func name(of names: [StaticString]) -> Int? {
            for (index, name) in names.enumerated() where take(name) { return index }
            return nil
        }

        private mutating func month() -> Int64? {
            name(of: HTTPDate.months).map { Int64($0) + 1 }
        }

        /// Takes this many digits.
        private mutating func number(_ count: Int) -> Int64? {
            guard rest.count >= count else { return nil }
            var value: Int64 = 0
            for _ in 0..<count {
                guard let digit = rest.popFirst(), ASCII.isDigit(digit) else { return nil }
                value = value * 10 + Int64(digit - UInt8(ascii: "0"))
            }
            return value
        }

        /// The seconds of a day. A leap second counts as the second that follows it.
        private mutating func time() -> Int64? {
            guard let hour = number(2), take(":"), let minute = number(2), take(":"),
                let second = number(2), hour < 24, minute < 60, second <= 60
            else { return nil }
            return hour * 3_600 + minute * 60 + second
        }

        /// Returns `nil` if there is no such day.
        private static func seconds(
            _ year: Int64, _ month: Int64, _ day: Int64, _ time: Int64
        ) -> Int64? {
            let first = HTTPDate.days(year, month, 1)
            let next =
                month < 12
                ? HTTPDate.days(year, month + 1, 1) : HTTPDate.days(year + 1, 1, 1)
            guard day >= 1, day <= next - first else { return nil }
            return (first + day - 1) * 86_400 + time
        }
    }
}
