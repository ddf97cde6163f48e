/// The form in which JSON writes numbers (RFC 8259, section 6): `-12.5e+3`.
package struct NumberForm {
    private var rest: Slice<UnsafeRawBufferPointer>

    /// Returns whether all of `text` is a number. Swift's own conversions also read other forms,
    /// for example hexadecimal digits.
    ///
    /// - Parameter allowsLeadingZeros: Whether other digits may follow a leading 0.
    package static func fits(
        _ text: Slice<UnsafeRawBufferPointer>, allowsLeadingZeros: Bool = false
    ) -> Bool {
        var form = NumberForm(rest: text)
        _ = form.drop(oneOf: "-")
        let hasLeadingZero = !allowsLeadingZeros && form.drop(oneOf: "0")
        if !hasLeadingZero, !form.dropDigits() { return false }
        if form.drop(oneOf: "."), !form.dropDigits() { return false }
        if form.drop(oneOf: "eE") {
            _ = form.drop(oneOf: "+-")
            if !form.dropDigits() { return false }
        }
        return form.rest.isEmpty
    }

    /// Returns whether a number has neither a fraction nor an exponent.
    package static func isWhole(_ number: Slice<UnsafeRawBufferPointer>) -> Bool {
        !number.contains { ".eE".utf8.contains($0) }
    }

    /// Returns whether neither an int64 nor a double can hold a number.
    package static func isOutOfRange(_ number: String) -> Bool {
        number.utf8.contains { ".eE".utf8.contains($0) }
            ? Double(number)?.isInfinite ?? true : Int64(number) == nil
    }

    /// Removes the first character if it is in `characters`; false if it is not.
    private mutating func drop(oneOf characters: String) -> Bool {
        guard let first = rest.first, characters.utf8.contains(first) else { return false }
        rest.removeFirst()
        return true
    }

    /// Removes digits from the front; false if the first character is not a digit.
    private mutating func dropDigits() -> Bool {
        let count = rest.count
        rest = rest.drop(while: ASCII.isDigit)
        return rest.count < count
    }
}

extension NumberForm {
    /// Returns the shortest text of a finite number that is read as the same double: `0.1`,
    /// `19.99`, `1e-7`, `5.0`. It always has a fraction or an exponent.
    package static func shortest(_ number: Double) -> String {
        let text = number.description
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "e")) else { return text }
        // Swift writes `1e-07` and `1e+16`.
        var exponent = text[text.index(after: mark)...]
        let sign = exponent.removeFirst() == "-" ? "-" : ""
        return text[...mark] + sign + exponent.drop { $0 == "0" }
    }
}
