import RestwayObjects

/// An observer and the changes that it wants.
///
/// `@unchecked Sendable`: only used under the lock of commits.
final class Observation: @unchecked Sendable {
    let observer: Observer
    private let entity: Entity?
    /// The key of an observed object. It follows the object when the object gets an identity or
    /// another key: when it was deleted and comes again, or was merged into another object.
    private var key: Int64?
    private var identity: Identity?

    /// - Parameter key: The present key of an observed object.
    init(_ observer: Observer, _ scope: Observer.Scope, key: Int64?) {
        self.observer = observer
        switch scope {
        case .everything:
            entity = nil
        case .entity(let entity):
            self.entity = entity
        case .object(let object):
            entity = object.entity
            identity = object.identity
            self.key = key ?? object.storeKey
        }
    }

    func select(from changes: inout CommittedChanges) -> ChangeList? {
        guard let entity else { return changes.all }
        guard let key else { return changes.list(of: entity) }
        let list = changes.list(of: entity, key, identity)
        if let after = list?.changes.last?.after {
            self.key = after.storeKey
            identity = after.identity ?? identity
        }
        return list
    }
}
