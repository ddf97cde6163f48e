import RestwayMapping
import RestwayObjects

/// The object or the draft that a request is about, as it was when the request was sent.
struct Submission: Sendable {
    let subject: EncodingSubject
    /// Whether only the changes were sent.
    var isChangedOnly = false
    /// The objects that were written, the outermost first; empty if the object was not written into
    /// the body.
    var sent: [SentObject] = []

    var entity: Entity { subject.entity }

    var identity: Identity? {
        entity.identityIndex.flatMap { Identity(subject.value(at: $0)) }
    }

    /// Returns the present store key of an object in `sent`; 0 if no store knows the object.
    func storeKey(of object: SentObject) -> Int64 {
        guard object.storeKey == 0, let member = object.member, case .draft(let draft) = subject
        else { return object.storeKey }
        return draft.members[member].currentKey
    }

    /// The object that a DELETE removes.
    var deletion: ChangeSet.Deletion? {
        if let identity { return .identity(entity, identity) }
        return subject.storeKey == 0 ? nil : .object(entity, storeKey: subject.storeKey)
    }
}
