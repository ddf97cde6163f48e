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
    /// A suspended or parked edit waits again. It is seen, at its place.
    case resume(EditID)
    /// The edit waits for a decision of the program. Its values are seen, but an object that it
    /// deletes is not hidden.
    case park(EditID)
    /// The edit of the object with this store key has these cells from now on, and no others. The
    /// values under cells that it no longer has are seen.
    case rebase(EditID, storeKey: Int64, [PendingEdit.Cell])
    /// These cells of the object leave the edit and become a new edit under it. Their values are
    /// still seen. A new edit that the store knows changes nothing.
    case split(EditID, off: EditID, storeKey: Int64, cells: Set<Int>)

    package var edit: EditID {
        switch self {
        case .deliver(let edit), .takeBack(let edit), .suspend(let edit), .resume(let edit),
            .park(let edit), .rebase(let edit, _, _), .split(let edit, _, _, _):
            edit
        }
    }

    /// The store key of the object that the step is about; `nil` if it is about all objects of the
    /// edit.
    var storeKey: Int64? {
        switch self {
        case .deliver, .takeBack, .suspend, .resume, .park: nil
        case .rebase(_, let key, _), .split(_, _, let key, _): key
        }
    }
}
