/// A date and a time of day in the proleptic Gregorian calendar, without a zone.
struct CivilTime: Equatable {
    var year = 1970
    var month = 1
    var day = 1
    var hour = 0
    var minute = 0
    /// The second, up to 60. A leap second counts as the second that follows it.
    var second = 0
    var microsecond = 0

    /// Microseconds since 1970-01-01T00:00:00Z, if this is the time `offsetSeconds` east of UTC;
    /// nil if the date or time does not exist.
    @inline(__always)
    func microseconds(offsetSeconds: Int) -> Int64? {
        guard isValid else { return nil }
        let seconds = daysSinceEpoch * 86_400 + hour * 3_600 + minute * 60 + second - offsetSeconds
        return Int64(seconds) * 1_000_000 + Int64(microsecond)
    }

    /// The day of the week; 0 is Sunday.
    var weekday: Int {
        Self.floorModulo(daysSinceEpoch + 4, 7)
    }

    @inline(__always)
    private var isValid: Bool {
        (0...9_999).contains(year) && (1...12).contains(month)
            && day >= 1 && day <= Self.dayCount(year, month)
            && (0...23).contains(hour) && (0...59).contains(minute) && (0...60).contains(second)
    }

    /// The calculation uses years that begin in March, so the leap day is the last day of its year.
    @inline(__always)
    private var daysSinceEpoch: Int {
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    static func dayCount(_ year: Int, _ month: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func floorModulo(_ value: Int, _ modulus: Int) -> Int {
        let remainder = value % modulus
        return remainder < 0 ? remainder + modulus : remainder
    }
}

extension CivilTime {
    /// Creates the time in UTC that is `microseconds` after 1970-01-01T00:00:00Z.
    init(microseconds: Int64) {
        let perDay = 86_400_000_000
        let ofDay = Self.floorModulo(Int(microseconds), perDay)
        let days = (Int(microseconds) / perDay) - (microseconds < 0 && ofDay != 0 ? 1 : 0)
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        hour = ofDay / 3_600_000_000
        minute = ofDay / 60_000_000 % 60
        second = ofDay / 1_000_000 % 60
        microsecond = ofDay % 1_000_000
    }
}
