import RestwayMapping
import RestwayObjects

/// The object, or the draft, that a request is about, as it was when that was sent.
struct Submission: Sendable {
    let subject: EncodingSubject
    /// Whether only what was changed went out.
    var isChangedOnly = false
    /// What was written, itself first; nothing when it did not go along as an object.
    var sent: [SentObject] = []

    var entity: Entity { subject.entity }

    var identity: Identity? {
        entity.identityIndex.flatMap { Identity(subject.value(at: $0)) }
    }

    /// The store key that one of `sent` has now; 0 when no store knows it.
    func storeKey(of object: SentObject) -> Int64 {
        guard object.storeKey == 0, let member = object.member, case .draft(let draft) = subject
        else { return object.storeKey }
        return draft.members[member].currentKey
    }

    /// What a DELETE removes.
    var deletion: ChangeSet.Deletion? {
        if let identity { return .identity(entity, identity) }
        return subject.storeKey == 0 ? nil : .object(entity, storeKey: subject.storeKey)
    }
}
