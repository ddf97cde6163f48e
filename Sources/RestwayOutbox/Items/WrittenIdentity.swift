import RestwayMapping
import RestwayObjects
import RestwayText

/// The identity of an object as it stands in a body: a number or a string, in the form of the
/// identity attribute.
struct WrittenIdentity {
    private enum Content {
        case integer(Int64)
        case double(Double)
        case string(String)
    }

    private let content: Content

    init(_ identity: Identity, _ form: LocalID.Form) {
        switch (form, identity) {
        case (.plain, .integer(let integer)), (.number, .integer(let integer)):
            content = .integer(integer)
        case (.plain, .string(let string)):
            content = .string(string)
        case (.text, _):
            content = .string(Self.text(identity))
        case (.number, .string(let string)):
            if let integer = Int64(string) {
                content = .integer(integer)
            } else if let number = Double(string), number.isFinite {
                content = .double(number)
            } else {
                content = .string(string)
            }
        case (.base64, _):
            content = .string(Base64.encode(Array(Self.text(identity).utf8)))
        }
    }

    private static func text(_ identity: Identity) -> String {
        switch identity {
        case .integer(let integer): String(integer)
        case .string(let string): string
        }
    }

    var isNumber: Bool {
        if case .string = content { false } else { true }
    }

    /// The digits of a number, or a string without its quotes, in UTF-8.
    var text: [UInt8] {
        switch content {
        case .integer(let integer): Array(String(integer).utf8)
        case .double(let number): Array(number.description.utf8)
        case .string(let string): Array(string.utf8)
        }
    }

    var messagePack: [UInt8] {
        switch content {
        case .integer(let integer): [0xD3] + Self.bigEndian(integer)
        case .double(let number): [0xCB] + Self.bigEndian(number.bitPattern)
        case .string: MessagePackText.header(byteCount: text.count) + text
        }
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}

/// Finds strings in MessagePack (its specification, "str format family").
enum MessagePackText {
    private static let lengthBytes: [(mark: UInt8, count: Int)] = [(0xD9, 1), (0xDA, 2), (0xDB, 4)]

    /// Returns where the string begins whose whole content is `content`, including its header;
    /// `nil` if there is no such string.
    static func start(of content: Range<Int>, in text: [UInt8]) -> Int? {
        for (mark, count) in lengthBytes {
            let start = content.lowerBound - count - 1
            guard start >= 0, text[start] == mark else { continue }
            let length = text[(start + 1)..<content.lowerBound].reduce(0) { $0 << 8 | Int($1) }
            if length == content.count { return start }
        }
        return nil
    }

    static func header(byteCount: Int) -> [UInt8] {
        if byteCount < 32 { return [0xA0 | UInt8(byteCount)] }
        let (mark, count) = lengthBytes.first { byteCount < 1 << (8 * $0.count) } ?? (0xDB, 4)
        let length = stride(from: 8 * (count - 1), through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: byteCount >> $0)
        }
        return [mark] + length
    }
}
