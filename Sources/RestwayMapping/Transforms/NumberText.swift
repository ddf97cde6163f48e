/// Numbers that a payload writes as strings: `-12.5e+3`, also with zeros in front.
enum NumberText {
    /// A whole number, also one that is written with a fraction or an exponent.
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

    /// Stricter than Swift, which also reads hexadecimal digits, infinities and plus signs.
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

    /// Whether there was a digit at least.
    private static func removeDigits(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Bool {
        let count = rest.count
        rest = rest.drop { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        return rest.count < count
    }
}
