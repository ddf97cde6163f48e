/// What the document says about the outbox, as far as decisions need it.
package struct OutboxRules: Equatable, Sendable {
    /// What a dead letter at the head of a lane means for those behind it.
    package enum DeadLetters: Int64, Sendable {
        case blockTheirLane = 0
        case letOthersPass = 1
    }

    package enum Order: Sendable {
        /// Within each lane.
        case lanes
        /// Of everything: the whole outbox is one lane.
        case strict
    }

    package var order = Order.lanes
    package var deadLetters = DeadLetters.blockTheirLane
    /// The server of batches stops at the first failure: a call may carry several of a lane.
    package var batchStopsAtFailure = false
    /// An item stays when it is answered so.
    package var temporaryStatuses = OutboxRules.usualTemporaryStatuses
    /// The bound of the first wait; it doubles with every attempt.
    package var baseMilliseconds: Int64 = 1_000
    /// What the bound of a wait grows to.
    package var capMilliseconds: Int64 = 300_000
    /// A server that asks for a longer wait gets this one.
    package var retryAfterMaxMilliseconds: Int64 = 604_800_000

    package static let usualTemporaryStatuses = [
        408...408, 425...425, 429...429, 500...500, 502...504, 520...527,
    ]

    package init() {}
}
