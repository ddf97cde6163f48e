extension JSONOutline {
    /// Where the elements of an array stand in its text, with the white space around them; `nil`
    /// for what is no array. The text is JSON if every element is.
    package static func elements(of text: [UInt8]) -> [Range<Int>]? {
        text.withUnsafeBytes { JSONOutline($0).elements() }
    }

    private func elements() -> [Range<Int>]? {
        let first = skipSpaces(from: 0)
        guard first < text.count, text[first] == UInt8(ascii: "[") else { return nil }
        var elements: [Range<Int>] = []
        var start = first + 1
        while let end = endOfValue(from: start) {
            elements.append(start..<end)
            start = end + 1
            switch text[end] {
            case UInt8(ascii: ","): continue
            case UInt8(ascii: "]"): return skipSpaces(from: start) == text.count ? elements : nil
            default: return nil
            }
        }
        return nil
    }
}
