/// The changes that a program collects for one transaction, in the order in which it asks for them.
///
/// A change set applies its edits before its deletions, and knows each draft once. So a new change
/// set begins where the order of the program differs from that.
package struct ChangeSteps: Sendable {
    /// An object that a change needs.
    package struct Need: Sendable {
        package let entity: Entity
        package let storeKey: Int64
    }

    package private(set) var changeSets: [ChangeSet] = []
    /// The objects whose changes are to be stored.
    package private(set) var needs: [Need] = []
    /// The objects that are to be deleted, as the program knows them.
    package private(set) var deleted: [Snapshot] = []
    private var deletedKeys: Set<Int64> = []
    /// The drafts in the last change set.
    private var nodes: Set<ObjectIdentifier> = []

    package init() {}

    /// Adds the present content of a draft and of the drafts that it leads to.
    ///
    /// - Parameter complete: Completes the rows of the change set, of which it receives those that
    ///   are of the drafts, by member.
    package mutating func insert(
        _ capture: DraftCapture, _ complete: (inout ChangeSet, [Int: Int]) -> Void = { _, _ in }
    ) throws(DraftError) {
        let known = capture.members.filter { $0.storeKey != 0 }
        if let gone = known.first(where: { deletedKeys.contains($0.storeKey) }) {
            throw .gone(entity: gone.entity.name)
        }
        needs += known.map { Need(entity: $0.entity, storeKey: $0.storeKey) }
        let added = Set(capture.members.map { ObjectIdentifier($0.node) })
        if changeSets.last?.deletions.isEmpty != true || !nodes.isDisjoint(with: added) {
            changeSets.append(ChangeSet(origin: .host))
            nodes = []
        }
        nodes.formUnion(added)
        let last = changeSets.count - 1
        let edits = capture.add(to: &changeSets[last])
        complete(&changeSets[last], edits)
    }

    /// Adds the deletion of an object.
    ///
    /// - Returns: False if the transaction deletes it already.
    package mutating func delete(_ object: Snapshot) -> Bool {
        guard deletedKeys.insert(object.storeKey).inserted else { return false }
        if changeSets.isEmpty { changeSets.append(ChangeSet(origin: .host)) }
        changeSets[changeSets.count - 1].deletions.append(
            .object(object.entity, storeKey: object.storeKey))
        deleted.append(object)
        return true
    }
}

extension Commit {
    /// The result of change sets that were one transaction: a change for each object, and no
    /// objects of rows.
    init(_ steps: [Commit]) {
        self.init()
        var places: [Int64: Int] = [:]
        for change in steps.flatMap(\.changes) {
            let key = change.storeKey
            if let place = places[key] {
                changes[place].take(change)
            } else {
                places[key] = changes.count
                changes.append(change)
            }
        }
        changes.removeAll(where: \.isNothing)
        pendingChanged = steps.contains(where: \.pendingChanged)
        for change in changes {
            switch change.kind {
            case .inserted: insertedCount += 1
            case .updated: updatedCount += 1
            case .deleted: deletedCount += 1
            }
        }
    }
}
