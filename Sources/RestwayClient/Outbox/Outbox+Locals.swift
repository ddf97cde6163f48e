import RestwayMapping
import RestwayObjects
import RestwayOutbox
import RestwaySupport

/// What objects are called that the server has not named yet.
extension Outbox {
    /// The name of an object, if it has one.
    func local(_ entity: Entity, _ storeKey: Int64) -> LocalID? {
        if let known = state.withLock({ $0.locals[storeKey] }) { return known }
        // Made by a process before this one, or by another.
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

    /// The object no longer has this name, which the server will not replace.
    private func forgetName(_ storeKey: Int64, _ local: LocalID) {
        state.withLock { state in
            if state.locals[storeKey] == local { state.locals[storeKey] = nil }
        }
    }

    /// What a delivered item means: that of a creation says what the server calls the object.
    ///
    /// - Parameter names: Receives what it calls those inside of it.
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

// Objects inside of others, and drafts.
extension Outbox {
    /// What was written whole in an item.
    func objects(_ entry: OutboxEntry) -> StoredObjects {
        let mappings = client?.api.loaded.definition.mappings ?? [:]
        return StoredObjects(OutboxContext(entry.context).sent) { mappings[$0]?.entity }
    }

    /// Gives the objects inside of a request the names that they are stored with.
    func name(_ objects: StoredObjects) {
        for (index, object) in objects.sent.enumerated() {
            if let local = objects.local(of: index) { name(object.entity, object.storeKey, local) }
        }
    }

    /// Whether an object inside of a request is the server's to name.
    func mayName(_ entity: Entity, _ storeKey: Int64) -> Bool {
        guard storeKey != 0, entity.identityIndex != nil,
            let object = try? client?.store.newest(entity, storeKey: storeKey)
        else { return false }
        return object.identity == nil && expected(entity, storeKey) == nil
    }

    /// The name of an object that a stored request is to create, or that another process has
    /// delivered one for, of which this store has not heard.
    func expected(_ entity: Entity, _ storeKey: Int64) -> LocalID? {
        guard let local = local(entity, storeKey),
            // In this order: what is delivered between the two is named by then. Where the file
            // cannot be read, who stores the request says so: better than making it twice.
            (try? journal.isExpected(local) || journal.identity(of: local) != nil) ?? true
        else { return nil }
        return local
    }

    /// Keeps in mind who is to be told of a delivery.
    func remember(_ drafts: StoredDrafts?) {
        guard let drafts else { return }
        state.withLock { state in
            // Every now and then without those that nobody will be told of any more.
            let count = state.drafts.count
            if count >= 64, count & (count - 1) == 0 {
                state.drafts = state.drafts.filter { !$0.value.allSatisfy(\.areGone) }
            }
            state.drafts[drafts.key, default: []].append(drafts)
        }
    }

    /// Whom nobody has to keep in mind any more, by the key of the request.
    func drafts(of key: String) -> StoredDrafts? {
        state.withLock { state in
            guard var same = state.drafts.removeValue(forKey: key) else { return nil }
            let first = same.removeFirst()
            if !same.isEmpty { state.drafts[key] = same }
            return first
        }
    }

    /// The server has taken what was said by the time that the request was stored.
    func settleDrafts(_ result: OutboxResult) {
        let drafts = drafts(of: result.item.entry.idempotencyKey)
        guard let drafts, result.failure == nil, let client else { return }
        drafts.settle(result.report.response?.matching, in: client.store)
    }
}

// Objects that the server has named, and those that it never will.
extension Outbox {
    /// So many identities are read at once.
    private static let pageIdentities = 1_000
    /// So long an identity is kept at least, in microseconds: a week. Until then a request may come
    /// that was made before somebody had heard of it.
    private static let identityMicroseconds: Int64 = 7 * 24 * 3_600 * 1_000_000

    /// Lets the store have every identity that a creation was answered with: it may have lost some
    /// when the machine lost its power, as the two files have no transaction in common. Those are
    /// forgotten that it was found to have, and that are old.
    func nameObjects(_ client: Client) {
        var kept: Int64 = 0
        var isKeeping = true
        // The keys of a store in memory ended with its process.
        var last: Int64 = client.store.keepsKeys ? 0 : .max
        while last < .max,
            let page = try? journal.identities(after: last, countMax: Self.pageIdentities),
            let end = page.last
        {
            for known in page {
                // What it is given only now may be lost again.
                if (try? give(known, client)) != false { isKeeping = false }
                if isKeeping { kept = known.number }
            }
            last = end.number
        }
        try? journal.forgetIdentities(
            through: client.store.keepsKeys ? kept : .max,
            namedBefore: clock.wallMicroseconds() - Self.identityMicroseconds)
    }

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

    /// Takes back the requests of an object that never left this machine.
    ///
    /// - Returns: False when the server may know it, or has named it: then it is to be told.
    func withdraw(_ local: LocalID) throws(Failure) -> Bool {
        let withdrawal = try run { () throws(OutboxError) in try journal.withdraw(local) }
        if case .dropped = withdrawal {
            lanesChanged()
            return true
        }
        return false
    }

    /// The host has deleted an object from the store: what was to be sent of one that the server
    /// never saw goes along.
    func forget(_ object: Snapshot) {
        guard object.identity == nil, let local = local(object.entity, object.storeKey) else {
            return
        }
        _ = try? withdraw(local)
    }
}
