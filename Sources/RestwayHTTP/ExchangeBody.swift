/// What an exchange sends behind its headers.
package enum ExchangeBody: Sendable {
    case none
    case bytes([UInt8])
    /// Pulled while it is sent; good for one exchange.
    case source(any BodySource)

    /// How many bytes that is; `nil` when it is not known beforehand.
    package var count: Int64? {
        switch self {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .source(let source): source.length
        }
    }
}
