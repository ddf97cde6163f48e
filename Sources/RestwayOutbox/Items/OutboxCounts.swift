/// The numbers of items in the outbox.
package struct OutboxCounts: Equatable, Sendable {
    /// Items that wait, in flight or not, including those that a dead letter blocks.
    package var waiting: Int
    package var dead: Int
    /// The waiting items that are blocked; only some functions count them.
    package var blocked = 0

    package init(waiting: Int = 0, dead: Int = 0) {
        self.waiting = waiting
        self.dead = dead
    }

    package var all: Int { waiting + dead }
}
