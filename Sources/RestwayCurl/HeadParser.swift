import Glibc
import RestwayHTTP

/// Builds a head from the header lines that libcurl gives, one whole line with its end at a time.
///
/// The parser skips interim responses. Limits bound the memory, however long the server sends.
/// libcurl's own header functions (`curl_easy_nextheader`) would hide the faults that are found
/// here: a bare CR, a NUL, a folded first line and two lengths.
struct HeadParser {
    private typealias Bytes = UnsafeBufferPointer<UInt8>

    enum Step {
        case more
        case head(status: Int, headers: Headers, httpVersion: HTTPVersion)
        case failed(TransportError.Kind, String)
    }

    /// The limit on all lines of one exchange, including interim responses. libcurl stops at 300
    /// KiB.
    static let bytesMax = 256 << 10
    static let linesMax = 2_000
    /// Most responses have no more header fields than this.
    private static let usualFields = 16

    /// Whether the head is complete. Later lines are trailers.
    private(set) var isComplete = false

    /// Whether a part of an answer has come.
    var hasBegun: Bool { lines > 0 }

    private var status = 0
    private var httpVersion = HTTPVersion.http11
    private var fields: [HeaderField] = []
    private var trailers: [HeaderField] = []
    private var bytes = 0
    private var lines = 0
    private var isInside = false

    /// The status and the fields of a final head that has not come to its end; `nil` if there is no
    /// such head.
    var unfinished: (status: Int, headers: Headers, httpVersion: HTTPVersion)? {
        isComplete || status < 200 ? nil : (status, Headers(fields), httpVersion)
    }

    /// Starts again after a response, or before another response.
    mutating func reset() {
        self = HeadParser()
    }

    mutating func consume(_ line: UnsafeBufferPointer<UInt8>) -> Step {
        bytes += line.count
        lines += 1
        guard bytes <= Self.bytesMax, lines <= Self.linesMax else {
            return .failed(
                .tooLarge,
                "the response headers exceed \(Self.bytesMax) bytes or \(Self.linesMax) lines")
        }
        let content = Self.withoutEnd(line)
        guard Self.index(of: 0x0D, in: content) == nil, Self.index(of: 0, in: content) == nil else {
            return .failed(
                .protocolViolation, "a line of the response headers holds a bare CR or a NUL")
        }
        if isComplete { return trailer(content) }
        if !isInside { return begin(content) }
        if content.isEmpty { return end() }
        return field(content)
    }

    /// Whether a line is the field `Set-Cookie`.
    static func setsCookie(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        let name: StaticString = "set-cookie:"
        let count = name.utf8CodeUnitCount
        guard line.count > count else { return false }
        // The bit that tells small letters from capitals is set in "-" and ":".
        return (0..<count).allSatisfy { line[$0] | 0x20 == name.utf8Start[$0] }
    }

    private mutating func begin(_ line: Bytes) -> Step {
        guard let (version, status) = Self.parseStatusLine(line) else {
            return .failed(.protocolViolation, "the response has no status line")
        }
        httpVersion = version
        self.status = status
        isInside = true
        fields = []
        fields.reserveCapacity(Self.usualFields)
        return .more
    }

    private mutating func end() -> Step {
        isInside = false
        if status == 101 {
            return .failed(.protocolViolation, "the server switched protocols, unasked")
        }
        if status < 200 { return .more }
        let headers = Headers(fields)
        if let problem = ResponseFraming.problem(in: headers) {
            return .failed(.protocolViolation, problem)
        }
        isComplete = true
        return .head(status: status, headers: headers, httpVersion: httpVersion)
    }

    /// Takes a trailer. libcurl has checked that it is a field.
    private mutating func trailer(_ line: Bytes) -> Step {
        if let field = Self.parseField(line) { trailers.append(field) }
        return .more
    }

    /// The fields after the body, at the end of the response.
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

    private mutating func field(_ line: Bytes) -> Step {
        if Headers.isBlank(line[0]) {
            // A folded line (RFC 9112, 5.2) continues the value before it.
            guard !fields.isEmpty else {
                return .failed(.protocolViolation, "the response headers begin with a folded line")
            }
            fields[fields.count - 1].value += " " + Self.text(Self.trimmed(line))
            return .more
        }
        guard let field = Self.parseField(line) else {
            return .failed(.protocolViolation, "a line of the response headers has no name")
        }
        fields.append(field)
        return .more
    }

    /// Parses `HTTP/1.1 200 OK`, or `HTTP/2 200`, which libcurl makes up.
    private static func parseStatusLine(_ line: Bytes) -> (HTTPVersion, Int)? {
        guard let versionEnd = index(of: 0x20, in: line) else { return nil }
        let rest = part(line, versionEnd + 1, line.count)
        let digits = part(rest, 0, index(of: 0x20, in: rest) ?? rest.count)
        guard digits.count == 3, let status = Int(text(digits)), status >= 100 else { return nil }
        let version: HTTPVersion
        switch text(part(line, 0, versionEnd)) {
        case "HTTP/1.1": version = .http11
        case "HTTP/1.0": version = .http10
        case "HTTP/2", "HTTP/2.0": version = .http2
        case "HTTP/3", "HTTP/3.0": version = .http3
        default: return nil
        }
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
        while end > start, Headers.isBlank(text[end - 1]) { end -= 1 }
        while start < end, Headers.isBlank(text[start]) { start += 1 }
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

    private static func text(_ bytes: Bytes) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
