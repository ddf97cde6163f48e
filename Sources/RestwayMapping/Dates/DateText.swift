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
