/// Names a pending edit in every store, journal and process.
package struct EditID: Hashable, Sendable {
    /// The number of the outbox whose item the edit belongs to; 0 for an edit without an outbox,
    /// which lasts as long as its call.
    package let outbox: Int64
    /// A random number, never 0.
    package let number: Int64

    package init(outbox: Int64, number: Int64) {
        self.outbox = outbox
        self.number = number
    }

    /// Returns the name of a new edit.
    package static func random(outbox: Int64) -> EditID {
        EditID(outbox: outbox, number: .random(in: 1 ... .max))
    }
}

/// A change in the life of a pending edit. A step about an edit that the store does not know does
/// nothing, so that a step can be repeated.
package enum EditStep: Equatable, Sendable {
    /// The server has accepted the edit: its values are the server's values from now on.
    case deliver(EditID)
    /// The edit ends, and the values that were under it are seen again.
    case takeBack(EditID)
    /// The server has refused the edit. The edit keeps its place, and the values under it are seen.
    /// The objects that it made stay as they are.
    case suspend(EditID)
    /// A suspended edit is seen again, at its place.
    case resume(EditID)

    package var edit: EditID {
        switch self {
        case .deliver(let edit), .takeBack(let edit), .suspend(let edit), .resume(let edit): edit
        }
    }
}
