import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayStore
import RestwayThreads

/// The local identities of the objects of a store.
///
/// The server may have named an object, or it will name the object in the answer to a request.
/// Until then, requests about the object hold its local identity.
final class LocalIdentityTable: Sendable {
    enum IdentityState {
        /// The server has named the object.
        case known(Identity)
        /// A request creates the object. Until the server has named it, it has this local identity.
        case pending(LocalID)
        /// No request creates the object, so the server will not name it.
        case never
    }

    private let store: ObservedStore
    private let api: API
    private let journal: OutboxJournal
    /// A text that distinguishes this store in memory from earlier stores; `nil` for a store in a
    /// file.
    let life: String?
    /// The local identities of objects, by the store keys of the objects. An object keeps its local
    /// identity after the server has named it, as long as requests may still hold it.
    private let locals = Lock<[Int64: LocalID]>([:])
    /// The store keys of the objects of items that another store has stored, by the items and by
    /// the keys in that store. The edits of these items were laid in this store.
    private let adopted = Lock<[Int64: [Int64: Int64]]>([:])

    init(_ store: ObservedStore, _ api: API, _ journal: OutboxJournal) {
        self.store = store
        self.api = api
        self.journal = journal
        life = store.keepsKeys ? nil : String(store.identity)
    }

    // MARK: Finding

    func identityState(_ entity: Entity, _ storeKey: Int64) -> IdentityState {
        if let identity = identity(entity, storeKey) { return .known(identity) }
        return local(entity, storeKey).map { .pending($0) } ?? .never
    }

    /// Returns the state of an object by the stored requests alone. It is `never` for an object
    /// that only a call in flight creates.
    func storedIdentityState(_ entity: Entity, _ storeKey: Int64) -> IdentityState {
        if let identity = identity(entity, storeKey) { return .known(identity) }
        return expected(entity, storeKey).map { .pending($0) } ?? .never
    }

    /// Returns the identity that the store has for an object.
    private func identity(_ entity: Entity, _ storeKey: Int64) -> Identity? {
        guard storeKey != 0 else { return nil }
        return (try? store.newest(entity, storeKey: storeKey))?.identity
    }

    /// Returns the names of the parts of its identity that an object lacks. If the store does not
    /// have the object, it lacks all.
    func missingNames(_ entity: Entity, _ storeKey: Int64) -> [String] {
        let object = try? store.newest(entity, storeKey: storeKey)
        return entity.missingIdentityAttributes { object?.value(at: $0) ?? .absent }
            .map { entity.attributes[$0].name }
    }

    /// Returns the part of its identity that a local identity of the object stands for; `nil` if
    /// the identity has one part, or if the object lacks several.
    func missingPart(_ entity: Entity, _ storeKey: Int64) -> String? {
        (try? store.newest(entity, storeKey: storeKey))?.missingPart
    }

    /// Returns the local identity of an object; `nil` if it has no local identity.
    func local(_ entity: Entity, _ storeKey: Int64) -> LocalID? {
        if let known = locals.withLock({ $0[storeKey] }) { return known }
        // Another process, perhaps an earlier one, created the object.
        guard storeKey != 0, store.keepsKeys, !journal.isEmpty else { return nil }
        let stored = try? journal.local(entity: entity.family.name, storeKey: storeKey)
        guard let local = stored ?? nil else { return nil }
        name(storeKey, local)
        return local
    }

    /// Returns the local identity of an object that a stored request will create, or that another
    /// process has created without this store knowing the identity yet.
    func expected(_ entity: Entity, _ storeKey: Int64) -> LocalID? {
        guard let local = local(entity, storeKey),
            // The order matters: if the request is delivered between the two calls, the second call
            // finds the identity. If the file cannot be read, the object counts as expected, and
            // storing the request reports the error, so that the object is not created twice.
            (try? journal.creator(of: local) != nil || journal.identity(of: local) != nil) ?? true
        else { return nil }
        return local
    }

    /// Returns the local identity of an object to which the program has given its identity, while a
    /// stored request creates the object.
    func awaited(_ entity: Entity, _ storeKey: Int64) -> LocalID? {
        guard let local = local(entity, storeKey), local.isOfNamedObject,
            (try? journal.creator(of: local) != nil) ?? true
        else { return nil }
        return local
    }

    /// Whether the server will name an object that is written whole in a request.
    func mayBeNamed(_ entity: Entity, _ storeKey: Int64) -> Bool {
        guard storeKey != 0, entity.identityIndex != nil, !entity.isSingleton,
            let object = try? store.newest(entity, storeKey: storeKey)
        else { return false }
        return object.identity == nil && expected(entity, storeKey) == nil
    }

    /// Whether the store key of an item with this context belongs to this store.
    func isOurs(_ context: [UInt8]) -> Bool { OutboxContext(context).life == life }

    /// Whether the store keys of an edit are those of this store.
    ///
    /// - Parameter number: The number of the store in which the edit was laid.
    func isOurs(_ number: Int64) -> Bool { number == store.identity }

    /// Notes which objects of this store are the objects of an item of another store.
    ///
    /// - Parameter keys: The keys in this store, by the keys in the other one.
    func adopt(_ item: Int64, _ keys: [Int64: Int64]) { adopted.withLock { $0[item] = keys } }

    /// Notes that a part of an item has become an item of its own, which is about the same objects.
    func adopt(_ part: Int64, of item: Int64) {
        adopted.withLock { adopted in
            if let keys = adopted[item] { adopted[part] = keys }
        }
    }

    /// Returns the items of other stores that have an object of this store.
    func adoptedItems(_ storeKey: Int64) -> [Int64] {
        adopted.withLock { adopted in
            adopted.filter { $0.value.values.contains(storeKey) }.map(\.key)
        }
    }

    /// Returns the key of the object that an item is about; `nil` if the key belongs to another
    /// store.
    func storeKey(_ item: OutboxItem) -> Int64? {
        let origin = item.entry.origin
        if isOurs(origin.context) { return origin.storeKey }
        return origin.storeKey.flatMap { key in adopted.withLock { $0[item.id]?[key] } }
    }

    /// Returns the objects that were written whole in an item.
    func objects(_ item: OutboxItem) -> StoredObjects {
        let context = item.entry.origin.context
        var objects = StoredObjects(OutboxContext(context).sent, entity: entity)
        if !isOurs(context), let keys = adopted.withLock({ $0[item.id] }) {
            objects.renumber { keys[$0] ?? 0 }
        }
        return objects
    }

    /// Returns the pending edit of an item; `nil` if it has none.
    func edit(of item: OutboxItem) -> EditID? {
        item.entry.edit.map { EditID(outbox: journal.number, number: $0) }
    }

    /// Returns the objects that are to be deleted when the server has accepted an item: its change
    /// no longer links to them, and the policy of the relationship is `replace`.
    func replaced(by item: Int64) throws(Failure) -> [Snapshot] {
        guard let change = try journal.checked(journal.change(of: item)), isOurs(change.store)
        else { return [] }
        var replaced: [Snapshot] = []
        for object in change.objects {
            guard let entity = entity(object.entity),
                let newest = try store.newest(entity, storeKey: object.storeKey)
            else { continue }
            for cell in object.cells {
                guard let index = entity.relationshipIndex(named: cell.name),
                    entity.relationships[index].policy == .replace
                else { continue }
                // A later change may link to the object again.
                let linked = newest.relatedKeys(at: index)
                let left = cell.before.keys.filter { $0 != 0 && !linked.contains($0) }
                let targets = targets(of: entity.attributes.count + index, in: entity)
                replaced += try store.newest(anyOf: targets, storeKeys: left)
            }
        }
        return replaced
    }

    /// Returns the entities at the other end of the relationship of a cell.
    func targets(of cell: Int, in entity: Entity) -> [Entity] {
        guard entity.relationshipCells.contains(cell) else { return [] }
        let mappings = api.loaded.definition.entityMappings
        return entity.relationships[cell - entity.attributes.count].targets.map {
            mappings[$0].entity
        }
    }

    /// Returns the definition of an entity that an item names; `nil` if the document no longer has
    /// it.
    func entity(_ name: String?) -> Entity? {
        name.flatMap { api.loaded.definition.mapping(named: $0)?.entity }
    }

    // MARK: Changing

    /// Gives an object its local identity.
    func name(_ storeKey: Int64, _ local: LocalID) {
        guard storeKey != 0 else { return }
        locals.withLock { $0[storeKey] = local }
    }

    /// Gives the object of a request that is stored its local identity, unless another stored
    /// request creates the object.
    func name(_ object: Snapshot, _ local: LocalID) {
        let (entity, key) = (object.entity, object.storeKey)
        if expected(entity, key) == nil { name(key, local) }
    }

    /// Gives the objects inside a request the local identities that they are stored with.
    func name(_ objects: StoredObjects) {
        for companion in objects.companions { name(companion.storeKey, companion.local) }
    }

    /// Gives the objects of an item that is about to be sent their local identities. These count
    /// until the result is written, although the answer has given the objects their identities by
    /// then.
    func name(_ item: OutboxItem) {
        guard let key = storeKey(item) else { return }
        if let local = item.entry.creates { name(key, local) }
        name(objects(item))
    }

    /// Removes a local identity that the server will never replace.
    private func forget(_ storeKey: Int64, _ local: LocalID) {
        locals.withLock { locals in
            if locals[storeKey] == local { locals[storeKey] = nil }
        }
    }

    // MARK: Answers

    /// Returns the settlements of a delivered item: the server's identities for the objects inside
    /// the request and, last, the result for the item itself.
    func settlements(_ item: OutboxItem, _ response: Response?) -> [OutboxSettlement] {
        guard let entity = entity(item.entry.origin.entity) else { return [.remove(id: item.id)] }
        let key = storeKey(item)
        var settlements: [OutboxSettlement] = []
        let objects = objects(item)
        for (index, object) in objects.sent.enumerated() {
            guard let local = objects.locals[index] else { continue }
            let known = key == nil ? nil : identity(object.entity, object.storeKey)
            if let identity = known ?? response?.matching?.identity(of: index) {
                settlements.append(
                    .named(
                        id: item.id, local: local,
                        identity: object.entity.part(objects.parts[index], of: identity),
                        lane: Lane(of: object.entity, identity)))
            } else if key != nil {
                forget(object.storeKey, local)
            }
        }
        let named =
            item.entry.creates == nil
            ? nil
            : identity(entity, key ?? 0)
                ?? answered(item, response).first { $0.entity.isOfFamily(of: entity) }?
                .identity
        let part = OutboxContext(item.entry.origin.context).part
        settlements.append(
            .remove(
                id: item.id, identity: named.map { entity.part(part, of: $0) },
                lane: named.map { Lane(of: entity, $0) }))
        return settlements
    }

    /// Returns the objects of an answer that may be the object of an item. An answer after the
    /// redirect of a 303 describes another resource; if it has several objects, the item's object
    /// is unknown.
    private func answered(_ item: OutboxItem, _ response: Response?) -> [Snapshot] {
        guard let response else { return [] }
        let isOfOther = response.request.map { $0.method != item.entry.method } ?? false
        return isOfOther && response.objects.count != 1 ? [] : response.objects
    }

    /// Whether the answer to a creation may have an identity that a transform of the program could
    /// not read. The requests that wait for the object are kept then, because another attempt would
    /// bring the same answer.
    func hidesIdentity(
        _ settlement: OutboxSettlement?, _ item: OutboxItem, _ response: Response?
    ) -> Bool {
        guard case .remove(_, nil, _) = settlement, item.entry.creates != nil, let response,
            response.issueCount > 0,
            let name = item.entry.origin.entity,
            let mapping = api.loaded.definition.mapping(named: name)
        else { return false }
        return mapping.attributes.contains { attribute in
            mapping.entity.isIdentity(attribute: attribute.attribute)
                && attribute.conversion.mayAskHost
        }
    }

    // MARK: At the start

    /// The number of identities that are read at once.
    private static let pageIdentities = 1_000
    /// The shortest time for which an identity is kept, in microseconds: a week. In this time, a
    /// request may be stored that was made before its sender knew the identity.
    private static let identityMicroseconds: Int64 = 7 * 24 * 3_600 * 1_000_000

    /// Gives the store every identity that the server has returned for a created object, and then
    /// removes old identities that the store has already. The store may have lost identities at a
    /// power failure, because outbox and store are two files without a common transaction.
    func completeStore(wallMicroseconds: Int64) {
        var kept: Int64 = 0
        var isKeeping = true
        // The keys of a store in memory ended with their process.
        var last: Int64 = store.keepsKeys ? 0 : .max
        while last < .max,
            let page = try? journal.identities(after: last, countMax: Self.pageIdentities),
            let end = page.last
        {
            for known in page {
                // An identity that the store receives only now may be lost again, so it is kept.
                if (try? give(known)) != false { isKeeping = false }
                if isKeeping { kept = known.number }
            }
            last = end.number
        }
        try? journal.forgetIdentities(
            through: store.keepsKeys ? kept : .max,
            namedBefore: wallMicroseconds - Self.identityMicroseconds)
    }

    /// Gives the store one identity.
    ///
    /// - Returns: Whether the store did not have it.
    private func give(_ known: OutboxIdentity) throws(Failure) -> Bool {
        guard let key = known.storeKey, let entity = entity(known.entity),
            let index = entity.identityIndex,
            let object = try store.newest(entity, storeKey: key), object.identity == nil
        else { return false }
        var values = [Value](repeating: .absent, count: entity.cellCount)
        // The object has the other parts. An object that lacks several has the whole identity here.
        let missing = entity.missingIdentityAttributes(object.value)
        values[missing.count == 1 ? missing[0] : index] = Value(known.identity)
        var changes = ChangeSet()
        changes.rows = [Snapshot.make(entity, values)]
        changes.answers = [.init(storeKey: key, entity: entity, row: 0)]
        _ = try store.commit(changes)
        return true
    }
}

extension Snapshot {
    /// The only part that the identity of the object lacks; `nil` if it lacks several, or if it has
    /// one part.
    var missingPart: String? {
        guard entity.identityParts != nil else { return nil }
        let missing = entity.missingIdentityAttributes(value(at:))
        return missing.count == 1 ? entity.attributes[missing[0]].name : nil
    }
}

extension Entity {
    /// Returns the part of an identity that takes the place of a local identity: the one that the
    /// object lacked when the request was stored, or the whole identity if it lacked several.
    ///
    /// - Parameter name: The name of the attribute; `nil` for an identity of one part.
    fileprivate func part(_ name: String?, of identity: Identity) -> Identity {
        guard let index = name.flatMap(attributeIndex(named:)) else { return identity }
        return Identity(part(index, of: identity)) ?? identity
    }
}

/// The identities of objects that one request uses. The code that prepares the request asks for
/// them. Asking changes neither the table nor the store.
///
/// `@unchecked Sendable`: only one thread prepares a request.
final class RequestIdentities: LocalIdentities, @unchecked Sendable {
    let outbox: Outbox
    private var identityTable: LocalIdentityTable { outbox.identityTable }
    /// Why the request cannot go out as it is; `nil` while it uses no local identity.
    private(set) var missing: Failure?
    /// Whether an object lacks more than one part of its identity. A local identity stands for one
    /// part, so the request cannot wait for the object.
    private(set) var lacksSeveralParts = false
    /// The store keys of the objects that the path names.
    private var keysInPath: Set<Int64> = []
    /// The objects whose present identities the request holds.
    private var named: [(entity: Entity, storeKey: Int64)] = []

    init(_ outbox: Outbox) {
        self.outbox = outbox
    }

    /// Returns the value that the path uses for the identity of an object, or for a part of it: its
    /// current identity, or its local identity if the server has not named the object.
    func valueInPath(_ entity: Entity, _ storeKey: Int64, attribute: Int) -> Value? {
        guard let now = value(entity, storeKey) else { return nil }
        keysInPath.insert(storeKey)
        switch now {
        case .known(let identity): return entity.part(attribute, of: identity)
        case .pending(let text): return .string(text(.any))
        }
    }

    func noteNamed(_ entity: Entity, _ storeKey: Int64) {
        if storeKey != 0 { named.append((entity, storeKey)) }
    }

    /// Returns the objects whose identities the request holds although the server may not have them
    /// yet.
    ///
    /// - Parameter own: The object that the request is about, if it is such an object.
    func awaited(with own: LocalID?) -> [LocalID] {
        var locals = own.map { [$0] } ?? []
        guard !named.isEmpty, !outbox.journal.isEmpty else { return locals }
        for (entity, key) in named {
            guard let local = identityTable.awaited(entity, key), !locals.contains(local) else {
                continue
            }
            locals.append(local)
        }
        return locals
    }

    /// Whether the path names the object. Then the request is about an object that exists.
    func isInPath(_ storeKey: Int64) -> Bool { keysInPath.contains(storeKey) }

    /// Returns the current identity of an object, or its local identity if the server has not named
    /// the object.
    func value(_ entity: Entity, _ storeKey: Int64) -> IdentityForNow? {
        used(entity, storeKey, identityTable.identityState(entity, storeKey))
    }

    /// Returns the identity, or the local identity, of an object that is written whole inside
    /// another object. It is `nil` if this request creates the inner object, because no stored
    /// request does.
    func valueInside(_ entity: Entity, _ storeKey: Int64) -> IdentityForNow? {
        used(entity, storeKey, identityTable.storedIdentityState(entity, storeKey))
    }

    /// Returns the identity, or the local identity, of the object that the request is about.
    ///
    /// - Parameters:
    ///   - mayCreate: Whether the method can create objects. Then the request creates the object,
    ///     unless the path names it.
    ///   - mayWait: Whether the request can be stored until the server has named the object.
    func valueOutermost(
        _ entity: Entity, _ storeKey: Int64, mayCreate: Bool, mayWait: Bool
    ) -> IdentityForNow? {
        if mayCreate, !isInPath(storeKey) { return nil }
        let state = identityTable.identityState(entity, storeKey)
        if case .pending = state, !mayWait { return nil }
        return used(entity, storeKey, state)
    }

    private func used(
        _ entity: Entity, _ storeKey: Int64, _ state: LocalIdentityTable.IdentityState
    ) -> IdentityForNow? {
        switch state {
        case .known(let identity): return .known(identity)
        case .pending(let local):
            let names = identityTable.missingNames(entity, storeKey)
            var why = "and the request may not wait for it"
            if names.count > 1 {
                why = "and a request waits only for one part of an identity"
                lacksSeveralParts = true
            }
            missing = Failure(
                .missingVariable,
                "\(entity.name) has no \(names.joined(separator: " and no ")) yet, \(why)",
                field: names.first)
            return .pending { local.text(as: LocalID.Form($0)) }
        case .never: return nil
        }
    }

    /// Returns the places of the local identities that the request uses. Their texts are random, so
    /// no other text is mistaken for them.
    ///
    /// - Parameter mapper: The mapper of the body; `nil` for a body that is a text.
    func places(path: String, body: ExchangeBody, mapper: (any Mapper)? = nil) -> [LocalIDPlace] {
        guard missing != nil else { return [] }
        guard case .bytes(let bytes) = body else { return LocalIDPlace.all(path: path, body: []) }
        return LocalIDPlace.all(path: path, body: bytes, mapper: mapper)
    }

    /// Returns the places of the local identities in a request that is to be stored. Returns `nil`
    /// if they could not be replaced in the body, because its mapper does not read the body as it
    /// wrote it; `missing` says why.
    func places(
        path: String, _ request: StorableRequest, _ headers: [HeaderField]
    ) -> [LocalIDPlace]? {
        guard missing != nil else { return [] }
        let mapper = outbox.around.mappers.mapper(
            route: request.destination.route?.key, headers: headers)
        let places = places(path: path, body: request.content.body, mapper: mapper)
        guard let mapper, let mapped = request.content.mapped,
            case .bytes(let bytes) = request.content.body
        else { return places }
        let written = LocalIDPlace.values(of: MappedBody(.object(mapped), mapper))
        if written.isEmpty { return places }
        let found = Set(places.filter { $0.part == .value }.map { $0.local.text(as: $0.form) })
        let again = try? MappedBody(reading: bytes, by: mapper).bytes()
        guard again == bytes, written.allSatisfy({ found.contains($0.local.text(as: $0.form)) })
        else {
            missing?.message += ": \(mapper.title) does not read the body as it wrote it"
            return nil
        }
        return places
    }
}

extension LocalID.Form {
    /// Chooses how an attribute with this conversion is written. The program's own transforms are
    /// not called when the identity arrives, because a process without these transforms may receive
    /// it.
    fileprivate init(_ conversion: ValueConversion) {
        self =
            switch conversion.writing {
            case .intText: .text
            case .numberAsText: .number
            case .base64Text: .base64
            default: .plain
            }
    }
}

extension Value {
    /// The store keys of a link or a list of links.
    var keys: [Int64] {
        switch self {
        case .link(let key): [key]
        case .links(let keys): keys
        default: []
        }
    }
}
