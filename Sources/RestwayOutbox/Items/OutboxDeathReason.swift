/// The reason why an item is a dead letter.
package enum OutboxDeathReason: Equatable, Sendable {
    /// The server refused the request.
    case refused
    /// The server has seen the item's key with another request. The item needs another key.
    case keyReused
    /// The request could not be sent, or its answer could not be read.
    case unsendable
    /// The server made the object that the request is about, but did not say its identity.
    case noIdentity
}

extension OutboxItem {
    /// The reason; `nil` if the item is not a dead letter.
    package var deathReason: OutboxDeathReason? {
        guard state == .dead else { return nil }
        switch entry.trouble?.code {
        case OutboxTrouble.keyReused: return .keyReused
        case OutboxTrouble.noIdentity: return .noIdentity
        default: return (entry.trouble?.httpStatus ?? 0) == 0 ? .unsendable : .refused
        }
    }
}
