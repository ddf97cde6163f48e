import RestwayCalls
import RestwayDocument
import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayOutcome

/// The objects that were written whole in a stored request, the outermost first. The answer is
/// matched with them, perhaps by another process. It is empty if nothing is inside the outermost
/// object.
struct StoredObjects {
    typealias Links = [(relationship: Int, links: [SentObject.Link])]

    /// The objects, with the store keys that they have since the request was stored.
    private(set) var sent: [SentObject] = []
    /// The local identity of each object; empty for an object that has another name.
    private(set) var locals: [String] = []

    init(_ submission: Submission, _ ledger: IdentityLedger) {
        guard submission.sent.count > 1 else { return }
        for object in submission.sent {
            let key = submission.storeKey(of: object)
            let isNew =
                !sent.isEmpty && object.identity == nil
                    && ledger.mayBeNamed(object.entity, key)
            append(object.entity, key, object.identity, object.links)
            locals.append(isNew ? LocalID.random().text : "")
        }
    }

    private mutating func append(
        _ entity: Entity, _ key: Int64, _ identity: Identity?, _ links: Links
    ) {
        sent.append(SentObject(entity: entity, storeKey: key, identity: identity, links: links))
    }

    func local(of index: Int) -> LocalID? { LocalID(locals[index]) }

    /// The objects that wait for an identity.
    var companions: [OutboxCompanion] {
        var companions: [OutboxCompanion] = []
        for (index, object) in sent.enumerated() {
            guard let local = local(of: index) else { continue }
            companions.append(
                .init(local: local, entity: object.entity.name, storeKey: object.storeKey))
        }
        return companions
    }

    /// Returns the objects with their present identities in the store.
    ///
    /// - Parameter newest: Returns the identity that the store has for an object; `nil` if the keys
    ///   belong to another store.
    func renewed(_ newest: ((Entity, Int64) -> Identity?)?) -> [SentObject] {
        var names: [Identity?] = []
        for object in sent {
            names.append(object.identity ?? newest?(object.entity, object.storeKey))
        }
        var renewed = StoredObjects()
        for (index, object) in sent.enumerated() {
            var links: Links = []
            for (relationship, ends) in object.links {
                links.append((relationship, []))
                for end in ends {
                    let name = end.object.flatMap { names[$0] } ?? end.identity
                    links[links.count - 1].links.append(.init(identity: name, object: end.object))
                }
            }
            renewed.append(
                object.entity, newest == nil ? 0 : object.storeKey, names[index], links)
        }
        return renewed.sent
    }

    // MARK: As JSON

    /// All objects as one list. It holds for each object its entity, key, identity, local identity
    /// and relationships, and for each relationship its name and its links.
    var json: JSONValue? {
        guard !sent.isEmpty else { return nil }
        var list: [JSONValue] = []
        func add(_ identity: Identity?) {
            switch identity {
            case .integer(let integer): list.append(.integer(integer))
            case .string(let string): list.append(.string(string))
            case nil: list.append(.null)
            }
        }
        for (index, object) in sent.enumerated() {
            list.append(.string(object.entity.name))
            list.append(.integer(object.storeKey))
            add(object.identity)
            list.append(.string(locals[index]))
            list.append(.integer(Int64(object.links.count)))
            for (relationship, links) in object.links {
                list.append(.string(object.entity.relationships[relationship].name))
                list.append(.integer(Int64(links.count)))
                for link in links {
                    add(link.identity)
                    list.append(.integer(Int64(link.object ?? -1)))
                }
            }
        }
        return .array(list)
    }

    private init() {}

    /// Reads `json`. The result is empty if `json` names an entity that the document does not know,
    /// or an object that the list does not have.
    init(_ json: JSONValue?, entity: (String) -> Entity?) {
        let all = json?.elements ?? []
        var rest = all[...]
        func next() -> JSONValue? { rest.popFirst() }
        // A count is limited to the number of all values.
        func count() -> Int { min(max(0, Int(clamping: next()?.integer ?? 0)), all.count) }
        func identity() -> Identity? {
            let word = next()
            return word?.integer.map { .integer($0) } ?? word?.string.map { .string($0) }
        }
        while !rest.isEmpty {
            guard let entity = next()?.string.flatMap(entity) else {
                self = Self()
                return
            }
            let (key, name) = (next()?.integer ?? 0, identity())
            locals.append(next()?.string ?? "")
            var links: Links = []
            for _ in 0..<count() {
                let relationship = next()?.string.flatMap(entity.relationshipIndex(named:))
                var ends: [SentObject.Link] = []
                for _ in 0..<count() {
                    let (name, number) = (identity(), next()?.integer ?? -1)
                    let object = number < 0 ? nil : Int(clamping: number)
                    ends.append(.init(identity: name, object: object))
                }
                if let relationship { links.append((relationship, ends)) }
            }
            append(entity, key, name, links)
        }
        for object in sent {
            for (_, ends) in object.links {
                for end in ends where (end.object ?? 0) >= sent.count {
                    self = Self()
                    return
                }
            }
        }
    }
}

/// The drafts from which a stored request was made, as long as the program has them. When the
/// request has been delivered, they become drafts of the objects in the answer.
final class StoredDrafts: Sendable {
    private struct Part {
        let draft: SentDraft
        /// The position of the draft among the objects that were written whole.
        let number: Int
        let entity: Entity
        let withheld: Set<Int>
    }

    /// The idempotency key of the request, which is known before it is stored.
    let key: String
    private let parts: [Part]

    /// Fails if the request was not made from a draft.
    init?(_ submission: Submission?, key: String) {
        guard let submission, case .draft(let draft) = submission.subject else { return nil }
        self.key = key
        var parts: [Part] = []
        if submission.sent.isEmpty {
            parts.append(
                Part(draft: draft.sent(0), number: 0, entity: submission.entity, withheld: []))
        }
        for (number, object) in submission.sent.enumerated() {
            guard let member = object.member else { continue }
            parts.append(
                Part(
                    draft: draft.sent(member), number: number, entity: object.entity,
                    withheld: object.withheld))
        }
        self.parts = parts
    }

    /// Whether the program has released all of these drafts.
    var areGone: Bool { !parts.contains { $0.draft.storeKey != 0 } }

    /// Tells the drafts that the objects which they created have been removed.
    func forgetObjects(_ keys: Set<Int64>) {
        for part in parts where keys.contains(part.draft.storeKey) {
            part.draft.forgetObject(part.draft.storeKey)
        }
    }

    /// Tells the drafts which objects of `store` they have become.
    ///
    /// - Parameter matching: What the answer says about the objects; `nil` if it says nothing.
    func settle(_ matching: AnswerMatching?, in store: ObservedStore) {
        for part in parts where !(matching?.lost.contains(part.number) ?? false) {
            let key = part.draft.storeKey
            guard key != 0, let object = try? store.newest(part.entity, storeKey: key) else {
                continue
            }
            let mismatches = matching?.mismatchedCells(of: part.number, part.entity) ?? []
            part.draft.settle(on: object, withholding: part.withheld.union(mismatches))
        }
    }
}
