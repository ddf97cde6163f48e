import RestwayObjects
import RestwayText

/// Builds JSON text from events.
extension MachineCore {
    mutating func write(_ scalar: Scalar) {
        switch scalar {
        case .null: text.append("null")
        case .bool(let value): text.append(value ? "true" : "false")
        case .int64(let value): text.append(String(value))
        // JSON cannot express infinities and not-a-number; only other formats have them.
        case .double(let value): text.append(value.isFinite ? value.description : "null")
        case .string(let content): writeQuoted(content)
        case .unrepresentable(let digits): text.append(digits)
        // Neither text has a character that needs escaping.
        case .bytes(let content): text.append("\"\(Base64.encode(Array(content)))\"" as String)
        case .date(let date): text.append("\"\(DateFormat.iso8601.format(date))\"" as String)
        }
    }

    mutating func writeKey(_ key: UnsafeRawBufferPointer, isFirst: Bool) {
        if !isFirst { text.push(UInt8(ascii: ",")) }
        writeQuoted(key)
        text.push(UInt8(ascii: ":"))
    }

    /// Stores the text of one scalar as the value of an attribute.
    mutating func putJSON(_ scalar: Scalar, _ target: PlanTarget, _ row: Int) {
        let start = text.count
        write(scalar)
        putCaptured(target, row, from: start)
        text.pop(to: start)
    }

    /// Completes the captures of a container that has ended.
    mutating func finishCaptures(from first: Int) {
        for index in first..<captures.count {
            let capture = captures[index]
            putCaptured(capture.target, capture.row, from: capture.start)
        }
        captures.pop(to: first)
        if first == 0 { text.pop(to: 0) }
    }

    private mutating func putCaptured(_ target: PlanTarget, _ row: Int, from start: Int) {
        if target.conversion == .custom {
            let captured = UnsafeRawBufferPointer(
                start: text.base + start, count: text.count - start)
            let json = Value.json(String(decoding: captured, as: UTF8.self))
            return ask(json, target, row)
        }
        let bytesStart = bytes.count
        bytes.append(UnsafeRawBufferPointer(start: text.base + start, count: text.count - start))
        putText(target, row, .json, from: bytesStart)
    }

    private mutating func writeQuoted(_ content: UnsafeRawBufferPointer) {
        text.push(UInt8(ascii: "\""))
        var start = 0
        for index in 0..<content.count where Self.needsEscape(content[index]) {
            text.append(UnsafeRawBufferPointer(rebasing: content[start..<index]))
            writeEscape(content[index])
            start = index + 1
        }
        text.append(UnsafeRawBufferPointer(rebasing: content[start...]))
        text.push(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func writeEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): text.append("\\\"" as StaticString)
        case UInt8(ascii: "\\"): text.append("\\\\" as StaticString)
        case 0x08: text.append("\\b" as StaticString)
        case 0x09: text.append("\\t" as StaticString)
        case 0x0A: text.append("\\n" as StaticString)
        case 0x0C: text.append("\\f" as StaticString)
        case 0x0D: text.append("\\r" as StaticString)
        default:
            text.append(byte < 0x10 ? "\\u000" as StaticString : "\\u00" as StaticString)
            text.append(String(byte, radix: 16))
        }
    }
}
