import RestwayMapping
import RestwayObjects

/// The object, or the draft, that a request is about, as it was when that was sent.
struct Submission: Sendable {
    let subject: EncodingSubject
    /// Whether only what was changed went out.
    var isChangedOnly = false
    /// The cells that a descriptor or the host left out.
    var withheld: Set<Int> = []

    var entity: Entity { subject.entity }

    var identity: Identity? {
        guard let index = entity.identityIndex else { return nil }
        return switch subject.value(at: index) {
        case .int64(let value): .integer(value)
        case .string(let value): .string(value)
        default: nil
        }
    }

    /// What a DELETE removes.
    var deletion: ChangeSet.Deletion? {
        if let identity { return .identity(entity, identity) }
        return subject.storeKey == 0 ? nil : .object(entity, storeKey: subject.storeKey)
    }
}
