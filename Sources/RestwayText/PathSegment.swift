/// Functions for slashes and dot segments (RFC 3986, section 3.3).
package enum PathSegment {
    /// Whether a segment is "." or "..", also when its dots are percent-encoded.
    package static func isDots(_ segment: ArraySlice<UInt8>) -> Bool {
        dots(segment) != nil
    }

    /// Whether `path` can follow a base URL and a slash unchanged, as most paths can: no character
    /// needs encoding, and no segment leads upwards.
    package static func isPlain(_ path: String) -> Bool {
        var path = path
        return path.withUTF8(isPlain)
    }

    package static func isPlain(_ path: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = path.first, first != ASCII.slash else { return false }
        return path.allSatisfy { byte in
            ASCII.isAlphanumeric(byte) || byte == ASCII.slash || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "_")
        }
    }

    /// Whether following `path` ever leads above its start. Empty segments do not count as going
    /// down, because some servers drop them.
    package static func climbs(_ path: Substring) -> Bool {
        var depth = 0
        let bytes = Array(path.utf8)
        for segment in bytes.split(separator: ASCII.slash) {
            switch dots(segment) {
            case 2?: depth -= 1
            case .some: break
            case nil: depth += 1
            }
            if depth < 0 { return true }
        }
        return false
    }

    /// Removes slashes byte by byte, because a slash and a combining mark after it are one
    /// Character.
    package static func withoutLeadingSlashes(_ text: Substring) -> Substring {
        Substring(text.utf8.drop { $0 == ASCII.slash })
    }

    package static func withoutTrailingSlashes(_ text: Substring) -> Substring {
        var utf8 = text.utf8
        while utf8.last == ASCII.slash { utf8.removeLast() }
        return Substring(utf8)
    }

    /// Returns 1 for ".", 2 for "..", and nil for other segments.
    private static func dots(_ segment: ArraySlice<UInt8>) -> Int? {
        guard (1...6).contains(segment.count) else { return nil }
        let bytes = PercentEncoding.decode(segment).bytes
        return bytes.count <= 2 && bytes.allSatisfy { $0 == ASCII.dot } ? bytes.count : nil
    }
}
