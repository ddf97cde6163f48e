/// How many items there are.
package struct OutboxCounts: Equatable, Sendable {
    /// In flight or not; those included that a dead letter blocks.
    package var waiting: Int
    package var dead: Int
    /// Of those that wait; counted where that is said.
    package var blocked = 0

    package init(waiting: Int = 0, dead: Int = 0) {
        self.waiting = waiting
        self.dead = dead
    }

    package var all: Int { waiting + dead }
}
