package import RestwayObjects
import RestwayThreads

/// A change of the program that does not fit a change at the server: a parked change, the question
/// to a resolver function, or what the error of a call carries.
///
/// The values never change; the choices do, until the conflict is resolved.
package final class Conflict: HandleObject {
    package enum Kind: Sendable {
        /// Both sides have changed attributes.
        case attributes
        /// The program has changed an object that the server has deleted.
        case theyDeleted
        /// The program has deleted an object that the server has changed.
        case iDelete
    }

    package enum Choice: Sendable {
        case mine
        case theirs
        /// A value in place of both.
        case value(Value)
    }

    package let kind: Kind
    /// The item of the outbox that is parked; 0 for a question or the error of a call.
    package let item: Int64
    /// The attributes and relationships in conflict, by the indices of their cells, in their order;
    /// empty if the conflict is about the object as a whole.
    package let cells: [Int]
    /// The object with the values that the change was made on.
    package let base: Snapshot
    /// The object with the values of the program.
    package let mine: Snapshot
    /// The object as the server has it; `nil` if the server has deleted it, or if its values are
    /// not known.
    package let theirs: Snapshot?
    package let generation = ProcessGeneration.current
    private let chosen = Lock<[Int: Choice]>([:])
    private let chosenForAll = Lock<Choice?>(nil)

    package init(
        _ kind: Kind, item: Int64 = 0, cells: [Int], base: Snapshot, mine: Snapshot,
        theirs: Snapshot?
    ) {
        self.kind = kind
        self.item = item
        self.cells = cells.sorted()
        self.base = base
        self.mine = mine
        self.theirs = theirs
    }

    package var entity: Entity { mine.entity }

    /// Chooses a side, or a value, for an attribute.
    package func choose(_ choice: Choice, cell: Int) { chosen.withLock { $0[cell] = choice } }

    /// Chooses a side for everything that has no choice of its own.
    package func choose(_ choice: Choice) { chosenForAll.withLock { $0 = choice } }

    /// The choice for a cell; `nil` if there is no choice yet.
    package func choice(of cell: Int) -> Choice? {
        chosen.withLock { $0[cell] } ?? chosenForAll.withLock { $0 }
    }

    /// The choice for the object as a whole.
    package var choice: Choice? { chosenForAll.withLock { $0 } }
}
