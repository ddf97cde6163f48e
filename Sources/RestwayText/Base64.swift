/// Reads and writes base64 as in RFC 4648, with either alphabet (sections 4 and 5). It reads all
/// that section 3 lets a reader accept: line breaks and other white space, padding that is missing
/// or in excess at the end, and any values of the bits that belong to no byte. Other characters are
/// not ignored, because a text with them is probably not base64.
package enum Base64 {
    /// The largest number of bytes that `textCount` characters can encode.
    package static func byteCountMax(_ textCount: Int) -> Int {
        textCount / 4 * 3 + 3
    }

    /// Writes at most `byteCountMax` bytes and returns their number; nil if `text` is not base64.
    package static func decode(
        _ text: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<UInt8>
    ) -> Int? {
        var end = text.count
        while end > 0, text[end - 1] == UInt8(ascii: "=") || isSpace(text[end - 1]) { end -= 1 }
        var written = 0
        var bits: UInt32 = 0
        var bitCount = 0
        for index in 0..<end where !isSpace(text[index]) {
            guard let value = value(of: text[index]) else { return nil }
            bits = (bits << 6 | value) & 0xFFF
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            output[written] = UInt8(truncatingIfNeeded: bits >> UInt32(bitCount))
            written += 1
        }
        // A single digit in the last group is less than a byte.
        return bitCount < 6 ? written : nil
    }

    /// The base64 text of `bytes`, in the standard alphabet and padded.
    package static func encode(_ bytes: [UInt8]) -> String {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for byte in group { bits = bits << 8 | UInt32(byte) }
            bits <<= 8 * UInt32(3 - group.count)
            for place in 0..<4 {
                let index = Int(bits >> UInt32(18 - 6 * place) & 0x3F)
                text.append(place <= group.count ? alphabet[index] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a byte is a space, a tab or part of a line break.
    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (byte >= UInt8(ascii: "\t") && byte <= UInt8(ascii: "\r"))
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
