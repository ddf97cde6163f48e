import RestwayMapping
import RestwayObjects
import RestwayOutbox
import RestwayThreads

/// Local identities: the names of objects that the server has not named yet.
extension Outbox {
    /// Returns the local identity of an object, if it has one.
    func local(_ entity: Entity, _ storeKey: Int64) -> LocalID? {
        if let known = state.withLock({ $0.locals[storeKey] }) { return known }
        // An earlier process, or another one, created the object.
        guard storeKey != 0, client?.store.keepsKeys == true, !journal.isEmpty else { return nil }
        let stored = try? journal.local(entity: entity.name, storeKey: storeKey)
        guard let local = stored ?? nil else { return nil }
        name(entity, storeKey, local)
        return local
    }

    func name(_ object: Snapshot, _ local: LocalID) {
        name(object.entity, object.storeKey, local)
    }

    func name(_ entity: Entity, _ storeKey: Int64, _ local: LocalID) {
        guard storeKey != 0 else { return }
        state.withLock { $0.locals[storeKey] = local }
    }

    /// Removes a local identity that the server will never replace.
    private func forgetName(_ storeKey: Int64, _ local: LocalID) {
        state.withLock { state in
            if state.locals[storeKey] == local { state.locals[storeKey] = nil }
        }
    }

    /// Returns the settlement of a delivered item. The settlement of a creation says what the
    /// server calls the object.
    ///
    /// - Parameter names: Receives the identities of the objects inside the request.
    func delivered(
        _ item: OutboxItem, _ response: Response?, _ names: inout [OutboxSettlement]
    ) -> OutboxSettlement {
        guard let client, let name = item.entry.entity,
            let entity = client.api.loaded.definition.mappings[name]?.entity
        else { return .remove(id: item.id) }
        let key = storeKey(item.entry)
        func identity(_ entity: Entity, _ storeKey: Int64) -> Identity? {
            guard key != nil, storeKey != 0 else { return nil }
            return (try? client.store.newest(entity, storeKey: storeKey))?.identity
        }
        let objects = objects(item.entry)
        for (index, object) in objects.sent.enumerated() {
            guard let local = objects.local(of: index) else { continue }
            let known = identity(object.entity, object.storeKey)
            if let identity = known ?? response?.matching?.identity(of: index) {
                names.append(
                    .named(
                        id: item.id, local: local, identity: identity,
                        lane: Lane(of: object.entity, identity)))
            } else if key != nil {
                forgetName(object.storeKey, local)
            }
        }
        guard item.entry.creates != nil else { return .remove(id: item.id) }
        let named = identity(entity, key ?? 0)
            ?? response?.objects.first { $0.entity === entity }?.identity
        return .created(
            id: item.id, identity: named, lane: named.map { Lane(of: entity, $0) })
    }
}

extension Outbox {
    /// Whether the answer to a creation may hold an identity that a transform of the program could
    /// not read. Another attempt brings the same answer, so the requests that wait for the object
    /// are kept.
    func hidesIdentity(
        _ settlement: OutboxSettlement, _ item: OutboxItem, _ response: Response?
    ) -> Bool {
        guard case .created(_, nil, _) = settlement, let response, response.issueCount > 0,
            let mapping = item.entry.entity.flatMap({
                client?.api.loaded.definition.mappings[$0]
            })
        else { return false }
        let identity = mapping.attributes.first { $0.attribute == mapping.entity.identityIndex }
        if case .custom = identity?.conversion { return true }
        return false
    }
}

// Objects inside other objects, and drafts.
extension Outbox {
    /// Returns the objects that were written whole in an item.
    func objects(_ entry: OutboxEntry) -> StoredObjects {
        let mappings = client?.api.loaded.definition.mappings ?? [:]
        return StoredObjects(OutboxContext(entry.context).sent) { mappings[$0]?.entity }
    }

    /// Gives the objects inside a request the local identities that they are stored with.
    func name(_ objects: StoredObjects) {
        for (index, object) in objects.sent.enumerated() {
            if let local = objects.local(of: index) { name(object.entity, object.storeKey, local) }
        }
    }

    /// Whether the server still has to name an object inside a request.
    func mayName(_ entity: Entity, _ storeKey: Int64) -> Bool {
        guard storeKey != 0, entity.identityIndex != nil,
            let object = try? client?.store.newest(entity, storeKey: storeKey)
        else { return false }
        return object.identity == nil && expected(entity, storeKey) == nil
    }

    /// Returns the local identity of an object that a stored request will create, or that another
    /// process has created without this store knowing the identity yet.
    func expected(_ entity: Entity, _ storeKey: Int64) -> LocalID? {
        guard let local = local(entity, storeKey),
            // The order matters: an object whose request is delivered between the two calls is
            // named by then. If the file cannot be read, the answer is yes, and storing the request
            // reports the error: this is better than creating the object twice.
            (try? journal.isExpected(local) || journal.identity(of: local) != nil) ?? true
        else { return nil }
        return local
    }

    /// Keeps the drafts that must be told when their request is delivered.
    func remember(_ drafts: StoredDrafts?) {
        guard let drafts else { return }
        state.withLock { state in
            // Now and then, drafts that the program has released are removed.
            let count = state.drafts.count
            if count >= 64, count & (count - 1) == 0 {
                state.drafts = state.drafts.filter { !$0.value.allSatisfy(\.areGone) }
            }
            state.drafts[drafts.key, default: []].append(drafts)
        }
    }

    /// Removes and returns the drafts that were kept for the request with this key.
    func drafts(of key: String) -> StoredDrafts? {
        state.withLock { state in
            guard var same = state.drafts.removeValue(forKey: key) else { return nil }
            let first = same.removeFirst()
            if !same.isEmpty { state.drafts[key] = same }
            return first
        }
    }

    /// Tells the drafts of a delivered request that the server has what they said when the request
    /// was stored.
    func settleDrafts(_ result: OutboxResult) {
        let drafts = drafts(of: result.item.entry.idempotencyKey)
        guard let drafts, result.failure == nil, let client else { return }
        drafts.settle(result.report.response?.matching, in: client.store)
    }
}

// Objects that the server has named, and objects that it will never name.
extension Outbox {
    /// The number of identities that are read at once.
    private static let pageIdentities = 1_000
    /// How long an identity is kept at least, in microseconds: a week. In that time a request may
    /// still come that was made before its sender learned the identity.
    private static let identityMicroseconds: Int64 = 7 * 24 * 3_600 * 1_000_000

    /// Gives the store every identity that the server returned for a created object. The store may
    /// have lost some at a power failure, because the two files share no transaction. Then it
    /// removes old identities that the store was found to have.
    func nameObjects(_ client: Client) {
        var kept: Int64 = 0
        var isKeeping = true
        // The keys of a store in memory ended with their process.
        var last: Int64 = client.store.keepsKeys ? 0 : .max
        while last < .max,
            let page = try? journal.identities(after: last, countMax: Self.pageIdentities),
            let end = page.last
        {
            for known in page {
                // The store may lose again what it receives only now.
                if (try? give(known, client)) != false { isKeeping = false }
                if isKeeping { kept = known.number }
            }
            last = end.number
        }
        try? journal.forgetIdentities(
            through: client.store.keepsKeys ? kept : .max,
            namedBefore: clock.wallMicroseconds() - Self.identityMicroseconds)
    }

    /// Gives the store one identity.
    ///
    /// - Returns: Whether the store did not have it.
    private func give(_ known: OutboxIdentity, _ client: Client) throws(Failure) -> Bool {
        guard let name = known.entity, let key = known.storeKey,
            let entity = client.api.loaded.definition.mappings[name]?.entity,
            let index = entity.identityIndex,
            let object = try client.store.newest(entity, storeKey: key), object.identity == nil
        else { return false }
        var values = [Value](repeating: .absent, count: entity.cellCount)
        switch known.identity {
        case .integer(let integer): values[index] = .int64(integer)
        case .string(let string): values[index] = .string(string)
        }
        var changes = ChangeSet()
        changes.rows = [Snapshot.make(entity, values)]
        changes.answers = [.init(storeKey: key, entity: entity, row: 0)]
        _ = try client.store.commit(changes)
        return true
    }

    /// Drops the requests about an object that never left this machine.
    ///
    /// - Returns: False if the server may know the object or has named it: then the server must be
    ///   asked.
    func withdraw(_ local: LocalID) throws(Failure) -> Bool {
        let withdrawal = try run { () throws(OutboxError) in try journal.withdraw(local) }
        guard case .dropped = withdrawal else { return false }
        lanesChanged()
        try takeBack()
        return true
    }

    /// Drops the stored requests of an object that the program has deleted from the store, if the
    /// server never saw the object.
    func forget(_ object: Snapshot) {
        guard object.identity == nil, let local = local(object.entity, object.storeKey) else {
            return
        }
        _ = try? withdraw(local)
    }
}
