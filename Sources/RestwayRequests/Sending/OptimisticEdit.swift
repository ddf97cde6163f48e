import RestwayDocument
import RestwayMapping
package import RestwayObjects
package import RestwayOutcome
import RestwayRouting
package import RestwayStore

/// The pending edit that the store shows while the request of a call is on its way. It ends with
/// the call, or becomes the edit of the item if the outbox stores the request.
package struct OptimisticEdit: Sendable {
    package let id: EditID
    /// The edit as the store has laid it; `nil` if the request changes nothing.
    package let laid: PendingEdit?

    package init(_ id: EditID, laid: PendingEdit?) {
        self.id = id
        self.laid = laid
    }
}

extension PreparedRequest {
    /// Shows in a store what the request changes, as a pending edit: the values of its draft, or
    /// the end of the objects that it deletes.
    ///
    /// - Parameter isPlaceholder: Whether the value of a variable of the path stands for an
    ///   identity that the server has not given yet, and so is the value of no attribute.
    /// - Returns: What was laid; `nil` if there is nothing to show, or if the store knows the edit.
    package func lay(
        as edit: EditID, in store: ObservedStore, isPlaceholder: (String) -> Bool = { _ in false }
    ) throws(Failure) -> PendingEdit? {
        if method == .delete { return try hideDeleted(as: edit, in: store) }
        guard case .draft(let draft)? = submission?.subject else { return nil }
        let variables = destination.variables(nil)
        let pairs = variables?.pairs.filter { !isPlaceholder($0.value) } ?? []
        let source = AnswerSource(
            variables: RouteVariables(
                Dictionary(pairs.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })),
            path: pairs.isEmpty ? nil : destination.path)
        return try store.insert(draft, laying: edit, variables: variables, from: source).laid
    }

    private func hideDeleted(
        as edit: EditID, in store: ObservedStore
    ) throws(Failure) -> PendingEdit? {
        var objects: [PendingEdit.Object] = []
        for deletion in deletions {
            let known: Snapshot?
            switch deletion {
            case .object(let entity, let key): known = try store.newest(entity, storeKey: key)
            case .identity(let entity, let identity):
                known = try store.object(entity, identity)
                // An answer may bring the object while its deletion waits.
                if known == nil, deletions.count == 1 {
                    objects.append(.init(entity, storeKey: 0, identity: identity, hides: true))
                }
            case .all, .everything: known = nil
            }
            guard let known else { continue }
            objects.append(
                .init(
                    known.entity, storeKey: known.storeKey, identity: known.identity, hides: true))
        }
        guard !objects.isEmpty else { return nil }
        var changes = ChangeSet(origin: .host)
        changes.relaid = [PendingEdit(edit, objects: objects)]
        return try store.commit(changes).relaid.first
    }
}
