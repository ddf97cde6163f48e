/// The length and the ends of a key. For keys of up to 16 bytes this is the whole key.
struct KeyDigest: Equatable {
    let count: Int
    let head: UInt64
    let tail: UInt64

    @inline(__always)
    init(_ key: UnsafeRawBufferPointer) {
        count = key.count
        guard count > 0, let start = key.baseAddress else {
            (head, tail) = (0, 0)
            return
        }
        if count >= 8 {
            head = start.loadUnaligned(as: UInt64.self)
            tail = start.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        } else if count >= 4 {
            head = UInt64(start.loadUnaligned(as: UInt32.self))
            tail = UInt64(start.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
        } else {
            head = UInt64(start.load(as: UInt8.self))
            tail =
                UInt64(start.load(fromByteOffset: count / 2, as: UInt8.self)) << 8
                | UInt64(start.load(fromByteOffset: count - 1, as: UInt8.self))
        }
    }

    /// Whether equal digests mean equal keys.
    var decides: Bool { count <= 16 }

    /// A hash for the keys of a mapping. Its author chose the keys, so no defence against
    /// collisions is needed.
    var hash: Int {
        let mixed =
            (head ^ (tail &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(truncatingIfNeeded: count))
            &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: mixed >> 40)
    }
}
