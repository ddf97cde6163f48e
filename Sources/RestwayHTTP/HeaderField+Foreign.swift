import Glibc

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
