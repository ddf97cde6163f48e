import Glibc

extension HeaderField {
    /// A line as C gives it; nil when that is no header. It is looked at as bytes, before any of it
    /// becomes a string.
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

    /// Whether it is the line that C gives, to the letter.
    package func reads(name: UnsafePointer<CChar>, value: UnsafePointer<CChar>) -> Bool {
        Self.reads(self.name, name) && Self.reads(self.value, value)
    }

    private static func reads(_ text: String, _ other: UnsafePointer<CChar>) -> Bool {
        // Stops at the NUL of the other one, which is not in the text.
        text.utf8.withContiguousStorageIfAvailable { text in
            text.withMemoryRebound(to: CChar.self) { text in
                text.isEmpty
                    ? other[0] == 0
                    : strncmp(other, text.baseAddress!, text.count) == 0 && other[text.count] == 0
            }
        } ?? false
    }

    private static func bytes(_ text: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8> {
        let count = strlen(text)
        return text.withMemoryRebound(to: UInt8.self, capacity: count) {
            UnsafeBufferPointer(start: $0, count: count)
        }
    }

    /// How many of `bytes` are allowed. Without an early end, so that many are looked at at a time.
    private static func count(
        _ bytes: UnsafeBufferPointer<UInt8>, _ isAllowed: (UInt8) -> Bool
    ) -> Int {
        var count = 0
        for byte in bytes { count &+= isAllowed(byte) ? 1 : 0 }
        return count
    }
}
