/// An ordered list of objects, as a store keeps it under a name.
package struct StoredList: Equatable, Sendable {
    /// The name of the entity of its objects; several names stand on a line each.
    package var entity: String
    /// The store keys of its objects, in order. Objects that were deleted since may be among them.
    package var keys: [Int64]
    /// A text that the owner of the list keeps with it.
    package var state: String

    package init(entity: String, keys: [Int64], state: String) {
        self.entity = entity
        self.keys = keys
        self.state = state
    }
}

/// A change of a list: objects are added at its end, and its owner's text is replaced.
package struct ListChange: Sendable {
    package let name: String
    package let entity: String
    /// The store keys of the objects to add, each once. An object that is in the list already moves
    /// to the end.
    package let keys: [Int64]
    package let state: String
    /// Whether the objects that are in the list leave it first.
    package let replacesAll: Bool

    package init(
        name: String, entity: String, keys: [Int64], state: String, replacesAll: Bool
    ) {
        self.name = name
        self.entity = entity
        self.keys = keys
        self.state = state
        self.replacesAll = replacesAll
    }
}

/// The lists of a store in memory.
struct MemoryLists {
    private struct Entry {
        var list: StoredList
        /// The places of the keys in the list. The place of an object that has moved holds 0, which
        /// is no key.
        var places: [Int64: Int] = [:]
    }

    private var entries: [String: Entry] = [:]

    subscript(name: String) -> StoredList? {
        guard var list = entries[name]?.list else { return nil }
        list.keys.removeAll { $0 == 0 }
        return list
    }

    mutating func apply(_ change: ListChange) {
        var entry = change.replacesAll ? nil : entries.removeValue(forKey: change.name)
        if entry == nil {
            let list = StoredList(entity: change.entity, keys: [], state: "")
            entry = Entry(list: list)
        }
        guard var entry else { return }
        entry.list.state = change.state
        for key in change.keys {
            if let place = entry.places[key] { entry.list.keys[place] = 0 }
            entry.places[key] = entry.list.keys.count
            entry.list.keys.append(key)
        }
        entries[change.name] = entry
    }
}
