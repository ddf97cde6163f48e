/// Reads and writes calendar dates of ISO 8601, with or without a time. This includes RFC 3339.
///
/// Examples are `2024-02-29`, `20240229`, `2024-02-29T13:45:10.25+01:00` and `20240229T134510Z`. A
/// time may stop after the hours or minutes, may follow a space, and is UTC if it names no zone.
/// 24:00 is the end of its day.
enum ISO8601 {
    static func parse(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        var scanner = DateScanner(text)
        var time = CivilTime()
        guard readDate(&scanner, &time) else { return nil }
        if scanner.isAtEnd { return microseconds(time, offsetSeconds: 0) }

        let isBehindSpace = scanner.accept(UInt8(ascii: " "))
        guard isBehindSpace || scanner.accept(UInt8(ascii: "T"), or: UInt8(ascii: "t")),
            readTime(&scanner, &time)
        else { return nil }
        if scanner.isAtEnd { return microseconds(time, offsetSeconds: 0) }

        if isBehindSpace { _ = scanner.accept(UInt8(ascii: " ")) }
        let offset: Int?
        if scanner.accept(UInt8(ascii: "Z"), or: UInt8(ascii: "z")) {
            offset = 0
        } else {
            offset = scanner.offset(hoursOnly: true, basic: true, extended: true)
        }
        guard let offset, scanner.isAtEnd else { return nil }
        return microseconds(time, offsetSeconds: offset)
    }

    private static func microseconds(_ time: CivilTime, offsetSeconds: Int) -> Int64? {
        guard time.hour == 24 else { return time.microseconds(offsetSeconds: offsetSeconds) }
        guard time.minute == 0, time.second == 0, time.microsecond == 0 else { return nil }
        var time = time
        time.hour = 0
        return time.microseconds(offsetSeconds: offsetSeconds - 86_400)
    }

    /// Writes `2024-02-29T13:45:10Z`, with a fraction if there is one.
    static func format(_ microseconds: Int64) -> String {
        let time = CivilTime(microseconds: microseconds)
        var text = DateText()
        text.number(time.year, width: 4)
        text.text("-")
        text.number(time.month, width: 2)
        text.text("-")
        text.number(time.day, width: 2)
        text.text("T")
        text.number(time.hour, width: 2)
        text.text(":")
        text.number(time.minute, width: 2)
        text.text(":")
        text.number(time.second, width: 2)
        if time.microsecond != 0 {
            text.text(".")
            text.fraction(time.microsecond, digits: time.microsecond % 1_000 == 0 ? 3 : 6)
        }
        text.text("Z")
        return text.string
    }

    private static func readDate(_ scanner: inout DateScanner, _ time: inout CivilTime) -> Bool {
        guard let year = scanner.digits(4) else { return false }
        let isExtended = scanner.accept(UInt8(ascii: "-"))
        guard let month = scanner.digits(2),
            !isExtended || scanner.accept(UInt8(ascii: "-")),
            let day = scanner.digits(2)
        else { return false }
        (time.year, time.month, time.day) = (year, month, day)
        return true
    }

    private static func readTime(_ scanner: inout DateScanner, _ time: inout CivilTime) -> Bool {
        guard let hour = scanner.digits(2) else { return false }
        time.hour = hour
        let isExtended = scanner.accept(UInt8(ascii: ":"))
        guard isExtended || isDigit(scanner.next) else { return true }
        guard let minute = scanner.digits(2) else { return false }
        time.minute = minute
        guard isExtended ? scanner.accept(UInt8(ascii: ":")) : isDigit(scanner.next) else {
            return true
        }
        guard let second = scanner.digits(2) else { return false }
        time.second = second
        guard scanner.accept(UInt8(ascii: "."), or: UInt8(ascii: ",")) else { return true }
        guard let fraction = scanner.microseconds(atLeast: 1, atMost: .max) else { return false }
        time.microsecond = fraction
        return true
    }

    private static func isDigit(_ byte: UInt8?) -> Bool {
        byte.map { $0 >= 0x30 && $0 <= 0x39 } ?? false
    }
}
