/// The rules of the API document about the outbox, as far as decisions need them.
package struct OutboxRules: Equatable, Sendable {
    /// Says what a dead letter at the head of a lane means for the items behind it.
    package enum DeadLetters: Int64, Sendable {
        case blockTheirLane = 0
        case letOthersPass = 1
    }

    package enum Order: Sendable {
        /// Items of the same lane keep their order.
        case lanes
        /// All items keep their order: the whole outbox is one lane.
        case strict
    }

    package var order = Order.lanes
    package var deadLetters = DeadLetters.blockTheirLane
    /// Whether the batch endpoint stops at the first failure. A call may then carry several items
    /// of a lane.
    package var batchStopsAtFailure = false
    /// An item stays in the outbox if the server answers with one of these statuses.
    package var temporaryStatuses = OutboxRules.usualTemporaryStatuses
    /// The problem types with which a server says, in a 409, that it is still working on an earlier
    /// attempt.
    package var inProgressTypes: Set<String> = []
    /// The upper bound of the first wait. It doubles with every attempt.
    package var baseMilliseconds: Int64 = 1_000
    /// The largest value that the upper bound of a wait grows to.
    package var capMilliseconds: Int64 = 300_000
    /// The longest wait that a server can ask for. A longer one is cut to this.
    package var retryAfterMaxMilliseconds: Int64 = 604_800_000

    package static let usualTemporaryStatuses = [
        408...408, 425...425, 429...429, 500...500, 502...504, 520...527,
    ]

    package init() {}
}
