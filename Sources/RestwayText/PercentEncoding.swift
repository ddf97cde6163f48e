/// Percent-encoding of bytes (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// The characters that are not encoded.
    package enum Kept {
        /// Unreserved characters (RFC 3986, section 2.3).
        case unreserved
        /// Unreserved and reserved characters (section 2.2), and existing triplets.
        case reserved
        /// Unreserved and reserved characters except "?" and "#", which would end the path, and no
        /// triplets: the text is data, in which a "%" is a "%".
        case reservedData
        /// Characters allowed in a path (section 3.3), and existing triplets.
        case path
        /// Characters allowed in a query or a fragment (sections 3.4, 3.5), and existing triplets.
        case query

        /// Whether existing triplets are not encoded again.
        package var keepsTriplets: Bool {
            switch self {
            case .unreserved, .reservedData: false
            case .reserved, .path, .query: true
            }
        }

        fileprivate func contains(_ byte: UInt8) -> Bool {
            if ASCII.isAlphanumeric(byte) || "-._~".utf8.contains(byte) { return true }
            return switch self {
            case .unreserved: false
            case .reserved: "!$&'()*+,;=:@/?#[]".utf8.contains(byte)
            case .reservedData: "!$&'()*+,;=:@/[]".utf8.contains(byte)
            case .path: "!$&'()*+,;=:@/".utf8.contains(byte)
            case .query: "!$&'()*+,;=:@/?".utf8.contains(byte)
            }
        }
    }

    /// Decoded bytes.
    package struct Decoded {
        package var bytes: [UInt8]
        /// The position of each byte in the source, and the end of the source; nil if no byte
        /// moved.
        package var offsets: [Int]?
        /// Whether each "%" began a triplet. A "%" that began no triplet is kept as it is.
        package var isWellFormed: Bool
    }

    /// Appends `source` to `output`, encoded.
    package static func append(_ source: String, keeping kept: Kept, to output: inout [UInt8]) {
        append(Array(source.utf8)[...], keeping: kept, to: &output)
    }

    package static func append(
        _ source: ArraySlice<UInt8>, keeping kept: Kept, to output: inout [UInt8]
    ) {
        for (index, byte) in zip(source.indices, source) {
            if kept.contains(byte)
                || (byte == ASCII.percent && kept.keepsTriplets && isTriplet(source[index...]))
            {
                output.append(byte)
            } else {
                append(triplet: byte, to: &output)
            }
        }
    }

    package static func encode(_ text: String, keeping kept: Kept) -> String {
        var output: [UInt8] = []
        append(text, keeping: kept, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    fileprivate static func append(triplet byte: UInt8, to output: inout [UInt8]) {
        output.append(ASCII.percent)
        output.append(ASCII.upperHexDigit(byte >> 4))
        output.append(ASCII.upperHexDigit(byte & 0xF))
    }

    /// Replaces each triplet with its byte, and keeps any other "%".
    package static func decode(_ source: ArraySlice<UInt8>) -> Decoded {
        guard source.contains(ASCII.percent) else {
            return Decoded(bytes: Array(source), offsets: nil, isWellFormed: true)
        }
        var bytes: [UInt8] = []
        var offsets: [Int] = []
        var isWellFormed = true
        var index = source.startIndex
        while index < source.endIndex {
            offsets.append(index - source.startIndex)
            if let byte = triplet(source[index...]) {
                bytes.append(byte)
                index += 3
            } else {
                if source[index] == ASCII.percent { isWellFormed = false }
                bytes.append(source[index])
                index += 1
            }
        }
        offsets.append(source.count)
        return Decoded(bytes: bytes, offsets: offsets, isWellFormed: isWellFormed)
    }

    /// Whether `source` begins with "%" and two hexadecimal digits.
    package static func isTriplet(_ source: some Collection<UInt8>) -> Bool {
        triplet(source) != nil
    }

    /// The byte of the triplet at the start of `source`; nil if `source` does not start with a
    /// triplet.
    private static func triplet(_ source: some Collection<UInt8>) -> UInt8? {
        var bytes = source.makeIterator()
        guard bytes.next() == ASCII.percent, let high = bytes.next().flatMap(ASCII.hexValue),
            let low = bytes.next().flatMap(ASCII.hexValue)
        else { return nil }
        return high << 4 | low
    }
}

/// Writes `application/x-www-form-urlencoded` text (the WHATWG URL standard, section 5.2).
package enum FormFields {
    package static func encode(_ fields: [(name: String, value: String)]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "&")) }
            append(field.name, to: &bytes)
            bytes.append(UInt8(ascii: "="))
            append(field.value, to: &bytes)
        }
        return bytes
    }

    package static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case _ where ASCII.isAlphanumeric(byte), UInt8(ascii: "*"), UInt8(ascii: "-"),
                ASCII.dot, UInt8(ascii: "_"):
                bytes.append(byte)
            case UInt8(ascii: " "):
                bytes.append(UInt8(ascii: "+"))
            default:
                PercentEncoding.append(triplet: byte, to: &bytes)
            }
        }
    }
}
