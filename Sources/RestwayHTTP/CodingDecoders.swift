import CBrotli
import CZlib
import CZstd

/// Undoes one content coding piece by piece.
protocol CodingDecoder: AnyObject {
    /// Decodes a piece, which is not empty. `receive` gets decoded bytes, borrowed until it
    /// returns.
    func feed(
        _ piece: UnsafeRawBufferPointer,
        _ receive: (UnsafeRawBufferPointer) throws(BodyError) -> Void
    ) throws(BodyError)

    /// Throws if the coded stream is not complete.
    func end() throws(BodyError)
}

/// The limit on the bytes that one decoder produces.
struct DecodedLimit {
    /// The number of bytes that are decoded at a time.
    private static let stepBytes = 64 << 10

    let coding: String
    let bytesMax: Int
    private var produced = 0

    init(coding: String, bytesMax: Int) {
        self.coding = coding
        self.bytesMax = bytesMax
    }

    /// The room for the next step: one byte more than the limit makes it possible to tell whether
    /// the limit is exceeded.
    private var space: Int { min(Self.stepBytes - 1, bytesMax - produced) + 1 }

    /// Runs one step of a decoder, which fills a buffer, and passes its bytes on.
    ///
    /// - Parameter step: Returns the number of bytes that it has written.
    /// - Returns: Whether the buffer was filled, so that the decoder may hold more bytes.
    mutating func run(
        _ receive: (UnsafeRawBufferPointer) throws(BodyError) -> Void,
        _ step: (UnsafeMutableBufferPointer<UInt8>) throws(BodyError) -> Int
    ) throws(BodyError) -> Bool {
        let space = space
        let result: Result<Int, BodyError> = withUnsafeTemporaryAllocation(
            of: UInt8.self, capacity: space
        ) { buffer in
            Result { () throws(BodyError) in
                let count = try step(buffer)
                guard count <= bytesMax - produced else { throw .tooLarge(bytesMax: bytesMax) }
                if count > 0 {
                    try receive(UnsafeRawBufferPointer(start: buffer.baseAddress, count: count))
                }
                return count
            }
        }
        let count = try result.get()
        produced += count
        return count == space
    }
}

/// Undoes `gzip`, and the two formats of `deflate`.
final class ZlibDecoder: CodingDecoder {
    /// The format of the compressed bytes, as zlib's number for it.
    enum Format: Int32 {
        case zlib = 15
        case gzip = 31
        case raw = -15
    }

    private let coding: String
    private let format: Format
    private var limit: DecodedLimit
    /// zlib's state refers back to the stream, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var hasEnded = false

    init(_ format: Format, _ limit: DecodedLimit) throws(BodyError) {
        self.format = format
        self.limit = limit
        coding = limit.coding
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // After a failure, the end of the stream does nothing.
        guard rw_inflate_init(stream, format.rawValue) == Z_OK else { throw .outOfMemory }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    func feed(
        _ piece: UnsafeRawBufferPointer,
        _ receive: (UnsafeRawBufferPointer) throws(BodyError) -> Void
    ) throws(BodyError) {
        var rest = piece
        while !rest.isEmpty {
            if hasEnded { try beginMember(rest) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(try member(rest, receive)))
        }
    }

    /// Begins another member of a gzip body (RFC 1952, section 2.2). A body of the other formats
    /// has one member.
    private func beginMember(_ rest: UnsafeRawBufferPointer) throws(BodyError) {
        let magic: [UInt8] = [0x1F, 0x8B]
        guard format == .gzip, zip(rest, magic).allSatisfy({ $0 == $1 }),
            inflateReset(stream) == Z_OK
        else { throw .trailingBytes(coding: coding, count: rest.count) }
        hasEnded = false
    }

    /// Decompresses one member as far as `input` reaches, and returns the number of bytes that it
    /// took.
    private func member(
        _ input: UnsafeRawBufferPointer,
        _ receive: (UnsafeRawBufferPointer) throws(BodyError) -> Void
    ) throws(BodyError) -> Int {
        // zlib counts in 32 bits, but a piece may be longer.
        let count = min(input.count, 1 << 30)
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(count)
        var mayHoldMore = true
        while !hasEnded, mayHoldMore {
            mayHoldMore = try limit.run(receive) { buffer throws(BodyError) in
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(buffer.count)
                switch CZlib.inflate(stream, Z_NO_FLUSH) {
                case Z_OK, Z_BUF_ERROR: break
                case Z_STREAM_END: hasEnded = true
                case Z_MEM_ERROR: throw .outOfMemory
                default: throw .corrupt(coding: coding)
                }
                return buffer.count - Int(stream.pointee.avail_out)
            }
        }
        return count - Int(stream.pointee.avail_in)
    }

    func end() throws(BodyError) {
        guard hasEnded else { throw .truncated(coding: coding) }
    }
}

/// Undoes `deflate`. The standard requires the zlib format, but many servers send raw deflate; the
/// first two bytes tell them apart.
final class DeflateDecoder: CodingDecoder {
    private let coding: String
    private let limit: DecodedLimit
    /// The first byte, while the second byte has not come.
    private var first: UInt8?
    private var decoder: ZlibDecoder?

    init(_ limit: DecodedLimit) {
        self.limit = limit
        coding = limit.coding
    }

    func feed(
        _ piece: UnsafeRawBufferPointer,
        _ receive: (UnsafeRawBufferPointer) throws(BodyError) -> Void
    ) throws(BodyError) {
        if let decoder { return try decoder.feed(piece, receive) }
        let start = (first.map { [$0] } ?? []) + piece.prefix(2)
        guard start.count >= 2 else {
            first = start.first
            return
        }
        let decoder = try ZlibDecoder(Self.isZlib(start[0], start[1]) ? .zlib : .raw, limit)
        self.decoder = decoder
        if let first {
            try withUnsafeBytes(of: first) { byte throws(BodyError) in
                try decoder.feed(byte, receive)
            }
        }
        try decoder.feed(piece, receive)
    }

    func end() throws(BodyError) {
        guard let decoder else { throw .truncated(coding: coding) }
        try decoder.end()
    }

    /// Checks for RFC 1950: method 8, a window of at most 32 KiB, and a checksum divisible by 31.
    private static func isZlib(_ first: UInt8, _ second: UInt8) -> Bool {
        first & 0x0F == 8 && first >> 4 <= 7 && (Int(first) << 8 | Int(second)) % 31 == 0
    }
}

/// Undoes `br` (RFC 7932). A window has at most 16 MiB.
final class BrotliDecoder: CodingDecoder {
    private let coding: String
    private var limit: DecodedLimit
    private let state: OpaquePointer
    private var hasEnded = false

    init(_ limit: DecodedLimit) throws(BodyError) {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .outOfMemory }
        self.limit = limit
        coding = limit.coding
        self.state = state
    }

    deinit { BrotliDecoderDestroyInstance(state) }

    func feed(
        _ piece: UnsafeRawBufferPointer,
        _ receive: (UnsafeRawBufferPointer) throws(BodyError) -> Void
    ) throws(BodyError) {
        var left = piece.count
        var next = piece.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var mayHoldMore = true
        while !hasEnded, mayHoldMore {
            mayHoldMore = try limit.run(receive) { buffer throws(BodyError) in
                var (room, target) = (buffer.count, buffer.baseAddress)
                let result = BrotliDecoderDecompressStream(
                    state, &left, &next, &room, &target, nil)
                switch result {
                case BROTLI_DECODER_RESULT_SUCCESS: hasEnded = true
                case BROTLI_DECODER_RESULT_ERROR: throw .corrupt(coding: coding)
                default: break
                }
                return buffer.count - room
            }
        }
        if left > 0 { throw .trailingBytes(coding: coding, count: left) }
    }

    func end() throws(BodyError) {
        guard hasEnded else { throw .truncated(coding: coding) }
    }
}

/// Undoes `zstd` (RFC 8878): one or several frames.
final class ZstdDecoder: CodingDecoder {
    /// The largest window that a body may need is 8 MiB (RFC 9659).
    private static let windowLogMax: Int32 = 23

    private let coding: String
    private var limit: DecodedLimit
    private let stream: OpaquePointer
    private var framesEnded = 0
    private var isInFrame = false

    init(_ limit: DecodedLimit) throws(BodyError) {
        guard let stream = ZSTD_createDStream() else { throw .outOfMemory }
        self.limit = limit
        coding = limit.coding
        self.stream = stream
        _ = ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, Self.windowLogMax)
    }

    deinit { ZSTD_freeDStream(stream) }

    func feed(
        _ piece: UnsafeRawBufferPointer,
        _ receive: (UnsafeRawBufferPointer) throws(BodyError) -> Void
    ) throws(BodyError) {
        var input = ZSTD_inBuffer(src: piece.baseAddress, size: piece.count, pos: 0)
        var mayHoldMore = true
        while input.pos < input.size || mayHoldMore && isInFrame {
            mayHoldMore = try limit.run(receive) { buffer throws(BodyError) in
                let start = input.pos
                var output = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
                let left = ZSTD_decompressStream(stream, &output, &input)
                guard ZSTD_isError(left) == 0 else {
                    guard framesEnded > 0, !isInFrame else { throw .corrupt(coding: coding) }
                    throw .trailingBytes(coding: coding, count: piece.count - start)
                }
                isInFrame = left != 0
                if left == 0 { framesEnded += 1 }
                return output.pos
            }
        }
    }

    func end() throws(BodyError) {
        guard framesEnded > 0, !isInFrame else { throw .truncated(coding: coding) }
    }
}
