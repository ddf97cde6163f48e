/// A value in a table that holds values of many types: a letter for the type, and the content.
package struct CodedValue: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        case none
        case integer(Int64)
        case text(String)
        case bytes([UInt8])
    }

    package let letter: String
    package let content: Content

    package init(_ value: Value) {
        (letter, content) =
            switch value {
            case .absent: ("-", .none)
            case .null: ("0", .none)
            case .bool(let value): ("b", .integer(value ? 1 : 0))
            case .int64(let value): ("i", .integer(value))
            // The bits are stored because SQLite keeps neither NaN nor the sign of zero.
            case .double(let value): ("d", .integer(Int64(bitPattern: value.bitPattern)))
            case .date(let value): ("t", .integer(value))
            case .string(let text): ("s", .text(text))
            case .bytes(let bytes): ("x", .bytes(bytes))
            case .json(let text): ("j", .text(text))
            case .link(let key): ("o", .integer(key))
            case .links(let keys): ("l", .text(keys.map { String($0) }.joined(separator: " ")))
            }
    }
}

extension Value {
    /// Makes the value that a letter and the content of a column stand for. It reads the content
    /// only as the type of the letter. An unknown letter stands for an absent value.
    package init(
        letter: String, integer: () -> Int64, text: () -> String, bytes: () -> [UInt8]
    ) {
        self =
            switch letter {
            case "0": .null
            case "b": .bool(integer() != 0)
            case "i": .int64(integer())
            case "d": .double(Double(bitPattern: UInt64(bitPattern: integer())))
            case "t": .date(integer())
            case "s": .string(text())
            case "x": .bytes(bytes())
            case "j": .json(text())
            case "o": .link(integer())
            case "l": .links(text().split(separator: " ").compactMap { Int64($0) })
            default: .absent
            }
    }
}
