/// Decodes the content codings of a whole body (RFC 9110, 8.4), strictly: a truncated or padded
/// body is an error, not a shorter body.
package enum ContentDecoder {
    /// The limit on codings. More than one is very rare, and stacked codings can hide a huge body
    /// in a small one.
    private static let codingsMax = 4

    /// - Parameters:
    ///   - body: The received body. Without a coding it is returned unchanged, and no other
    ///     reference to it is kept.
    ///   - headers: The headers of the response; `Content-Encoding` is read.
    ///   - bytesMax: The limit on the bytes that any step may produce.
    package static func decode(
        _ body: consuming [UInt8], headers: Headers, bytesMax: Int
    ) throws(BodyError) -> [UInt8] {
        // The answer to HEAD may name a coding too.
        guard !body.isEmpty, let codings = headers.joined("Content-Encoding") else { return body }
        let names = codings.utf8.split(separator: UInt8(ascii: ",")).map(trimmed)
            .filter { !$0.isEmpty && $0 != "identity" }
        guard names.count <= codingsMax else { throw .tooManyCodings(max: codingsMax) }
        var decoded = body
        for name in names.reversed() {
            switch name {
            case "gzip", "x-gzip":
                decoded = try inflate(decoded, .gzip, name, bytesMax)
            case "deflate":
                // The standard requires the zlib format, but many servers send raw deflate.
                let format: Inflater.Format = hasZlibHeader(decoded) ? .zlib : .raw
                decoded = try inflate(decoded, format, name, bytesMax)
            default:
                throw .unknownCoding(String(name.prefix(40)))
            }
        }
        return decoded
    }

    private static func inflate(
        _ body: [UInt8], _ format: Inflater.Format, _ coding: String, _ bytesMax: Int
    ) throws(BodyError) -> [UInt8] {
        var inflater = Inflater(coding: coding, bytesMax: bytesMax)
        return try inflater.inflate(body, format)
    }

    /// Checks for RFC 1950: method 8, a window of at most 32 KiB, and a checksum divisible by 31.
    private static func hasZlibHeader(_ body: [UInt8]) -> Bool {
        guard body.count >= 2 else { return true }
        return body[0] & 0x0F == 8 && body[0] >> 4 <= 7
            && (Int(body[0]) << 8 | Int(body[1])) % 31 == 0
    }

    private static func trimmed(_ name: Substring.UTF8View) -> String {
        let blanks: Set<UInt8> = [0x20, 0x09]
        let start = name.drop { blanks.contains($0) }
        let end = start.lastIndex { !blanks.contains($0) }
        return end.map { String(Substring(start[...$0])).lowercased() } ?? ""
    }
}
