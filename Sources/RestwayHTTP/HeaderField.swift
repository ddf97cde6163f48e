/// One header line: a case-insensitive name and its value.
package struct HeaderField: Equatable, Sendable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Whether this field is called `name`, without regard to case.
    package func isNamed(_ name: String) -> Bool {
        Self.areEqualIgnoringCase(self.name, name)
    }

    /// Compares ASCII without regard to case. It allocates no memory, because every lookup visits
    /// all fields.
    static func areEqualIgnoringCase(_ left: String, _ right: String) -> Bool {
        let count = left.utf8.count
        guard count == right.utf8.count else { return false }
        var left = left
        var right = right
        return left.withUTF8 { left in
            right.withUTF8 { right in
                for index in 0..<count where left[index] != right[index] {
                    guard lowercased(left[index]) == lowercased(right[index]) else { return false }
                }
                return true
            }
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }
}
