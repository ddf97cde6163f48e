import Glibc
import RestwayHTTP
import RestwayObjects
import RestwayText

/// Finds the local identities in a request, and replaces them by the server's identities.
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

    /// All local identities in the request, each once.
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

    /// Whether the request may hold a local identity. It is false for most requests, and finding
    /// that out copies nothing.
    private var mayHoldLocals: Bool {
        var (path, headers) = (path, headers)
        return path.withUTF8 { Self.mayHoldLocals(UnsafeRawBufferPointer($0)) }
            || headers.withUTF8 { Self.mayHoldLocals(UnsafeRawBufferPointer($0)) }
            || body?.withUnsafeBytes { Self.mayHoldLocals($0) } ?? false
    }

    /// Returns whether the prefix of local identities stands in `text`.
    private static func mayHoldLocals(_ text: UnsafeRawBufferPointer) -> Bool {
        let prefix = LocalID.prefixBytes
        guard let start = text.baseAddress, text.count >= LocalID.byteCount else { return false }
        // The search looks for the rarest letter of the prefix.
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

    /// Returns the places where local identities begin.
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

    /// A part of a text and the bytes that replace it.
    private typealias Patch = (range: Range<Int>, bytes: [UInt8])

    /// Replaces `local` by `identity`: percent-encoded in the path, and in a body as required by
    /// the body's format and by the form that stands behind the local identity there.
    mutating func replace(_ local: LocalID, by identity: Identity) {
        // The headers are parsed only here because most requests hold no local identity.
        let format = BodyForm(Headers(HeaderText.fields(of: headers)))
        let plain = WrittenIdentity(identity, .plain).text
        let encoded = Self.percentEncoded(plain)
        path = Self.replacing(local, in: path, by: encoded)
        // A line end in an identity must not begin another field.
        let isLine = plain.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        headers = Self.replacing(local, in: headers, by: isLine ? plain : encoded)
        body = body.map { body in
            Self.replacing(local, in: body) { place in
                let form = Self.form(behind: place.upperBound, in: body)
                let end = place.upperBound + form.rawValue.utf8.count
                return Self.patch(
                    place.lowerBound..<end, in: body, format, WrittenIdentity(identity, form))
            }
        }
    }

    /// Returns the form of the identity that stands at `start`.
    private static func form(behind start: Int, in text: [UInt8]) -> LocalID.Form {
        LocalID.Form.allCases.first { form in
            form != .plain && text[start...].starts(with: form.rawValue.utf8)
        } ?? .plain
    }

    private static func patch(
        _ place: Range<Int>, in body: [UInt8], _ format: BodyForm, _ identity: WrittenIdentity
    ) -> Patch {
        switch format {
        case .json:
            guard identity.isNumber, isWholeString(place, in: body) else {
                return (place, jsonEscaped(identity.text))
            }
            return (place.lowerBound - 1..<place.upperBound + 1, identity.text)
        case .urlEncoded: return (place, percentEncoded(identity.text))
        case .messagePack:
            guard let start = MessagePackText.start(of: place, in: body) else {
                return (place, identity.text)
            }
            return (start..<place.upperBound, identity.messagePack)
        case .plain: return (place, identity.text)
        }
    }

    /// Returns whether JSON quotes stand around the place.
    private static func isWholeString(_ place: Range<Int>, in text: [UInt8]) -> Bool {
        let (quote, start, end) = (UInt8(ascii: "\""), place.lowerBound, place.upperBound)
        return start > 0 && text[start - 1] == quote && end < text.count && text[end] == quote
            && (start == 1 || text[start - 2] != UInt8(ascii: "\\"))
    }

    private static func replacing(
        _ local: LocalID, in text: String, by replacement: [UInt8]
    ) -> String {
        let bytes = replacing(local, in: Array(text.utf8)) { ($0, replacement) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Replaces each occurrence of `local`.
    ///
    /// - Parameter patch: Receives the place of a local identity and returns its replacement.
    private static func replacing(
        _ local: LocalID, in text: [UInt8], by patch: (Range<Int>) -> Patch
    ) -> [UInt8] {
        let name = Array(local.text.utf8)
        var result: [UInt8] = []
        var copied = 0
        for start in places(in: text) where text[start..<start + name.count].elementsEqual(name) {
            let (range, bytes) = patch(start..<start + name.count)
            result += text[copied..<range.lowerBound]
            result += bytes
            copied = range.upperBound
        }
        return copied == 0 ? text : result + text[copied...]
    }

    private static func percentEncoded(_ bytes: [UInt8]) -> [UInt8] {
        var encoded: [UInt8] = []
        PercentEncoding.append(bytes[...], keeping: .unreserved, to: &encoded)
        return encoded
    }

    /// Returns the text of a JSON string (RFC 8259, section 7) without its quotes.
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
