/// A cell that owns its content, for code that need not be fast.
package enum Value: Equatable, Sendable {
    case absent
    case null
    case bool(Bool)
    case int64(Int64)
    case double(Double)
    /// Microseconds since 1970-01-01T00:00:00Z.
    case date(Int64)
    case string(String)
    case bytes([UInt8])
    /// JSON text.
    case json(String)
    /// The store key of the object at the other end of a relationship.
    case link(Int64)
    /// The store keys of the objects at the other end of a relationship.
    case links([Int64])

    /// Copies a cell of a snapshot. The snapshot must be alive.
    package init(_ cell: Cell) {
        switch cell.kind {
        case .null: self = .null
        case .bool: self = .bool(cell.integer != 0)
        case .int64: self = .int64(cell.integer)
        case .double: self = .double(cell.double)
        case .date: self = .date(cell.integer)
        case .string: self = .string(String(decoding: cell.text, as: UTF8.self))
        case .bytes: self = .bytes(Array(cell.text))
        case .json: self = .json(String(decoding: cell.text, as: UTF8.self))
        case .object: self = .link(cell.integer)
        case .list: self = .links(Array(cell.keys))
        case .absent: self = .absent
        }
    }

    /// Returns the cell of this value. Text and keys are appended to `bytes` or `keys`, and the
    /// cell has their offset.
    func cell(appendingTo bytes: inout [UInt8], _ keys: inout [Int64]) -> Cell {
        switch self {
        case .absent: .absent
        case .null: .null
        case .bool(let value): .bool(value)
        case .int64(let value): .int64(value)
        case .double(let value): .double(value)
        case .date(let value): .date(value)
        case .string(let text): Self.text(.string, text.utf8, &bytes)
        case .bytes(let content): Self.text(.bytes, content, &bytes)
        case .json(let text): Self.text(.json, text.utf8, &bytes)
        case .link(let key): .link(key)
        case .links(let links): Self.list(links, &keys)
        }
    }

    private static func list(_ links: [Int64], _ keys: inout [Int64]) -> Cell {
        let offset = keys.count
        keys += links
        return Cell(.list, length: UInt32(clamping: links.count), bits: UInt64(offset))
    }

    private static func text(
        _ kind: Cell.Kind, _ content: some Collection<UInt8>, _ bytes: inout [UInt8]
    ) -> Cell {
        let offset = bytes.count
        bytes.append(contentsOf: content)
        return Cell(kind, length: UInt32(clamping: content.count), bits: UInt64(offset))
    }
}

extension Value {
    /// Whether both are the same value to the last bit. `==` of Swift's strings ignores how accents
    /// are written, and 0 equals -0.
    package func isIdentical(to other: Value) -> Bool {
        switch (self, other) {
        case (.double(let own), .double(let its)): own.bitPattern == its.bitPattern
        case (.string(let own), .string(let its)), (.json(let own), .json(let its)):
            own.utf8.elementsEqual(its.utf8)
        default: self == other
        }
    }
}

/// The value that distinguishes an object from other objects of its entity. 1 and "1" differ.
package enum Identity: Sendable {
    case integer(Int64)
    case string(String)

    /// Returns `nil` if the value cannot be an identity.
    package init?(_ value: Value) {
        switch value {
        case .int64(let integer): self = .integer(integer)
        case .string(let string): self = .string(string)
        default: return nil
        }
    }
}

extension Value {
    /// The value of the attribute that has this identity.
    package init(_ identity: Identity) {
        self =
            switch identity {
            case .integer(let integer): .int64(integer)
            case .string(let string): .string(string)
            }
    }
}

extension Identity {
    /// The identity as a text without quotation marks, as paths have it before they are encoded.
    package var text: String {
        switch self {
        case .integer(let integer): String(integer)
        case .string(let string): string
        }
    }
}

extension Identity: CustomStringConvertible {
    /// The identity as messages show it: a string in quotation marks, an integer without.
    package var description: String {
        switch self {
        case .integer(let integer): "\(integer)"
        case .string(let string): "\"\(string)\""
        }
    }
}

/// Strings are compared byte by byte: a server distinguishes "é" from "e" with an accent, Swift
/// does not.
extension Identity: Hashable {
    package static func == (left: Identity, right: Identity) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left == right
        case (.string(let left), .string(let right)):
            left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .integer(let integer):
            hasher.combine(integer)
        case .string(var string):
            string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }
}
