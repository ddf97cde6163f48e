/// A request that the journal holds, as it was when it was read. It is a class because it is passed
/// around a lot.
package final class OutboxItem: Equatable, Sendable {
    package enum State: Int64, Equatable, Sendable {
        case waiting = 0
        /// The server refused the item, or it cannot be sent. It stays until the program decides.
        case dead = 1
        /// The item is in flight, as far as this process knows. The file knows only the other two
        /// states.
        case inFlight = 2
    }

    /// A number that grows with each item of a file and is never used again.
    package let id: Int64
    /// The request. Its `attempts`, `nextAttemptAt` and `trouble` are the current ones.
    package let entry: OutboxEntry
    package let state: State
    /// The answer that made the item a dead letter, if it was an answer.
    package let answer: OutboxAnswer?
    /// The objects without an identity that the request is about, and waits for.
    package let dependencies: [LocalID]
    /// Whether the item waits behind a dead letter that blocks it, or for objects. No flush would
    /// send it.
    package let isBlocked: Bool

    package init(
        id: Int64, entry: OutboxEntry, state: State = .waiting, answer: OutboxAnswer? = nil,
        dependencies: [LocalID] = [], isBlocked: Bool = false
    ) {
        self.id = id
        self.entry = entry
        self.state = state
        self.answer = answer
        self.dependencies = dependencies
        self.isBlocked = isBlocked
    }

    package static func == (left: OutboxItem, right: OutboxItem) -> Bool {
        left.id == right.id && left.entry == right.entry && left.state == right.state
            && left.answer == right.answer && left.dependencies == right.dependencies
            && left.isBlocked == right.isBlocked
    }
}
