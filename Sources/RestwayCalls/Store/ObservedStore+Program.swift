import RestwayDocument
package import RestwayObjects
package import RestwayOutcome

/// Drafts, as far as they need no server.
extension ObservedStore {
    /// Puts a draft, and the drafts that it refers to, into the store: as unsent objects, or into
    /// the objects that they are drafts of.
    ///
    /// - Returns: The snapshot that the store has now.
    package func insert(_ draft: Draft) throws(Failure) -> Snapshot {
        try insert(draft.capture())
    }

    /// Puts the state that a draft had at one moment into the store.
    package func insert(_ capture: DraftCapture) throws(Failure) -> Snapshot {
        try insert(capture, recordingChanges: false).commit.objects[0]
    }

    /// Puts the state of a draft into the store. Returns the rows that describe it, and the commit.
    package func insert(
        _ capture: DraftCapture, recordingChanges: Bool
    ) throws(Failure) -> (rows: [Snapshot], commit: Commit) {
        for member in capture.members where member.storeKey != 0 {
            guard try newest(member.entity, storeKey: member.storeKey) == nil else { continue }
            throw Failure(.noObject, DraftError.gone(entity: member.entity.name).message)
        }
        var changes = ChangeSet(origin: .host)
        capture.add(to: &changes)
        return (changes.rows, try commit(changes, recordingChanges: recordingChanges))
    }
}

/// Deletes objects from the store only; nothing is sent to the server.
extension ObservedStore {
    /// Deletes the object of a snapshot.
    ///
    /// - Returns: Whether the object was there.
    package func delete(_ object: Snapshot) throws(Failure) -> Bool {
        guard try holds(object) else { return false }
        let isDeleted = try delete([.object(object.entity, storeKey: object.storeKey)]) > 0
        if isDeleted { outbox?.forget(object) }
        return isDeleted
    }

    /// Deletes an object by its identity.
    ///
    /// - Returns: Whether the object was there.
    package func delete(_ entity: Entity, _ identity: Identity) throws(Failure) -> Bool {
        try delete([.identity(entity, identity)]) > 0
    }

    /// Deletes all objects of an entity, or all objects of the store.
    ///
    /// - Returns: The number of deleted objects.
    package func deleteAll(_ entity: Entity?) throws(Failure) -> Int {
        try delete([entity.map { .all($0) } ?? .everything])
    }

    /// Whether `object` is a snapshot of an object in this store. Another store may have given the
    /// same key to another object.
    package func holds(_ object: Snapshot) throws(Failure) -> Bool {
        try newest(of: object) != nil
    }

    /// Returns the newest snapshot of the object that `object` shows.
    package func newest(of object: Snapshot) throws(Failure) -> Snapshot? {
        guard let newest = try newest(object.entity, storeKey: object.storeKey),
            object.identity == nil || object.identity == newest.identity
        else { return nil }
        return newest
    }

    private func delete(_ deletions: [ChangeSet.Deletion]) throws(Failure) -> Int {
        var changes = ChangeSet(origin: .host)
        changes.deletions = deletions
        return try commit(changes).deletedCount
    }
}

/// A query with a condition that the outbox answers.
package struct HostQuery: Sendable {
    package var query: Query
    /// Selects only rejected objects, or only the others; `nil` selects all.
    package var isRejected: Bool?

    package init(_ query: Query) {
        self.query = query
    }
}

/// Rejected objects: those whose change the server has refused.
extension ObservedStore {
    /// Whether a dead letter of the outbox is about the object.
    package func isRejected(_ object: Snapshot) throws(Failure) -> Bool {
        guard try holds(object), let outbox = try outboxToAsk() else { return false }
        return try outbox.isRejected(object)
    }

    package func objects(_ query: HostQuery) throws(Failure) -> [Snapshot] {
        try objects(resolved(query))
    }

    package func count(_ query: HostQuery) throws(Failure) -> Int {
        try count(resolved(query))
    }

    private func resolved(_ host: HostQuery) throws(Failure) -> Query {
        var query = host.query
        guard let isRejected = host.isRejected else { return query }
        let keys = try outboxToAsk()?.rejectedKeys(of: query.entity) ?? []
        query.selection = isRejected ? .only(keys) : .without(keys)
        return query
    }
}

/// Queries with names and values that the program gives and that have to be checked.
extension Query {
    package mutating func addCondition(
        _ name: String, _ comparison: Comparison, _ value: Value
    ) throws(Failure) {
        let index = try entity.attribute(named: name)
        let type = entity.attributes[index].type
        guard type.canHold(value) else {
            throw Failure(
                .invalidArgument,
                "\(entity.name).\(name) is of type \(type.rawValue): it is never \(value.kindName)",
                field: name)
        }
        conditions.append(Condition(attribute: index, comparison, value))
    }

    package mutating func addOrder(_ name: String, isDescending: Bool) throws(Failure) {
        let index = try entity.attribute(named: name)
        order.append(Order(attribute: index, isDescending: isDescending))
    }
}

extension AttributeType {
    /// Whether an attribute of this type can be compared with `value` and the comparison can ever
    /// be true.
    fileprivate func canHold(_ value: Value) -> Bool {
        switch value {
        case .null: true
        case .link, .links, .absent: false
        case .bool, .int64, .double, .date: self != .string && self != .bytes && self != .json
        case .string: self == .any || self == .string || self == .json
        case .bytes: self == .any || self == .bytes
        case .json: self == .any || self == .json
        }
    }
}

extension Value {
    fileprivate var kindName: String {
        switch self {
        case .absent: "absent"
        case .null: "null"
        case .bool: "a bool"
        case .int64: "an int64"
        case .double: "a double"
        case .date: "a date"
        case .string: "a string"
        case .bytes: "bytes"
        case .json: "JSON"
        case .link, .links: "an object"
        }
    }
}
