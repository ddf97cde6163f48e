/// Collects the pieces of a body, up to a limit.
package struct BodyCollector: Sendable {
    /// The limit on memory that `Content-Length` alone can reserve. A server that announces a large
    /// body and sends little costs no more than this.
    private static let reservedBytesMax = 1 << 20
    private static let roomBehind = 65

    package private(set) var bytes: [UInt8] = []
    private let bytesMax: Int
    private var announcedBytes = 0

    package init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    /// Reads the announced length from the headers, as a hint.
    package mutating func expect(_ headers: Headers) {
        guard let text = headers[first: "Content-Length"], let length = Int(text) else { return }
        announcedBytes = max(0, length)
    }

    /// Appends a piece. Returns `.stop` if the body exceeds the limit, or is announced to exceed
    /// it.
    package mutating func append(_ piece: UnsafeRawBufferPointer) -> BodyReply {
        guard piece.count <= bytesMax - bytes.count, announcedBytes <= bytesMax else {
            return .stop(
                TransportError(.tooLarge, "the response body is larger than \(bytesMax) bytes"))
        }
        reserve(for: piece.count)
        bytes.append(contentsOf: piece)
        return .proceed
    }

    /// Reserves room for the announced length once a part of the body has come. This avoids growing
    /// and copying. There are some more bytes: C gets a NUL at the end, and mappers may read beyond
    /// it.
    private mutating func reserve(for count: Int) {
        guard bytes.count + count >= bytes.capacity, announcedBytes > bytes.count else { return }
        let isEarned = bytes.count >= Self.reservedBytesMax
        let expected = isEarned ? announcedBytes : min(announcedBytes, Self.reservedBytesMax)
        bytes.reserveCapacity(expected + Self.roomBehind)
    }

    /// Returns the collected bytes and empties the collector.
    package mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}
