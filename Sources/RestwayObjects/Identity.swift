/// The value that distinguishes an object from others of its entity. 1 and "1" differ.
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
