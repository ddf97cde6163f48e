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
