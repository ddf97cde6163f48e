package import RestwayObjects

/// Drafts, as far as no server is needed.
extension ObservedStore {
    /// Puts a draft, and the drafts that it leads to, into the store: as unsent objects, or into
    /// the objects that they are drafts of.
    ///
    /// - Returns: The snapshot that this left in the store.
    package func insert(_ draft: Draft) throws(Failure) -> Snapshot {
        try insert(draft.capture())
    }

    /// The same with what a draft said at one moment.
    func insert(_ capture: DraftCapture) throws(Failure) -> Snapshot {
        for member in capture.members where member.storeKey != 0 {
            guard try newest(member.entity, storeKey: member.storeKey) == nil else { continue }
            throw Failure(.noObject, DraftError.gone(entity: member.entity.name).message)
        }
        var changes = ChangeSet(origin: .host)
        let row = changes.rows.count
        capture.add(to: &changes)
        return try commit(changes).objects[row]
    }
}

extension Failure {
    /// What a draft refused, as its caller sees it.
    package init(_ error: DraftError) {
        self.init(.invalidArgument, error.message, field: error.field)
    }
}
