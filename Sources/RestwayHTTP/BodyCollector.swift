/// Collects the pieces of a body, up to a bound.
package struct BodyCollector: Sendable {
    /// What `Content-Length` may make us reserve before a byte has come: a server that announces
    /// much and sends little costs no more than this.
    private static let reservedBytesMax = 1 << 20
    private static let roomBehind = 65

    package private(set) var bytes: [UInt8] = []
    private let bytesMax: Int
    private var announcedBytes = 0

    package init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    /// Takes the announced length from a head, as a hint.
    package mutating func expect(_ headers: Headers) {
        guard let text = headers[first: "Content-Length"], let length = Int(text) else { return }
        announcedBytes = max(0, length)
    }

    /// Appends a piece; says `.stop` when the body becomes larger than the bound, or is announced
    /// to become so.
    package mutating func append(_ piece: UnsafeRawBufferPointer) -> BodyReply {
        guard piece.count <= bytesMax - bytes.count, announcedBytes <= bytesMax else {
            return .stop(
                TransportError(.tooLarge, "the response body is larger than \(bytesMax) bytes"))
        }
        reserve(for: piece.count)
        bytes.append(contentsOf: piece)
        return .proceed
    }

    /// Makes room for what was announced, once a part of it has really come, rather than growing
    /// and copying on the way. Some bytes more: C gets a NUL behind it, and mappers may read on.
    private mutating func reserve(for count: Int) {
        guard bytes.count + count >= bytes.capacity, announcedBytes > bytes.count else { return }
        let isEarned = bytes.count >= Self.reservedBytesMax
        let expected = isEarned ? announcedBytes : min(announcedBytes, Self.reservedBytesMax)
        bytes.reserveCapacity(expected + Self.roomBehind)
    }

    /// Hands over what was collected; the collector is empty afterwards.
    package mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}
