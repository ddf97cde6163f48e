/// A request that the journal holds.
package struct OutboxItem: Equatable, Sendable {
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
    package var entry: OutboxEntry
    package var state: State
    /// What made it a dead letter, when that was an answer.
    package var answer: OutboxAnswer?
    /// The objects without an identity that it is about, and waits for.
    package var dependencies: [LocalID]

    /// It waits behind a dead letter that blocks it, or for objects: no flush would send it.
    package var isBlocked = false

    package init(
        id: Int64, entry: OutboxEntry, state: State = .waiting, answer: OutboxAnswer? = nil,
        dependencies: [LocalID] = []
    ) {
        self.id = id
        self.entry = entry
        self.state = state
        self.answer = answer
        self.dependencies = dependencies
    }
}
