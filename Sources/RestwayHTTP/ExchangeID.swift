/// Identifies a started exchange. It is unique within its transport.
package struct ExchangeID: Hashable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
