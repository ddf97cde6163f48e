/// The bytes of a body, with a NUL behind them for C.
struct Body: Sendable {
    /// Never empty: the NUL is part of it.
    let bytesAndNUL: [UInt8]

    /// So many bytes behind a body may be read by a mapper, whatever they hold.
    static let paddingCount = 64

    /// Takes over `bytes`, without a copy when nobody else holds them.
    init(_ bytes: consuming [UInt8] = []) {
        var bytes = bytes
        bytes.reserveCapacity(bytes.count + 1 + Self.paddingCount)
        bytes.append(0)
        bytesAndNUL = bytes
    }

    var count: Int { bytesAndNUL.count - 1 }
    var isEmpty: Bool { count == 0 }

    /// The bytes without the NUL.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytesAndNUL.withUnsafeBytes { body(.init(rebasing: $0.dropLast())) }
    }
}
