package import RestwayObjects

/// The object that is written, as it was at one moment.
package enum EncodingSubject: Sendable {
    case object(Snapshot)
    case draft(DraftCapture)

    package var entity: Entity {
        switch self {
        case .object(let object): object.entity
        case .draft(let draft): draft.root.entity
        }
    }

    /// The store key; 0 if no store knows the object.
    package var storeKey: Int64 {
        switch self {
        case .object(let object): object.storeKey
        case .draft(let draft): draft.root.storeKey
        }
    }

    /// The value of an attribute.
    package func value(at index: Int) -> Value {
        switch self {
        case .object(let object): object.value(at: index)
        case .draft(let draft): draft.root.values[index]
        }
    }
}
