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
