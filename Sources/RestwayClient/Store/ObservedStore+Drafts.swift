package import RestwayObjects

/// Drafts, as far as they need no server.
extension ObservedStore {
    /// Puts a draft, and the drafts that it refers to, into the store: as unsent objects, or into
    /// the objects that they are drafts of.
    ///
    /// - Returns: The snapshot that the store has now.
    package func insert(_ draft: Draft) throws(Failure) -> Snapshot {
        try insert(draft.capture())
    }

    /// Puts the state that a draft had at one moment into the store.
    func insert(_ capture: DraftCapture) throws(Failure) -> Snapshot {
        try insert(capture, recordingChanges: false).commit.objects[0]
    }

    /// Puts the state of a draft into the store. Returns the rows that describe it, and the commit.
    func insert(
        _ capture: DraftCapture, recordingChanges: Bool
    ) throws(Failure) -> (rows: [Snapshot], commit: Commit) {
        for member in capture.members where member.storeKey != 0 {
            guard try newest(member.entity, storeKey: member.storeKey) == nil else { continue }
            throw Failure(.noObject, DraftError.gone(entity: member.entity.name).message)
        }
        var changes = ChangeSet(origin: .host)
        capture.add(to: &changes)
        return (changes.rows, try commit(changes, recordingChanges: recordingChanges))
    }
}

extension Failure {
    /// Turns the error of a draft into a failure of the client.
    package init(_ error: DraftError) {
        self.init(.invalidArgument, error.message, field: error.field)
    }
}
