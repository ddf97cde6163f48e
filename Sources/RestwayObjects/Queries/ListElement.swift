import Glibc

/// An element of lists of values, for conditions and for drafts.
package struct ListElement: Sendable {
    /// The element as it stands in the canonical text of a list.
    package let text: String
    package let value: Value

    package init(text: String, value: Value) {
        self.text = text
        self.value = value
    }

    /// Returns whether a list has this element.
    ///
    /// - Parameter list: The cell of the list, whose text is canonical.
    func isIn(_ list: Cell) -> Bool {
        guard list.kind == .json else { return false }
        var text = self.text
        return text.withUTF8 { wanted in
            Self.ranges(of: list.text).contains { range in
                range.count == wanted.count
                    && memcmp(list.text.baseAddress! + range.lowerBound, wanted.baseAddress!,
                        wanted.count) == 0
            }
        }
    }

    /// Returns the canonical text of a list with this element after its last element.
    package func added(to list: Value) -> Value {
        guard case .json(let list) = list, list != "[]" else { return .json("[\(text)]") }
        return .json("\(list.dropLast()),\(text)]")
    }

    /// Returns the canonical text of a list without the elements that equal this one.
    package func removed(from list: Value) -> Value {
        guard case .json(var text) = list else { return list }
        let elements: [String] = text.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            return Self.ranges(of: bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
        }
        let rest = elements.filter { !$0.utf8.elementsEqual(self.text.utf8) }
        return .json("[\(rest.joined(separator: ","))]")
    }

    /// Returns the places of the elements in the canonical text of a list.
    private static func ranges(of list: UnsafeRawBufferPointer) -> [Range<Int>] {
        guard list.first == UInt8(ascii: "["), list.count > 2 else { return [] }
        var ranges: [Range<Int>] = []
        var start = 1
        var index = 1
        var depth = 0
        var isInString = false
        while index < list.count {
            let byte = list[index]
            if isInString {
                if byte == UInt8(ascii: "\\") { index += 1 }
                if byte == UInt8(ascii: "\"") { isInString = false }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if depth == 0, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") {
                ranges.append(start..<index)
                start = index + 1
            } else if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") {
                depth += 1
            } else if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") {
                depth -= 1
            }
            index += 1
        }
        return ranges
    }
}
