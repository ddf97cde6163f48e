/// Tells that a text is not a date of the expected form.
struct NotADate: Error {}

/// Reads the text of a date from front to back, without allocating memory.
struct DateScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var index = 0

    /// How an offset from UTC is written.
    enum OffsetForm: Equatable, Sendable {
        /// `+hh` or `+hhmm`.
        case hours
        /// `+hhmm`.
        case basic
        /// `+hh:mm`.
        case extended
        /// Each of the forms above.
        case any

        /// The text for the zone UTC.
        var utc: String {
            switch self {
            case .hours: "+00"
            case .basic: "+0000"
            case .extended, .any: "+00:00"
            }
        }
    }

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

    mutating func expect(_ byte: UInt8) throws(NotADate) {
        guard accept(byte) else { throw NotADate() }
    }

    func expectEnd() throws(NotADate) {
        guard isAtEnd else { throw NotADate() }
    }

    /// Accepts a word of ASCII letters, in any case.
    mutating func accept(word: StaticString) -> Bool {
        accept(word, letters: word.utf8CodeUnitCount)
    }

    /// Reads one of `names`, or its first three letters, and returns its index.
    mutating func name(_ names: [StaticString], isFull: Bool) throws(NotADate) -> Int {
        for (index, name) in names.enumerated()
        where accept(name, letters: isFull ? name.utf8CodeUnitCount : 3) {
            return index
        }
        throw NotADate()
    }

    private mutating func accept(_ word: StaticString, letters: Int) -> Bool {
        guard bytes.count - index >= letters else { return false }
        for offset in 0..<letters
        where bytes[index + offset] | 0x20 != word.utf8Start[offset] | 0x20 {
            return false
        }
        index += letters
        return true
    }

    /// Reads exactly `count` digits.
    mutating func digits(_ count: Int) throws(NotADate) -> Int {
        try digits(atLeast: count, atMost: count)
    }

    /// Reads as many digits as there are, within bounds. A number of `most` digits must fit an
    /// `Int`.
    mutating func digits(atLeast least: Int, atMost most: Int) throws(NotADate) -> Int {
        var value = 0
        var count = 0
        while count < most, let digit = nextDigit {
            value = value * 10 + digit
            count += 1
            index += 1
        }
        guard count >= least else { throw NotADate() }
        return value
    }

    /// Reads a fraction of a second with at least `least` digits; digits beyond microseconds are
    /// cut off.
    mutating func microseconds(atLeast least: Int, atMost most: Int) throws(NotADate) -> Int {
        var value = 0
        var count = 0
        while count < most, let digit = nextDigit {
            if count < 6 { value = value * 10 + digit }
            count += 1
            index += 1
        }
        guard count >= least else { throw NotADate() }
        for _ in min(count, 6)..<6 { value *= 10 }
        return value
    }

    /// Reads an offset and returns seconds east of UTC.
    mutating func offset(_ form: OffsetForm) throws(NotADate) -> Int {
        let isWest = accept(UInt8(ascii: "-"))
        if !isWest { try expect(UInt8(ascii: "+")) }
        let hours = try digits(2)
        var minutes = 0
        if form == .extended || form == .any, accept(UInt8(ascii: ":")) {
            minutes = try digits(2)
        } else if form != .extended, nextDigit != nil {
            minutes = try digits(2)
        } else if form == .basic || form == .extended {
            throw NotADate()
        }
        guard hours <= 23, minutes <= 59 else { throw NotADate() }
        let seconds = hours * 3_600 + minutes * 60
        return isWest ? -seconds : seconds
    }

    /// The value of the next byte, if it is a digit.
    var nextDigit: Int? {
        guard let next, next >= 0x30, next <= 0x39 else { return nil }
        return Int(next) - 0x30
    }
}

/// The text of a date while it is written.
struct DateText {
    private var bytes: [UInt8] = []

    var string: String { String(decoding: bytes, as: UTF8.self) }

    mutating func byte(_ byte: UInt8) {
        bytes.append(byte)
    }

    mutating func text(_ text: String) {
        bytes += text.utf8
    }

    mutating func name(_ name: StaticString, isFull: Bool) {
        let name = name.description
        text(isFull ? name : String(name.prefix(3)))
    }

    /// Appends a number with leading zeros. A year below 0 or above 9999 carries its sign.
    mutating func number(_ number: Int, width: Int) {
        let digits = String(number.magnitude)
        if number < 0 {
            text("-")
        } else if width == 4, digits.utf8.count > 4 {
            text("+")
        }
        text(String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits)
    }

    /// Appends the first digits of a fraction of a second, and zeros beyond microseconds.
    mutating func fraction(_ microsecond: Int, digits: Int) {
        let all = String(1_000_000 + microsecond).dropFirst()
        text(all.prefix(digits) + String(repeating: "0", count: max(0, digits - 6)))
    }
}
