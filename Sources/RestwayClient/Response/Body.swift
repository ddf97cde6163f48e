/// The bytes of a body, followed by a NUL for C.
struct Body: Sendable {
    /// The bytes and the NUL, so that the array is never empty.
    let bytesAndNUL: [UInt8]

    /// The number of bytes behind a body that a mapper may read, whatever they hold.
    static let paddingCount = 64

    /// Takes over `bytes`, without a copy if nothing else holds them.
    init(_ bytes: consuming [UInt8] = []) {
        var bytes = bytes
        bytes.reserveCapacity(bytes.count + 1 + Self.paddingCount)
        bytes.append(0)
        bytesAndNUL = bytes
    }

    var count: Int { bytesAndNUL.count - 1 }
    var isEmpty: Bool { count == 0 }

    /// Calls `body` with the bytes without the NUL.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytesAndNUL.withUnsafeBytes { body(.init(rebasing: $0.dropLast())) }
    }
}
