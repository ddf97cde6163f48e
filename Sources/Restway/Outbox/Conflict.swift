import RestwayCalls
import RestwayClient
import RestwayObjects
import RestwayOutbox
import RestwayOutcome
import RestwayStore
import RestwayThreads

/// A change of the program that does not fit what somebody else has changed at the server.
///
///     for conflict in try client.outbox.conflicts() {
///         for name in conflict.names {
///             print(name, conflict.mine.value(name) ?? .null)
///             print("on the server:", conflict.theirs?.value(name) ?? .null)
///         }
///         try conflict.resolve(.theirs)
///     }
///
/// Its values do not change after it was found or listed.
public struct Conflict: Sendable {
    /// The kind of a conflict.
    public enum Kind: String, Sendable {
        /// Both sides have changed attributes or relationships, which `names` has.
        case attributes
        /// The program has changed an object that the server no longer has.
        case theyDeleted
        /// The program has deleted an object that has other values at the server since.
        case iDelete
    }

    /// A side of a conflict.
    public enum Side: String, Sendable {
        /// The values of the program: they are sent. If the server has deleted the object, it is
        /// created again; if the program has deleted it, the DELETE is sent again.
        case mine
        /// The values of the server: the change is given up. If the server has deleted the object,
        /// the store deletes it, too; if the program has deleted it, it is seen again.
        case theirs
    }

    private let core: RestwayOutcome.Conflict
    private let source: ObjectSource
    /// The client whose outbox has parked the change; `nil` for another conflict.
    private let client: Client?

    init(_ core: RestwayOutcome.Conflict, _ source: ObjectSource, parkedBy client: Client? = nil) {
        self.core = core
        self.source = source
        self.client = client
    }

    /// The kind of the conflict.
    public var kind: Kind {
        switch core.kind {
        case .attributes: .attributes
        case .theyDeleted: .theyDeleted
        case .iDelete: .iDelete
        }
    }

    /// The number of the parked item of the outbox; `nil` for a conflict that is not parked.
    public var itemID: Int64? { core.item == 0 ? nil : core.item }

    /// The names of the attributes and relationships that are in conflict, in the order of the
    /// document, relationships last. It is empty if the conflict is about the object as a whole,
    /// because one side has deleted it.
    public var names: [String] { core.cells.map(core.entity.cellName) }

    /// The object with the values that the change was made on.
    public var base: Object { Object(core.base, source) }

    /// The object with the values of the program. If the program has deleted the object, these are
    /// the values that it had then.
    public var mine: Object { Object(core.mine, source) }

    /// The object with the values of the server; `nil` if the server no longer has it, or if its
    /// values are not known.
    public var theirs: Object? { core.theirs.map { Object($0, source) } }

    /// Chooses a side for an attribute or a relationship, or for everything that has no choice of
    /// its own. A later choice replaces an earlier one. Nothing else changes before `resolve`, or
    /// before the resolver has returned.
    ///
    /// - Throws: A `RestwayError`: `unknownAttribute`, or `invalidArgument` for a name that is not
    ///   in conflict.
    public func choose(_ side: Side, for name: String? = nil) throws(RestwayError) {
        try RestwayError.explaining { () throws(Failure) in
            try core.choose(side == .mine ? .mine : .theirs, named: name)
        }
    }

    /// Chooses a value for an attribute, in place of the values of both sides.
    public func choose(_ name: String, value: some AttributeValue) throws(RestwayError) {
        try choose(name, value: value.attribute)
    }

    /// Chooses a value of any kind for an attribute.
    public func choose(_ name: String, value: Object.Value) throws(RestwayError) {
        try choose(name) { draft throws(RestwayError) in try draft.set(name, to: value) }
    }

    /// Chooses the objects that a relationship leads to.
    public func choose(_ relationship: String, objects: [Object]) throws(RestwayError) {
        try choose(relationship) { draft throws(RestwayError) in
            try draft.relate(relationship, to: objects)
        }
    }

    private func choose(
        _ name: String, _ set: (Draft) throws(RestwayError) -> Void
    ) throws(RestwayError) {
        try RestwayError.explaining { () throws(Failure) in
            try core.choose(valueNamed: name) { draft, _ throws(Failure) in
                do throws(RestwayError) {
                    try set(Draft(draft, source))
                } catch {
                    throw error.failure
                }
            }
        }
    }

    /// Resolves a parked conflict as it was chosen: the chosen values wait in the outbox again, and
    /// what has no choice stays parked. If nothing is to be sent, the change is dropped, and the
    /// store shows the server's values.
    ///
    /// - Parameter side: The side for everything that has no choice of its own.
    /// - Throws: A `RestwayError` of the kind `invalidArgument` if the conflict is not parked, if
    ///   nothing is chosen, or if its item is no longer parked.
    public func resolve(_ side: Side? = nil) throws(RestwayError) {
        if let side { try choose(side) }
        try RestwayError.explaining { () throws(Failure) in
            guard let client else {
                throw Failure(.invalidArgument, "the conflict is not parked", field: "conflict")
            }
            try client.core.requireOutbox().resolve(core)
        }
    }
}

extension Outbox {
    /// The parked conflicts, the oldest first, with the newest values that the server has sent.
    public func conflicts() throws(RestwayError) -> [Conflict] {
        try using { outbox throws(Failure) in try outbox.conflicts() }.map { conflict in
            Conflict(conflict, client.source, parkedBy: client)
        }
    }
}

extension Client {
    /// Sets the function that decides conflicts whose policy in the document is `ask`. Attributes
    /// and relationships without a choice are parked, and everything is if the function throws.
    ///
    ///     try client.setResolver("Note") { conflict in
    ///         try conflict.choose(.theirs)
    ///         try conflict.choose("title", value: "\(conflict.mine.identity!) was edited twice")
    ///     }
    ///
    /// - Parameters:
    ///   - entity: The entity; `nil` sets the function for entities without a function of their
    ///     own.
    ///   - resolve: The function, in place of an earlier one; `nil` removes it. A worker thread
    ///     calls it, for one conflict at a time.
    public func setResolver(
        _ entity: String? = nil, _ resolve: (@Sendable (Conflict) throws -> Void)?
    ) throws(RestwayError) {
        let resolver = resolve.map { Self.resolver($0, source) }
        try RestwayError.explaining { () throws(Failure) in
            try core.requireOutbox().setResolver(entity: entity, resolver)
        }
    }

    private static func resolver(
        _ resolve: @escaping @Sendable (Conflict) throws -> Void, _ source: ObjectSource
    ) -> ConflictResolver {
        { conflict throws(HostRefusal) in
            do {
                try resolve(Conflict(conflict, source))
            } catch {
                throw HostRefusal("\(error)", cause: ProgramError(error))
            }
        }
    }
}

extension RestwayError {
    /// The conflict because of which a call has failed: its change does not fit the server's newest
    /// values. Nothing of it is stored.
    public var conflict: Conflict? {
        guard let source, let conflict = failure.conflict else { return nil }
        return Conflict(conflict, source)
    }
}

extension Store {
    /// The version of an object: the text by which the server knows its state, such as an entity
    /// tag with its quotation marks. It is `nil` if the version is not known, because the entity
    /// has no `version`, the server has sent none, or a value has come without one since.
    public func version(_ object: Object) throws(RestwayError) -> String? {
        try RestwayError.explaining { () throws(Failure) in
            try source.store.version(of: object.snapshot)?.text
        }
    }
}
