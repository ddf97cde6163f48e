/// Reads numbers that a payload writes as strings: `-12.5e+3`, also with leading zeros.
enum NumberText {
    /// Reads a whole number, which may be written with a fraction or an exponent.
    static func integer(_ text: UnsafeRawBufferPointer) -> Int64? {
        guard isNumber(text) else { return nil }
        let string = String(decoding: text, as: UTF8.self)
        return Int64(string) ?? Double(string).flatMap { Int64(exactly: $0) }
    }

    static func double(_ text: UnsafeRawBufferPointer) -> Double? {
        guard isNumber(text), let value = Double(String(decoding: text, as: UTF8.self)) else {
            return nil
        }
        return value.isFinite ? value : nil
    }

    /// Whether a JSON number is written without a fraction and without an exponent.
    static func isWhole(_ number: UnsafeRawBufferPointer) -> Bool {
        !number.contains { [UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E")].contains($0) }
    }

    /// Checks the text more strictly than Swift, which also reads hexadecimal digits, infinities
    /// and plus signs.
    private static func isNumber(_ text: UnsafeRawBufferPointer) -> Bool {
        var rest = text[...]
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        guard removeDigits(&rest) else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard removeDigits(&rest) else { return false }
        }
        if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                rest.removeFirst()
            }
            guard removeDigits(&rest) else { return false }
        }
        return rest.isEmpty
    }

    /// Removes leading digits and returns whether there was at least one.
    private static func removeDigits(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Bool {
        let count = rest.count
        rest = rest.drop { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        return rest.count < count
    }
}
