/// Writes dates, in UTC.
extension DatePattern {
    func format(_ microseconds: Int64) -> String {
        let time = CivilTime(microseconds: microseconds)
        var text = DateText()
        var literal: [UInt8] = []
        for field in fields {
            if case .literal(let byte) = field {
                literal.append(byte)
                continue
            }
            text.text(String(decoding: literal, as: UTF8.self))
            literal.removeAll()
            Self.write(field, time, &text)
        }
        text.text(String(decoding: literal, as: UTF8.self))
        return text.string
    }

    private static func write(_ field: Field, _ time: CivilTime, _ text: inout DateText) {
        switch field {
        case .literal:
            break
        case .year(let least, _):
            text.number(time.year, width: least)
        case .yearOfCentury:
            text.number(Int(time.year.magnitude % 100), width: 2)
        case .number(let part, let least, _):
            text.number(part.number(of: time), width: least)
        case .fraction(let digits):
            text.fraction(time.microsecond, digits: digits)
        case .monthName(let isFull):
            text.text(name(DateNames.months[time.month - 1], isFull))
        case .weekdayName(let isFull):
            text.text(name(DateNames.weekdays[time.weekday], isFull))
        case .halfOfDay:
            text.text(time.hour < 12 ? "AM" : "PM")
        case .offset(let offset):
            text.text(offset.utc)
        case .zoneName:
            text.text("GMT")
        }
    }

    private static func name(_ name: StaticString, _ isFull: Bool) -> String {
        isFull ? "\(name)" : String("\(name)".prefix(3))
    }
}

extension DatePattern.Part {
    func number(of time: CivilTime) -> Int {
        switch self {
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

extension DatePattern.Offset {
    /// The text for the zone UTC.
    var utc: String {
        if hasPrefix { return "GMT" }
        if hasZulu { return "Z" }
        return extended ? "+00:00" : hoursOnly ? "+00" : "+0000"
    }
}
