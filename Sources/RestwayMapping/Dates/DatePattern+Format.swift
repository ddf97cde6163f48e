/// Writes dates, in UTC.
extension DatePattern {
    func format(_ microseconds: Int64) -> String {
        let time = CivilTime(microseconds: microseconds)
        var text = DateText()
        for field in fields { Self.write(field, time, &text) }
        return text.string
    }

    private static func write(_ field: Field, _ time: CivilTime, _ text: inout DateText) {
        switch field {
        case .literal(let byte):
            text.byte(byte)
        case .yearOfCentury:
            text.number(Int(time.year.magnitude % 100), width: 2)
        case .number(let part, let least, _):
            text.number(part.number(of: time), width: least)
        case .fraction(let digits):
            text.fraction(time.microsecond, digits: digits)
        case .monthName(let isFull):
            text.name(months[time.month - 1], isFull: isFull)
        case .weekdayName(let isFull):
            text.name(weekdays[time.weekday], isFull: isFull)
        case .halfOfDay:
            text.text(time.hour < 12 ? "AM" : "PM")
        case .offset(_, hasZulu: true):
            text.text("Z")
        case .offset(let form, hasZulu: false):
            text.text(form.utc)
        case .zoneName:
            text.text("GMT")
        }
    }
}

extension DatePattern.Part {
    func number(of time: CivilTime) -> Int {
        switch self {
        case .year: time.year
        case .month: time.month
        case .day: time.day
        case .hour: time.hour
        case .hourFrom1: time.hour == 0 ? 24 : time.hour
        case .halfDayHour: time.hour % 12
        case .halfDayHourFrom1: time.hour % 12 == 0 ? 12 : time.hour % 12
        case .minute: time.minute
        case .second: time.second
        }
    }
}
