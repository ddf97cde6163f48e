/// What an exchange sends behind its headers.
package enum ExchangeBody: Sendable {
    case none
    case bytes([UInt8])

    /// Whether it can be sent more than once.
    package var isRewindable: Bool {
        switch self {
        case .none, .bytes: true
        }
    }

    /// How many bytes that is.
    package var count: Int {
        switch self {
        case .none: 0
        case .bytes(let bytes): bytes.count
        }
    }
}
