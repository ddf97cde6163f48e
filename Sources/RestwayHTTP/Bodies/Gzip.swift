import CZlib
import RestwayThreads

/// Compresses bytes piece by piece into the gzip format.
///
/// `@unchecked Sendable`: one thread at a time uses it; zlib keeps a pointer to the stream, so it
/// has an address of its own.
package final class Gzip: @unchecked Sendable {
    /// zlib's number for the largest window, in the gzip format.
    private static let windowBits: Int32 = 31
    /// The level of the gzip tool.
    private static let level: Int32 = 6
    private static let stepBytes = 64 << 10

    private let stream: UnsafeMutablePointer<z_stream>

    /// Returns `nil` if there is no memory.
    package init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard rw_deflate_init(stream, Self.level, Self.windowBits) == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses a whole body; nil if there is no memory.
    package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        guard let gzip = Gzip() else { return nil }
        return gzip.compress(bytes, isLast: true)
    }

    /// Returns the compressed bytes that are ready after `bytes`; possibly none, unless `isLast`.
    func compress(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        var output: [UInt8] = []
        bytes.withUnsafeBufferPointer { input in
            var position = 0
            // zlib counts in 32 bits, but a body may be longer.
            repeat {
                let count = min(input.count - position, 1 << 30)
                stream.pointee.next_in = input.baseAddress.map {
                    UnsafeMutablePointer(mutating: $0 + position)
                }
                stream.pointee.avail_in = UInt32(count)
                position += count
                deflate(isLast && position == input.count ? Z_FINISH : Z_NO_FLUSH, to: &output)
            } while position < input.count
        }
        return output
    }

    private func deflate(_ flush: Int32, to output: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.stepBytes) { buffer in
            repeat {
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(Self.stepBytes)
                CZlib.deflate(stream, flush)
                let produced = Self.stepBytes - Int(stream.pointee.avail_out)
                output.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<produced]))
            } while stream.pointee.avail_out == 0
        }
    }
}

/// A body that is compressed while it is read from another source.
package final class GzipSource: BodySource {
    private let source: any BodySource
    private let gzip: Gzip
    private let hasEnded = Lock(false)

    /// Returns `nil` if there is no memory.
    package init?(_ source: any BodySource) {
        guard let gzip = Gzip() else { return nil }
        self.source = source
        self.gzip = gzip
    }

    package var length: Int64? { nil }

    package func next(_ deliver: @escaping @Sendable (BodyPiece) -> Void) {
        guard !hasEnded.withLock({ $0 }) else { return deliver(.end) }
        source.next { [self] piece in
            switch piece {
            case .bytes(let bytes):
                let compressed = gzip.compress(bytes, isLast: false)
                // zlib keeps some input back, so a piece may give nothing.
                if compressed.isEmpty { next(deliver) } else { deliver(.bytes(compressed)) }
            case .end:
                hasEnded.withLock { $0 = true }
                deliver(.bytes(gzip.compress([], isLast: true)))
            case .failed:
                deliver(piece)
            }
        }
    }
}
