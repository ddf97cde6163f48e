import RestwayText

/// Checks strings that must be URLs.
enum URLCheck {
    static func isValid(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { AbsoluteURL.isValid(UnsafeRawBufferPointer($0)) }
    }
}
