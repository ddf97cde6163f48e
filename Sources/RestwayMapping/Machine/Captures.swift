import RestwayObjects
import RestwayText

/// The subtrees that become JSON text while they are read: the values of attributes that take any
/// value, and lists and maps of values.
struct Captures {
    struct Capture: BitwiseCopyable {
        /// The row that gets the value; nil if the answer itself gets it.
        let row: OpenRow?
        let target: PlanTarget
        /// The start of its text in `text`.
        let start: Int
        /// The index of the list or map that is its value; nil if the text is.
        let collection: Int?
    }

    private var open = ScratchStack<Capture>()
    /// The text so far. Nested captures share it.
    var text = ScratchStack<UInt8>()
    /// The lists and maps of values, the outermost first.
    private(set) var collections: [OpenCollection] = []

    func destroy() {
        open.destroy()
        text.destroy()
    }

    var count: Int { open.count }
    var isOpen: Bool { open.count > 0 }

    subscript(index: Int) -> Capture { open[index] }

    /// Begins a capture for an attribute.
    ///
    /// - Parameter collection: The form of the list or map of values that begins; nil for a value
    ///   that becomes JSON text as it is.
    mutating func begin(_ target: PlanTarget, _ row: OpenRow?, _ collection: PlanCollection?) {
        open.push(
            Capture(
                row: row, target: target, start: text.count,
                collection: collection == nil ? nil : collections.count))
        if let collection { collections.append(OpenCollection(collection, target, row)) }
    }

    /// The JSON text of a capture that has ended; nil if it leaves the attribute unchanged.
    func json(_ capture: Capture) -> UnsafeRawBufferPointer? {
        if let index = capture.collection { return collections[index].json }
        return UnsafeRawBufferPointer(
            start: text.base + capture.start, count: text.count - capture.start)
    }

    /// Ends the captures from `first` on.
    mutating func end(from first: Int) {
        for index in first..<open.count where open[index].collection != nil {
            collections.removeLast()
        }
        open.pop(to: first)
        if first == 0 { text.pop(to: 0) }
    }
}

/// JSON text.
extension ScratchStack<UInt8> {
    mutating func writeJSON(_ scalar: Scalar) {
        switch scalar {
        case .null: append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .int64(let value): append(String(value))
        // JSON cannot express infinities and not-a-number; only other formats have them.
        case .double(let value):
            append(value.isFinite ? NumberForm.shortest(value) : "null")
        case .string(let content): writeQuoted(content)
        case .digits(let digits): append(digits)
        // Neither text has a character that needs escaping.
        case .bytes(let content): append("\"\(Base64.encode(Array(content)))\"" as String)
        case .date(let date): append("\"\(DateFormat.iso8601.format(date))\"" as String)
        }
    }

    mutating func writeKey(_ key: UnsafeRawBufferPointer, isFirst: Bool) {
        if !isFirst { push(UInt8(ascii: ",")) }
        writeQuoted(key)
        push(UInt8(ascii: ":"))
    }

    private mutating func writeQuoted(_ content: UnsafeRawBufferPointer) {
        push(UInt8(ascii: "\""))
        var start = 0
        for index in 0..<content.count where needsEscape(content[index]) {
            append(UnsafeRawBufferPointer(rebasing: content[start..<index]))
            writeEscape(content[index])
            start = index + 1
        }
        append(UnsafeRawBufferPointer(rebasing: content[start...]))
        push(UInt8(ascii: "\""))
    }

    private func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func writeEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"" as StaticString)
        case UInt8(ascii: "\\"): append("\\\\" as StaticString)
        case 0x08: append("\\b" as StaticString)
        case 0x09: append("\\t" as StaticString)
        case 0x0A: append("\\n" as StaticString)
        case 0x0C: append("\\f" as StaticString)
        case 0x0D: append("\\r" as StaticString)
        default:
            append(byte < 0x10 ? "\\u000" as StaticString : "\\u00" as StaticString)
            append(String(byte, radix: 16))
        }
    }
}
