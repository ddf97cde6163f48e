/// A request that the journal holds, as it stood when it was read. An object, as it goes through
/// many hands.
package final class OutboxItem: Equatable, Sendable {
    package enum State: Int64, Equatable, Sendable {
        case waiting = 0
        /// The server refused it, or it cannot be sent: it stays until the host decides.
        case dead = 1
        /// On its way, as far as this process knows; a file knows only of the other two.
        case inFlight = 2
    }

    /// Grows with each item of a file, and is never given again.
    package let id: Int64
    /// What is sent. `attempts`, `nextAttemptAt` and `trouble` are those of now.
    package let entry: OutboxEntry
    package let state: State
    /// What made it a dead letter, when that was an answer.
    package let answer: OutboxAnswer?
    /// The objects without an identity that it is about, and waits for.
    package let dependencies: [LocalID]
    /// It waits behind a dead letter that blocks it, or for objects: no flush would send it.
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
