/// Reads the text of a date from front to back, without allocating memory.
struct DateScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var index = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { index == bytes.count }

    /// The next byte, which is not consumed.
    var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func accept(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    /// Accepts a byte in one of two spellings.
    mutating func accept(_ byte: UInt8, or other: UInt8) -> Bool {
        accept(byte) || accept(other)
    }

    /// Accepts a word of ASCII letters, in any case.
    mutating func accept(word: StaticString) -> Bool {
        guard bytes.count - index >= word.utf8CodeUnitCount else { return false }
        for offset in 0..<word.utf8CodeUnitCount
        where bytes[index + offset] | 0x20 != word.utf8Start[offset] | 0x20 {
            return false
        }
        index += word.utf8CodeUnitCount
        return true
    }

    /// Reads exactly `count` digits.
    mutating func digits(_ count: Int) -> Int? {
        digits(atLeast: count, atMost: count)
    }

    /// Reads as many digits as there are, within bounds. A number of `most` digits must fit an
    /// `Int`.
    mutating func digits(atLeast least: Int, atMost most: Int) -> Int? {
        var value = 0
        var count = 0
        while count < most, let digit = nextDigit {
            value = value * 10 + digit
            count += 1
            index += 1
        }
        return count >= least ? value : nil
    }

    /// Reads a fraction of a second with at least `least` digits; digits beyond microseconds are
    /// cut off.
    mutating func microseconds(atLeast least: Int, atMost most: Int) -> Int? {
        var value = 0
        var count = 0
        while count < most, let digit = nextDigit {
            if count < 6 { value = value * 10 + digit }
            count += 1
            index += 1
        }
        guard count >= least else { return nil }
        for _ in min(count, 6)..<6 { value *= 10 }
        return value
    }

    /// Reads `+hh`, `+hhmm` or `+hh:mm`, as allowed. Returns seconds east of UTC.
    mutating func offset(hoursOnly: Bool, basic: Bool, extended: Bool) -> Int? {
        let isWest = next == UInt8(ascii: "-")
        guard accept(UInt8(ascii: "+"), or: UInt8(ascii: "-")), let hours = digits(2) else {
            return nil
        }
        var minutes = 0
        if extended, accept(UInt8(ascii: ":")) {
            guard let read = digits(2) else { return nil }
            minutes = read
        } else if basic, nextDigit != nil {
            guard let read = digits(2) else { return nil }
            minutes = read
        } else if !hoursOnly {
            return nil
        }
        guard hours <= 23, minutes <= 59 else { return nil }
        let seconds = hours * 3_600 + minutes * 60
        return isWest ? -seconds : seconds
    }

    private var nextDigit: Int? {
        guard let next, next >= 0x30, next <= 0x39 else { return nil }
        return Int(next) - 0x30
    }
}

/// The text of a date while it is written.
struct DateText {
    private(set) var string = ""

    mutating func text(_ text: String) {
        string += text
    }

    /// Appends a number with leading zeros. A year below 0 or above 9999 carries its sign.
    mutating func number(_ number: Int, width: Int) {
        let digits = String(number.magnitude)
        if number < 0 {
            string += "-"
        } else if width == 4, digits.utf8.count > 4 {
            string += "+"
        }
        string += String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    /// Appends the first digits of a fraction of a second, and zeros beyond microseconds.
    mutating func fraction(_ microsecond: Int, digits: Int) {
        let all = String(1_000_000 + microsecond).dropFirst()
        string += all.prefix(digits) + String(repeating: "0", count: max(0, digits - 6))
    }
}
