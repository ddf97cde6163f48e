import Glibc
import RestwayHTTP

/// Makes a head out of header lines as libcurl gives them: one at a time, whole, with their ends.
///
/// Interim responses are skipped. Nothing is kept beyond the bounds, however long a server talks.
/// Used for one response after the other: lines that repeat those of the head before are not parsed
/// anew.
struct HeadParser {
    private typealias Bytes = UnsafeBufferPointer<UInt8>

    enum Step {
        case more
        case head(status: Int, headers: Headers, httpVersion: HTTPVersion)
        case failed(TransportError.Kind, String)
    }

    /// Of all lines of one exchange, interim responses included. libcurl stops at 300 KiB.
    static let bytesMax = 256 << 10
    static let linesMax = 2_000
    /// A longer one is not kept for the next response.
    private static let keptStatusLineBytesMax = 256

    /// The head is complete: what comes now are trailers.
    private(set) var isComplete = false

    /// Something of an answer has come.
    var hasBegun: Bool { lines > 0 }

    private var status = 0
    private var httpVersion = HTTPVersion.http11
    /// What the two were read from.
    private var statusLine: [UInt8] = []
    private var fields = KnownFields()
    private var trailers: [HeaderField] = []
    private var bytes = 0
    private var lines = 0
    private var isInside = false
    /// Several lines make one field, or tell the same length: what one of them says does not follow
    /// from it alone, so none is kept for the next head.
    private var isEntangled = false

    /// The response is over, or will be another one.
    mutating func reset() {
        isComplete = false
        fields.forgetWhenLarge()
        if statusLine.count > Self.keptStatusLineBytesMax { statusLine = [] }
        trailers = []
        bytes = 0
        lines = 0
        isInside = false
    }

    mutating func consume(_ line: UnsafeBufferPointer<UInt8>) -> Step {
        repeats(line) ? .more : consumeAnew(line)
    }

    /// Takes a line that repeats the one in its place of the head before, as most do.
    private mutating func repeats(_ line: Bytes) -> Bool {
        guard isInside, bytes + line.count <= Self.bytesMax, lines < Self.linesMax,
            fields.repeats(line)
        else { return false }
        bytes += line.count
        lines += 1
        return true
    }

    private mutating func consumeAnew(_ line: Bytes) -> Step {
        bytes += line.count
        lines += 1
        guard bytes <= Self.bytesMax, lines <= Self.linesMax else {
            return .failed(
                .tooLarge,
                "the response headers exceed \(Self.bytesMax) bytes or \(Self.linesMax) lines")
        }
        let content = Self.withoutEnd(line)
        if isComplete { return trailer(content) }
        if !isInside { return begin(content) }
        if content.isEmpty { return end() }
        return field(content, of: line)
    }

    private mutating func begin(_ line: Bytes) -> Step {
        if !isStatusLine(line) {
            guard let (version, status) = Self.parseStatusLine(line) else {
                return .failed(.protocolViolation, "the response has no status line")
            }
            httpVersion = version
            self.status = status
            statusLine = Array(line)
        }
        isInside = true
        if isEntangled { fields = KnownFields() }
        isEntangled = false
        fields.begin()
        return .more
    }

    /// Whether `line` is what stood there before.
    private func isStatusLine(_ line: Bytes) -> Bool {
        statusLine.withUnsafeBufferPointer { known in
            guard let start = known.baseAddress, known.count == line.count else { return false }
            return memcmp(start, line.baseAddress!, line.count) == 0
        }
    }

    private mutating func end() -> Step {
        isInside = false
        if status == 101 {
            return .failed(.protocolViolation, "the server switched protocols, unasked")
        }
        if status < 200 { return .more }
        isComplete = true
        return .head(status: status, headers: fields.end(), httpVersion: httpVersion)
    }

    /// libcurl has seen that it is a field.
    private mutating func trailer(_ line: Bytes) -> Step {
        if let field = Self.parseField(line) { trailers.append(field) }
        return .more
    }

    /// The fields behind the body, when the response is over.
    mutating func takeTrailers() -> Headers? {
        guard isComplete, !trailers.isEmpty else { return nil }
        defer { trailers = [] }
        return Headers(trailers)
    }

    private static func parseField(_ line: Bytes) -> HeaderField? {
        guard let colon = index(of: UInt8(ascii: ":"), in: line), colon > 0 else { return nil }
        return HeaderField(
            name: text(trimmed(part(line, 0, colon))),
            value: text(trimmed(part(line, colon + 1, line.count))))
    }

    /// - Parameter whole: The line with its end.
    private mutating func field(_ line: Bytes, of whole: Bytes) -> Step {
        if Self.isBlank(line[0]) {
            // A folded line (RFC 9112, 5.2) goes on with the value before it.
            isEntangled = true
            guard fields.fold(Self.text(Self.trimmed(line))) else {
                return .failed(.protocolViolation, "the response headers begin with a folded line")
            }
            return .more
        }
        guard let field = Self.parseField(line) else {
            return .failed(.protocolViolation, "a line of the response headers has no name")
        }
        let isLength = field.isNamed("Content-Length")
        if isLength, !agrees(field.value) {
            return .failed(
                .protocolViolation, "the response has no length, or several (Content-Length)")
        }
        fields.append(field, isLength: isLength, of: whole)
        return .more
    }

    /// Whether `value` is a length, and that of the lines before it (RFC 9112, section 6.3): where
    /// two readers see two lengths, one takes a part of this response for the next one.
    private mutating func agrees(_ value: String) -> Bool {
        guard !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return false
        }
        guard let before = fields.contentLength else { return true }
        isEntangled = true
        return Int(before) == Int(value)
    }

    /// `HTTP/1.1 200 OK`, or `HTTP/2 200`, which libcurl makes up.
    private static func parseStatusLine(_ line: Bytes) -> (HTTPVersion, Int)? {
        guard let space = index(of: 0x20, in: line) else { return nil }
        let version: HTTPVersion
        switch text(part(line, 0, space)) {
        case "HTTP/1.1": version = .http11
        case "HTTP/1.0": version = .http10
        case "HTTP/2", "HTTP/2.0": version = .http2
        case "HTTP/3", "HTTP/3.0": version = .http3
        default: return nil
        }
        let rest = part(line, space + 1, line.count)
        let digits = part(rest, 0, index(of: 0x20, in: rest) ?? rest.count)
        guard digits.count == 3, let status = Int(text(digits)), status >= 100 else { return nil }
        return (version, status)
    }

    // MARK: Bytes

    private static func withoutEnd(_ line: Bytes) -> Bytes {
        var count = line.count
        if count > 0, line[count - 1] == 0x0A { count -= 1 }
        if count > 0, line[count - 1] == 0x0D { count -= 1 }
        return part(line, 0, count)
    }

    private static func trimmed(_ text: Bytes) -> Bytes {
        var start = 0
        var end = text.count
        while end > start, isBlank(text[end - 1]) { end -= 1 }
        while start < end, isBlank(text[start]) { start += 1 }
        return part(text, start, end)
    }

    private static func part(_ bytes: Bytes, _ start: Int, _ end: Int) -> Bytes {
        Bytes(rebasing: bytes[start..<end])
    }

    private static func index(of byte: UInt8, in bytes: Bytes) -> Int? {
        guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(start)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func text(_ bytes: Bytes) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
