/// The pending edits of a store in memory.
struct PendingEdits {
    private struct Covered {
        let entity: Entity
        var cover: Cover
    }

    private struct Edit {
        var record: EditRecord
        /// The keys of its objects. Some of them may have been deleted.
        var keys: Set<Int64> = []
    }

    private var covered: [Int64: Covered] = [:]
    private var edits: [EditID: Edit] = [:]
    private(set) var hiddenKeys: Set<Int64> = []
    private var lastPlace: Int64?

    func covers(_ key: Int64) -> Bool { !covered.isEmpty && covered[key] != nil }

    var coversNothing: Bool { covered.isEmpty }

    /// The keys of the objects with an edit that is seen.
    var pendingKeys: Set<Int64> {
        Set(covered.lazy.filter { $0.value.cover.isPending }.map(\.key))
    }

    /// The keys of the objects with an edit that is parked.
    var conflictedKeys: Set<Int64> {
        Set(covered.lazy.filter { $0.value.cover.isConflicted }.map(\.key))
    }

    func cover(_ key: Int64) -> Cover { covered[key]?.cover ?? Cover() }

    mutating func setCover(_ cover: Cover, _ entity: Entity, _ key: Int64) {
        covered[key] = cover.isEmpty ? nil : Covered(entity: entity, cover: cover)
        if cover.isHidden { hiddenKeys.insert(key) } else { hiddenKeys.remove(key) }
        for layer in cover.layers { edits[layer.edit]?.keys.insert(key) }
    }

    /// The entities and keys of all objects with edits.
    var all: [(entity: Entity, key: Int64)] {
        covered.map { ($0.value.entity, $0.key) }.sorted { $0.key < $1.key }
    }

    // MARK: Edits

    func record(of edit: EditID) -> EditRecord? { edits[edit]?.record }

    mutating func setRecord(_ record: EditRecord?, of edit: EditID) {
        guard let record else {
            edits[edit] = nil
            return
        }
        lastPlace = max(lastPlace ?? record.place, record.place)
        edits[edit, default: Edit(record: record)].record = record
    }

    func place(under other: EditID?) -> Int64 {
        guard let upper = other.flatMap({ edits[$0]?.record.place }) else {
            return EditPlaces.over(lastPlace)
        }
        let lower = edits.values.map(\.record.place).filter { $0 < upper }.max()
        return EditPlaces.between(lower, upper)
    }

    /// Returns the keys of the objects that an edit is about, with their entities.
    func objects(of edit: EditID) -> [(entity: Entity, key: Int64)] {
        (edits[edit]?.keys ?? []).sorted().compactMap { key in
            guard let object = covered[key], object.cover.layer(edit) != nil else { return nil }
            return (object.entity, key)
        }
    }

    func edits(ofOutbox outbox: Int64) -> [ListedEdit] {
        edits.filter { $0.key.outbox == outbox }
            .sorted {
                ($0.value.record.place, $0.key.number) < ($1.value.record.place, $1.key.number)
            }
            .map { ListedEdit($0.key, $0.value.record) }
    }
}
