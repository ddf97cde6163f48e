import Glibc
import RestwayText

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
        ASCII.areEqualIgnoringCase(self.name, name)
    }
}

/// The header fields of a message, in order.
package struct Headers: Equatable, Sendable {
    package var fields: [HeaderField]

    package init(_ fields: [HeaderField] = []) {
        self.fields = fields
    }

    /// The value of the first field called `name`.
    package subscript(first name: String) -> String? {
        index(of: name, from: 0).map { fields[$0].value }
    }

    /// The values of all fields called `name`, separated by ", ", as RFC 9110, 5.3 allows for every
    /// field that is a list (`Set-Cookie` is not); nil if there is no field.
    package func joined(_ name: String) -> String? {
        guard var index = index(of: name, from: 0) else { return nil }
        var result = fields[index].value
        while let next = self.index(of: name, from: index + 1) {
            result += ", " + fields[next].value
            index = next
        }
        return result
    }

    /// Access through a pointer avoids retaining each field.
    private func index(of name: String, from start: Int) -> Int? {
        let count = name.utf8.count
        return fields.withUnsafeBufferPointer { fields in
            for index in start..<fields.count
            where fields[index].name.utf8.count == count && fields[index].isNamed(name) {
                return index
            }
            return nil
        }
    }

    /// Replaces all fields called `name` with one. It stands where the first of them was, or at the
    /// end.
    package mutating func set(_ name: String, _ value: String) {
        let field = HeaderField(name: name, value: value)
        guard let index = index(of: name, from: 0) else {
            fields.append(field)
            return
        }
        fields[(index + 1)...].removeAll { $0.isNamed(name) }
        fields[index] = field
    }

    package mutating func remove(_ name: String) {
        fields.removeAll { $0.isNamed(name) }
    }

    /// Whether `name` is a token (RFC 9110, 5.6.2).
    package static func isValidName(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { !$0.isEmpty && $0.allSatisfy(isTokenByte) }
    }

    /// Whether `value` is a field value (RFC 9110, 5.5). It has no control character except the
    /// tab, so that it cannot add a line, and no white space at its ends. An empty value is valid.
    package static func isValidValue(_ value: String) -> Bool {
        var value = value
        return value.withUTF8 { bytes in
            guard let first = bytes.first, let last = bytes.last else { return true }
            guard !isBlank(first), !isBlank(last) else { return false }
            return bytes.allSatisfy(isValueByte)
        }
    }

    static func isValueByte(_ byte: UInt8) -> Bool {
        (byte >= 0x20 && byte != 0x7F) || byte == 0x09
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        // ! # $ % & ' * + - . ^ _ ` | ~
        case 0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2A, 0x2B, 0x2D, 0x2E: true
        case 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
        default: false
        }
    }
}

extension HeaderField {
    /// Reads a header line from C; nil if it is not valid. The bytes are checked before a string is
    /// made.
    package init?(name: UnsafePointer<CChar>, value: UnsafePointer<CChar>) {
        let name = Self.bytes(name)
        let value = Self.bytes(value)
        guard !name.isEmpty, Self.count(name, Headers.isTokenByte) == name.count,
            Self.count(value, Headers.isValueByte) == value.count
        else { return nil }
        if let first = value.first, let last = value.last {
            guard !Headers.isBlank(first), !Headers.isBlank(last) else { return nil }
        }
        self.init(
            name: String(decoding: name, as: UTF8.self),
            value: String(decoding: value, as: UTF8.self))
    }

    private static func bytes(_ text: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8> {
        let count = strlen(text)
        return text.withMemoryRebound(to: UInt8.self, capacity: count) {
            UnsafeBufferPointer(start: $0, count: count)
        }
    }

    /// The number of `bytes` that are allowed. It does not stop early, so the compiler can
    /// vectorise it.
    private static func count(
        _ bytes: UnsafeBufferPointer<UInt8>, _ isAllowed: (UInt8) -> Bool
    ) -> Int {
        var count = 0
        for byte in bytes { count &+= isAllowed(byte) ? 1 : 0 }
        return count
    }
}
