package import RestwayObjects
import RestwayThreads

/// The changes of one commit in the form that its observers want. A list that several observers
/// want is made once.
struct CommittedChanges {
    let all: ChangeList
    private var lists: [ObjectIdentifier: ChangeList?] = [:]
    private var index: Index?

    /// The places of the changes of single objects.
    private struct Index {
        struct Name: Hashable {
            let family: ObjectIdentifier
            let identity: Identity
        }

        var placeOfKey: [Int64: Int] = [:]
        /// The places of the objects that got their identity in this commit.
        var placeOfName: [Name: Int] = [:]

        init(_ changes: [Change]) {
            placeOfKey.reserveCapacity(changes.count)
            for (place, change) in changes.enumerated() {
                placeOfKey[change.storeKey] = place
                guard change.before?.identity == nil, let identity = change.after?.identity else {
                    continue
                }
                let family = ObjectIdentifier(change.object.entity.family)
                placeOfName[Name(family: family, identity: identity)] = place
            }
        }
    }

    /// - Parameter changes: The changes, at least one.
    init(_ changes: [Change]) {
        all = ChangeList(changes)
    }

    /// Returns the changes of the objects of one entity, whichever shapes brought them; nil if none
    /// of these objects has changed.
    mutating func list(of entity: Entity) -> ChangeList? {
        let key = ObjectIdentifier(entity)
        if let list = lists[key] { return list }
        let found = all.changes.filter { $0.isAbout(entity) }
        let list =
            found.isEmpty ? nil : found.count == all.changes.count ? all : ChangeList(found)
        lists[key] = list
        return list
    }

    /// Returns the changes of one observed object: of the object that had `key`, and of the object
    /// that now has `identity`.
    mutating func list(of entity: Entity, _ key: Int64, _ identity: Identity?) -> ChangeList? {
        let changes = all.changes
        let index = index ?? Index(changes)
        self.index = index
        let named = identity.flatMap {
            index.placeOfName[.init(family: ObjectIdentifier(entity.family), identity: $0)]
        }
        let kept = index.placeOfKey[key].flatMap { place in
            changes[place].object.entity.isOfFamily(of: entity) ? place : nil
        }
        let places = Set([kept, named].compactMap(\.self)).sorted()
        return places.isEmpty ? nil : ChangeList(places.map { changes[$0] })
    }
}

/// The changes of one transaction that an observer wants to know. It is immutable and never empty.
package final class ChangeList: Sendable {
    package let changes: [Change]
    package let generation = ProcessGeneration.current

    package init(_ changes: [Change]) {
        self.changes = changes
    }
}

/// An observer and the changes that it wants.
///
/// `@unchecked Sendable`: only used under the lock of commits.
final class Observation: @unchecked Sendable {
    let observer: any StoreObserver
    private let entity: Entity?
    /// The key of an observed object. It follows the object when the object gets an identity or
    /// another key: when it was deleted and comes again, or was merged into another object.
    private var key: Int64?
    private var identity: Identity?
    /// The list whose objects are observed.
    let members: ListMembers?
    /// The query that is observed.
    private let watch: QueryWatch?

    /// - Parameter key: The present key of an observed object.
    init(_ observer: any StoreObserver, _ scope: StoreScope, key: Int64?) {
        self.observer = observer
        if case .list(let members) = scope { self.members = members } else { members = nil }
        if case .query(let watch) = scope { self.watch = watch } else { watch = nil }
        switch scope {
        case .everything, .list, .query:
            entity = nil
        case .entity(let entity):
            self.entity = entity
        case .object(let object):
            entity = object.entity
            identity = object.identity
            self.key = key ?? object.storeKey
        }
    }

    /// Returns what the observer is told of a commit; `nil` if the commit does not concern it.
    func message(of changes: inout CommittedChanges) -> StoreNotice? {
        if let watch { return watch.noteCommit(of: changes.all.changes) ? .query(watch) : nil }
        return select(from: &changes).map { .changes($0) }
    }

    private func select(from changes: inout CommittedChanges) -> ChangeList? {
        if let members { return members.select(from: changes.all) }
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
