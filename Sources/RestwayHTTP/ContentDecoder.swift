import CZlib

/// Decodes the content codings of a whole body (RFC 9110, 8.4), strictly: a truncated or padded
/// body is an error, not a shorter body.
package enum ContentDecoder {
    /// The limit on codings. A body with more than one coding is very rare, and stacked codings can
    /// hide a huge body in a small body.
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
                decoded = try Inflater.inflate(decoded, .gzip, name, bytesMax)
            case "deflate":
                // The standard requires the zlib format, but many servers send raw deflate.
                let format: Inflater.Format = hasZlibHeader(decoded) ? .zlib : .raw
                decoded = try Inflater.inflate(decoded, format, name, bytesMax)
            default:
                throw .unknownCoding(String(name.prefix(40)))
            }
        }
        return decoded
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

/// Decompresses one body with zlib, up to a limit.
struct Inflater {
    /// The format of the compressed bytes, as zlib's number for it.
    enum Format: Int32 {
        case zlib = 15
        case gzip = 31
        case raw = -15
    }

    /// The number of bytes that are decompressed at a time.
    private static let stepBytes = 64 << 10

    private let coding: String
    private let bytesMax: Int
    private var output: [UInt8] = []

    static func inflate(
        _ body: [UInt8], _ format: Format, _ coding: String, _ bytesMax: Int
    ) throws(BodyError) -> [UInt8] {
        var stream = z_stream()
        guard rw_inflate_init(&stream, format.rawValue) == Z_OK else { throw .outOfMemory }
        defer { inflateEnd(&stream) }
        var inflater = Inflater(coding: coding, bytesMax: bytesMax)
        try body.withUnsafeBufferPointer { input throws(BodyError) in
            try inflater.members(of: input, format, &stream)
        }
        return inflater.output
    }

    /// Decompresses all members. A gzip body may have several members (RFC 1952, 2.2); a body of
    /// the other formats has one member.
    private mutating func members(
        of input: UnsafeBufferPointer<UInt8>, _ format: Format, _ stream: inout z_stream
    ) throws(BodyError) {
        var position = 0
        while true {
            position += try member(at: position, of: input, &stream)
            let left = input.count - position
            if left == 0 { return }
            let isNextMember =
                format == .gzip && left >= 2 && input[position] == 0x1F
                && input[position + 1] == 0x8B
            guard isNextMember, inflateReset(&stream) == Z_OK else {
                throw .trailingBytes(coding: coding, count: left)
            }
        }
    }

    /// Decompresses one stream to its end and returns the number of input bytes that it took.
    private mutating func member(
        at start: Int, of input: UnsafeBufferPointer<UInt8>, _ stream: inout z_stream
    ) throws(BodyError) -> Int {
        var position = start
        while true {
            // zlib counts in 32 bits, but a body may be longer.
            let inputCount = min(input.count - position, 1 << 30)
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress! + position)
            stream.avail_in = UInt32(inputCount)
            // One byte more than the limit makes it possible to tell whether the limit is exceeded.
            let space = min(Self.stepBytes - 1, bytesMax - output.count) + 1
            let (status, produced) = step(&stream, space)
            position += inputCount - Int(stream.avail_in)
            guard output.count <= bytesMax else { throw .tooLarge(bytesMax: bytesMax) }
            switch status {
            case Z_STREAM_END: return position - start
            case Z_OK where produced > 0 || position < input.count: continue
            case Z_OK, Z_BUF_ERROR: throw .truncated(coding: coding)
            case Z_MEM_ERROR: throw .outOfMemory
            default: throw .corrupt(coding: coding)
            }
        }
    }

    private mutating func step(_ stream: inout z_stream, _ space: Int) -> (Int32, Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: space) { buffer in
            stream.next_out = buffer.baseAddress
            stream.avail_out = UInt32(space)
            let status = CZlib.inflate(&stream, Z_NO_FLUSH)
            let produced = space - Int(stream.avail_out)
            output.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<produced]))
            return (status, produced)
        }
    }
}

/// Why a body cannot be decoded.
package enum BodyError: Error, Equatable, Sendable {
    /// The decoded body would exceed the limit.
    case tooLarge(bytesMax: Int)
    /// The compressed stream ends too early.
    case truncated(coding: String)
    /// The compressed stream is invalid.
    case corrupt(coding: String)
    /// More bytes follow the end of the compressed stream.
    case trailingBytes(coding: String, count: Int)
    case unknownCoding(String)
    case tooManyCodings(max: Int)
    case outOfMemory

    package var message: String {
        switch self {
        case .tooLarge(let bytesMax):
            "the decoded body is larger than \(bytesMax) bytes"
        case .truncated(let coding):
            "the \(coding) body is truncated"
        case .corrupt(let coding):
            "the \(coding) body is corrupt"
        case .trailingBytes(let coding, let count):
            "\(count) bytes stand behind the end of the \(coding) body"
        case .unknownCoding(let name):
            "the body's content coding is unknown: \(name)"
        case .tooManyCodings(let max):
            "the body has more than \(max) content codings"
        case .outOfMemory:
            "no memory is left to decode the body"
        }
    }
}
