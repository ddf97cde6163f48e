import Glibc
import RestwayHTTP
import RestwayObjects

/// Finds the local identities in a request, and puts those of the server in their places.
struct LocalIDText {
    var path: String
    var headers: String
    var body: [UInt8]?

    init(path: String, headers: String, body: [UInt8]?) {
        self.path = path
        self.headers = headers
        self.body = body
    }

    // MARK: Finding

    /// All that stand in it, each once.
    var locals: Set<LocalID> {
        guard mayHoldLocals else { return [] }
        var found: Set<LocalID> = []
        let texts = [Array(path.utf8), Array(headers.utf8), body ?? []]
        for text in texts {
            for start in Self.places(in: text) {
                let bytes = text[start..<start + LocalID.byteCount]
                found.insert(LocalID(unchecked: String(decoding: bytes, as: UTF8.self)))
            }
        }
        return found
    }

    /// False for most requests, which is found out without a copy of them.
    private var mayHoldLocals: Bool {
        var (path, headers) = (path, headers)
        return path.withUTF8 { Self.mayHoldLocals(UnsafeRawBufferPointer($0)) }
            || headers.withUTF8 { Self.mayHoldLocals(UnsafeRawBufferPointer($0)) }
            || body?.withUnsafeBytes { Self.mayHoldLocals($0) } ?? false
    }

    /// Whether the prefix of local identities stands in `text`.
    private static func mayHoldLocals(_ text: UnsafeRawBufferPointer) -> Bool {
        let prefix = LocalID.prefixBytes
        guard let start = text.baseAddress, text.count >= LocalID.byteCount else { return false }
        // Its rarest letter leads there.
        var place = rarest
        while place < text.count,
            let found = memchr(start + place, Int32(prefix[rarest]), text.count - place)
        {
            place = UnsafeRawPointer(found) - start
            let rest = text[(place - rarest)...]
            if rest.count >= prefix.count, rest.starts(with: prefix) { return true }
            place += 1
        }
        return false
    }

    private static let rarest = 4

    /// Where local identities begin.
    private static func places(in text: [UInt8]) -> [Int] {
        var places: [Int] = []
        var start = 0
        while start + LocalID.byteCount <= text.count {
            guard
                let first = text[start...(text.count - LocalID.byteCount)].firstIndex(
                    of: LocalID.prefixBytes[0])
            else { break }
            if LocalID.starts(text[first...]) {
                places.append(first)
                start = first + LocalID.byteCount
            } else {
                start = first + 1
            }
        }
        return places
    }

    // MARK: Replacing

    /// Puts `identity` where `local` stands: percent-encoded in the path, as a value of its own
    /// where it is a whole string of a JSON body.
    mutating func replace(_ local: LocalID, by identity: Identity) {
        // Not before: most requests hold no local identity.
        let form = BodyForm(Headers(HeaderText.fields(of: headers)))
        let plain = Self.text(identity)
        let encoded = Self.percentEncoded(plain)
        path = Self.replacing(local, in: path, by: encoded)
        // A line end in an identity must not make another field.
        let isLine = plain.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        headers = Self.replacing(local, in: headers, by: isLine ? plain : encoded)
        guard let bytes = body else { return }
        switch form {
        case .json: body = Self.replacingInJSON(local, in: bytes, by: identity)
        case .urlEncoded: body = Self.replacing(local, in: bytes) { _ in (encoded, 0) }
        case .plain: body = Self.replacing(local, in: bytes) { _ in (plain, 0) }
        }
    }

    private static func replacing(
        _ local: LocalID, in text: String, by replacement: [UInt8]
    ) -> String {
        let bytes = replacing(local, in: Array(text.utf8)) { _ in (replacement, 0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func replacingInJSON(
        _ local: LocalID, in text: [UInt8], by identity: Identity
    ) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        let string = jsonEscaped(Self.text(identity))
        return replacing(local, in: text) { start in
            let end = start + LocalID.byteCount
            let isWhole =
                start > 0 && text[start - 1] == quote && end < text.count && text[end] == quote
                && (start == 1 || text[start - 2] != UInt8(ascii: "\\"))
            guard isWhole, case .integer = identity else { return (string, 0) }
            return (string, 1)
        }
    }

    /// - Parameter replacement: What stands instead of the one that begins there, and how many
    ///   bytes before and behind it go too.
    private static func replacing(
        _ local: LocalID, in text: [UInt8], by replacement: (Int) -> ([UInt8], Int)
    ) -> [UInt8] {
        let name = Array(local.text.utf8)
        var result: [UInt8] = []
        var copied = 0
        for start in places(in: text) where text[start..<start + name.count].elementsEqual(name) {
            let (bytes, around) = replacement(start)
            result += text[copied..<start - around]
            result += bytes
            copied = start + name.count + around
        }
        return copied == 0 ? text : result + text[copied...]
    }

    private static func text(_ identity: Identity) -> [UInt8] {
        switch identity {
        case .integer(let integer): Array(String(integer).utf8)
        case .string(let string): Array(string.utf8)
        }
    }

    private static func percentEncoded(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return bytes.flatMap { byte -> [UInt8] in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: [byte]
            default: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
    }

    /// RFC 8259, section 7; without the quotes.
    private static func jsonEscaped(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
            case 0..<0x20: Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: [byte]
            }
        }
    }
}
