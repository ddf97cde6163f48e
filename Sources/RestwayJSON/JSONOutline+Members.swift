/// Finds members of objects.
extension JSONOutline {
    /// Returns the text of the value at `keyPath`, which leads through objects; `nil` if the text
    /// has no such value. If an object has a key twice, the later member counts, as in a parsed
    /// text.
    ///
    /// - Parameter start: The index at which the outermost object begins, or white space before it.
    package func value(at keyPath: [String], from start: Int = 0) -> UnsafeRawBufferPointer? {
        var place = start..<text.count
        for key in keyPath {
            guard let member = member(key, from: place.lowerBound) else { return nil }
            place = member
        }
        return trimmed(place)
    }

    /// Returns the place of the member called `key` of the object that begins at `start`.
    private func member(_ key: String, from start: Int) -> Range<Int>? {
        var index = skipSpaces(from: start)
        guard isByte(UInt8(ascii: "{"), at: index) else { return nil }
        var found: Range<Int>?
        repeat {
            index = skipSpaces(from: index + 1)
            guard isByte(UInt8(ascii: "\""), at: index) else { return found }
            let keyEnd = endOfString(from: index)
            let isWanted = names(index..<keyEnd, key)
            index = skipSpaces(from: keyEnd)
            guard isByte(UInt8(ascii: ":"), at: index) else { return found }
            let valueStart = skipSpaces(from: index + 1)
            guard let valueEnd = endOfValue(from: valueStart) else { return found }
            if isWanted { found = valueStart..<valueEnd }
            index = valueEnd
        } while isByte(UInt8(ascii: ","), at: index)
        return found
    }

    private func isByte(_ byte: UInt8, at index: Int) -> Bool {
        index < text.count && text[index] == byte
    }

    /// Whether the string at `place`, with its quotes, is `key`.
    private func names(_ place: Range<Int>, _ key: String) -> Bool {
        guard place.count >= 2 else { return false }
        let bytes = UnsafeRawBufferPointer(rebasing: text[place].dropFirst().dropLast())
        if !bytes.contains(UInt8(ascii: "\\")) { return bytes.elementsEqual(key.utf8) }
        let whole = UnsafeRawBufferPointer(rebasing: text[place])
        let string = try? JSONValue.parse(whole, .anyJSON)
        return string?.string == key
    }
}
