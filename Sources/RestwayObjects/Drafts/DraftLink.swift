/// One link of a draft.
enum DraftLink: Sendable {
    /// A link to the store key of an object that the draft's base is linked to.
    case key(Int64)
    case object(Snapshot)
    case draft(DraftReference)

    init(_ target: Draft.Target) {
        switch target {
        case .object(let object): self = .object(object)
        case .draft(let draft): self = .draft(DraftReference(draft.node))
        }
    }

    /// The store key at the other end; 0 if no store knows the object.
    var storeKey: Int64 {
        switch self {
        case .key(let key): key
        case .object(let object): object.storeKey
        case .draft(let draft): draft.node?.storeKey ?? 0
        }
    }

    /// Returns whether both lead to the same object.
    func leads(toTheSameAs other: DraftLink) -> Bool {
        if case .draft(let own) = self, case .draft(let its) = other, own.node === its.node {
            return true
        }
        if case .object(let own) = self, case .object(let its) = other, own.isSame(as: its) {
            return true
        }
        let key = storeKey
        return key != 0 && key == other.storeKey
    }
}
