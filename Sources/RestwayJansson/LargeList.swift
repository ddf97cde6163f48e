import RestwayJSON

/// A large list, divided into parts that are parsed one after the other.
struct LargeList {
    struct Part {
        /// The text of the part, which is borrowed: elements separated by commas, without white
        /// space around them.
        let text: UnsafeRawBufferPointer
        let count: Int
    }

    /// The parts. Each is one large element or several small ones.
    private(set) var parts: [Part] = []
    /// The number of elements.
    private(set) var count = 0
    /// The index after the closing bracket.
    private(set) var end = 0

    /// - Parameter start: The index of the opening bracket.
    init(
        _ outline: JSONOutline, from start: Int, _ sizes: LargeText
    ) throws(JSONError) {
        var partStart = outline.skipSpaces(from: start + 1)
        if partStart < outline.text.count, outline.text[partStart] == UInt8(ascii: "]") {
            end = partStart + 1
            return
        }
        var elementStart = partStart
        var count = 0
        while true {
            guard let end = outline.endOfValue(from: elementStart) else {
                throw LargeText.malformed
            }
            if count > 0, end - elementStart > sizes.bytesMin {
                // A large element is a part of its own.
                add(outline, partStart..<elementStart - 1, count)
                (partStart, count) = (elementStart, 0)
            }
            count += 1
            let isLast = outline.text[end] != UInt8(ascii: ",")
            if isLast || end - partStart >= sizes.partBytes {
                add(outline, partStart..<end, count)
                (partStart, count) = (end + 1, 0)
            }
            elementStart = end + 1
            guard isLast else { continue }
            guard outline.text[end] == UInt8(ascii: "]") else { throw LargeText.malformed }
            self.end = end + 1
            return
        }
    }

    private mutating func add(_ outline: JSONOutline, _ range: Range<Int>, _ count: Int) {
        self.count += count
        parts.append(Part(text: outline.trimmed(range), count: count))
    }
}
