import RestwayCalls
import RestwayObjects
import RestwayOutcome
import RestwayStore

/// The pending edits of one object: the attributes and relationships to which stored requests or
/// optimistic calls give values, and whether a DELETE waits.
///
///     let pending = try client.store.pending(issue)
///     for name in pending.names {
///         print(name, pending.base.value(name) ?? .null, "->", pending.mine.value(name) ?? .null)
///     }
public struct Pending: Sendable {
    private let core: PendingObject
    private let source: ObjectSource

    init(_ core: PendingObject, _ source: ObjectSource) {
        self.core = core
        self.source = source
    }

    /// The names of the attributes and relationships that wait, in the order of the document,
    /// relationships last.
    public var names: [String] { core.cells.map(core.mine.entity.cellName) }

    /// The object with the values that wait, as the program sees it.
    public var mine: Object { Object(core.mine, source) }

    /// The object with the values that the edits were made on. `Store.confirmed` has newer values,
    /// if the server has sent others since.
    public var base: Object { Object(core.base, source) }

    /// Whether a DELETE of the object waits.
    public var deletes: Bool { core.isDeletion }

    /// Whether nothing waits.
    public var isEmpty: Bool { core.cells.isEmpty && !core.isDeletion }
}

extension Store {
    /// The server's view of an object: the values that the server has sent last, without the
    /// pending edits that `newest` shows; also of an object that a waiting DELETE hides. It is
    /// `nil` for an object that only the program has made, and for an object that was deleted.
    public func confirmed(_ object: Object) throws(RestwayError) -> Object? {
        let found = try RestwayError.explaining { () throws(Failure) in
            try source.store.confirmed(of: object.snapshot)
        }
        return found.map { Object($0, source) }
    }

    /// The pending edits of an object, which wait for the server. The result is empty if the object
    /// was deleted.
    public func pending(_ object: Object) throws(RestwayError) -> Pending {
        let found = try RestwayError.explaining { () throws(Failure) in
            try source.store.pendingObject(object.snapshot)
        }
        return Pending(found, source)
    }
}
