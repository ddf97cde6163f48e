import CZlib

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

    let coding: String
    let bytesMax: Int
    private var output: [UInt8] = []

    init(coding: String, bytesMax: Int) {
        self.coding = coding
        self.bytesMax = bytesMax
    }

    mutating func inflate(_ body: [UInt8], _ format: Format) throws(BodyError) -> [UInt8] {
        var stream = z_stream()
        guard rw_inflate_init(&stream, format.rawValue) == Z_OK else { throw .outOfMemory }
        defer { inflateEnd(&stream) }
        var failure: BodyError?
        body.withUnsafeBufferPointer { input in
            do throws(BodyError) {
                try members(of: input, format, &stream)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return output
    }

    /// Decompresses all members. A gzip body may have several (RFC 1952, 2.2); the other formats
    /// have one.
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
