import Glibc
import RestwayText

/// Converts the bytes of a body into UTF-8.
package enum BodyText {
    /// U+FFFD in UTF-8, which replaces bytes that are invalid in the charset.
    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]
    /// The longest name of a charset. Longer names are not given to the C library.
    private static let nameBytesMax = 40

    /// Returns the bytes as UTF-8.
    ///
    /// - Parameter contentType: The media type, whose `charset` says how the bytes are encoded.
    ///   Without a `charset`, the bytes are UTF-8. The C library converts the other charsets
    ///   (`iconv`).
    package static func utf8(
        _ bytes: UnsafeRawBufferPointer, contentType: String
    ) throws(UnknownCharset) -> [UInt8] {
        let charset = charset(of: contentType) ?? "utf-8"
        if ["utf-8", "utf8"].contains(ASCII.lowercased(charset)) {
            return Array(String(decoding: bytes, as: UTF8.self).utf8)
        }
        guard isName(charset) else { throw UnknownCharset(name: charset) }
        // iconv_open() returns -1 for an error.
        let converter = iconv_open("UTF-8", charset)
        guard let converter, Int(bitPattern: converter) != -1 else {
            throw UnknownCharset(name: charset)
        }
        defer { iconv_close(converter) }
        return convert(bytes, by: converter)
    }

    /// Returns the bytes as UTF-8 if they are not UTF-8 and their media type names another charset.
    /// RFC 8259 asks for UTF-8 in JSON, but some servers send other charsets and say so.
    ///
    /// - Returns: `nil` if the bytes are to be read as they are.
    package static func declared(
        _ bytes: UnsafeRawBufferPointer, contentType: String?
    ) -> [UInt8]? {
        guard let contentType, let charset = charset(of: contentType),
            !["utf-8", "utf8", "us-ascii"].contains(ASCII.lowercased(charset)),
            !isUTF8(bytes)
        else { return nil }
        return try? utf8(bytes, contentType: contentType)
    }

    /// Whether bytes are text in UTF-8. A NUL is part of a character of UTF-16, and an escape
    /// changes the characters of ISO-2022: neither may occur in JSON.
    private static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let bytes = bytes.assumingMemoryBound(to: UInt8.self)
        guard !bytes.contains(0), !bytes.contains(0x1B) else { return false }
        return bytes.reduce(0, |) < 0x80 || String(validating: bytes, as: UTF8.self) != nil
    }

    private static func convert(_ bytes: UnsafeRawBufferPointer, by converter: iconv_t) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + bytes.count / 2)
        var piece = [CChar](repeating: 0, count: 4_096)
        // The C library does not change the bytes.
        var start = UnsafeMutablePointer(
            mutating: bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        var left = bytes.count
        while left > 0 {
            let (code, count) = piece.withUnsafeMutableBufferPointer { buffer in
                var target = buffer.baseAddress
                var room = buffer.count
                errno = 0
                let result = iconv(converter, &start, &left, &target, &room)
                return (result == -1 ? errno : 0, buffer.count - room)
            }
            text += piece[..<count].lazy.map(UInt8.init(bitPattern:))
            guard code != 0, code != E2BIG else { continue }
            // The byte is invalid in the charset, or the character is cut off at the end.
            text += replacement
            start = start?.advanced(by: 1)
            left -= 1
            if code == EINVAL { break }
        }
        return text
    }

    /// Whether the name can be given to the C library, which reads the text after a slash as
    /// options.
    private static func isName(_ name: String) -> Bool {
        (1...nameBytesMax).contains(name.utf8.count)
            && name.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-_.:+".utf8.contains($0) }
    }

    /// The charset of a media type. Some servers put it into single quotes.
    private static func charset(of contentType: String) -> String? {
        HeaderParameters.read(contentType)["charset"]?.filter { $0 != "'" }
    }
}

/// A body has a charset that cannot be converted.
package struct UnknownCharset: Error, Equatable {
    /// The name as the server gave it.
    package let name: String
}
