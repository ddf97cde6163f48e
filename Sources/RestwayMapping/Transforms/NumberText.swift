import RestwayText

/// Reads numbers that a payload writes as strings: `-12.5e+3`, also with leading zeros.
enum NumberText {
    /// Reads a whole number, which may be written with a fraction or an exponent.
    static func integer(_ text: UnsafeRawBufferPointer) -> Int64? {
        guard NumberForm.fits(text[...], allowsLeadingZeros: true) else { return nil }
        let string = String(decoding: text, as: UTF8.self)
        return Int64(string) ?? Double(string).flatMap { Int64(exactly: $0) }
    }

    static func double(_ text: UnsafeRawBufferPointer) -> Double? {
        guard NumberForm.fits(text[...], allowsLeadingZeros: true),
            let value = Double(String(decoding: text, as: UTF8.self))
        else { return nil }
        return value.isFinite ? value : nil
    }
}
