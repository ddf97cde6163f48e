/// The body that an exchange sends.
package enum ExchangeBody: Sendable {
    case none
    case bytes([UInt8])
    /// A source that is read while the body is sent. It serves one exchange.
    case source(any BodySource)

    /// The number of bytes; `nil` if it is not known beforehand.
    package var count: Int64? {
        switch self {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .source(let source): source.length
        }
    }
}
