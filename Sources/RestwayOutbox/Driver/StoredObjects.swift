import RestwayDocument
import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayStore

/// The objects that were written whole in a stored request, the outermost first. The answer is
/// matched with them, perhaps by another process. It is empty if nothing is inside the outermost
/// object.
struct StoredObjects {
    typealias Links = [(relationship: Int, links: [SentObject.Link])]

    /// The objects, with the store keys that they have since the request was stored.
    private(set) var sent: [SentObject] = []
    /// The local identity of each object; `nil` for an object that has another name.
    private(set) var locals: [LocalID?] = []
    /// The name of the part of its identity that each object lacks and its local identity stands
    /// for; `nil` for an object with an identity of one part.
    private(set) var parts: [String?] = []

    init(_ submission: Submission, _ identityTable: LocalIdentityTable) {
        guard submission.sent.count > 1 else { return }
        for object in submission.sent {
            let key = submission.storeKey(of: object)
            let isNew =
                !sent.isEmpty && object.identity == nil
                    && identityTable.mayBeNamed(object.entity, key)
            sent.append(
                SentObject(
                    entity: object.entity, storeKey: key, identity: object.identity,
                    links: object.links))
            locals.append(isNew ? LocalID.random() : nil)
            parts.append(isNew ? identityTable.missingPart(object.entity, key) : nil)
        }
    }

    /// The objects that wait for an identity.
    var companions: [OutboxCompanion] {
        zip(sent, locals).compactMap { object, local in
            local.map {
                OutboxCompanion(
                    local: $0, entity: object.entity.family.name, storeKey: object.storeKey)
            }
        }
    }

    /// Gives the objects other store keys, because another store has them.
    mutating func renumber(_ key: (Int64) -> Int64) {
        sent = sent.map { object in
            SentObject(
                entity: object.entity, storeKey: key(object.storeKey), identity: object.identity,
                links: object.links)
        }
    }

    /// Returns the objects with their present identities in the store.
    ///
    /// - Parameter newest: Returns the identity that the store has for an object; `nil` if the keys
    ///   belong to another store.
    func renewed(_ newest: ((Entity, Int64) -> Identity?)?) -> [SentObject] {
        // An object may have another identity by now.
        let names = sent.map { newest?($0.entity, $0.storeKey) ?? $0.identity }
        return zip(sent, names).map { object, name in
            let links: Links = object.links.map { relationship, ends in
                let ends = ends.map { end in
                    SentObject.Link(
                        identity: end.object.flatMap { names[$0] } ?? end.identity,
                        object: end.object)
                }
                return (relationship, ends)
            }
            return SentObject(
                entity: object.entity, storeKey: newest == nil ? 0 : object.storeKey,
                identity: name, links: links)
        }
    }

    // MARK: As JSON

    /// Stands between a local identity and the name of the part that it stands for.
    private static let partMark = "/"

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
            list.append(.string(object.entity.family.name))
            list.append(.integer(object.storeKey))
            add(object.identity)
            let part = parts[index].map { Self.partMark + $0 } ?? ""
            list.append(.string((locals[index]?.text ?? "") + part))
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

    /// Reads `json`. The result is empty if `json` names an entity that the document does not know,
    /// or an object that the list does not have.
    init(_ json: JSONValue?, entity: (String) -> Entity?) {
        let all = json?.elements ?? []
        var read: (sent: [SentObject], locals: [LocalID?], parts: [String?]) = ([], [], [])
        var rest = all[...]
        func next() -> JSONValue? { rest.popFirst() }
        // A count is limited to the number of all values.
        func count() -> Int { min(max(0, Int(clamping: next()?.integer ?? 0)), all.count) }
        func identity() -> Identity? {
            let word = next()
            return word?.integer.map { .integer($0) } ?? word?.string.map { .string($0) }
        }
        while !rest.isEmpty {
            guard let entity = next()?.string.flatMap(entity) else { return }
            let (key, name) = (next()?.integer ?? 0, identity())
            let local = next()?.string ?? ""
            let words = local.split(separator: Self.partMark, maxSplits: 1)
            read.locals.append(words.first.flatMap { LocalID(String($0)) })
            read.parts.append(words.count > 1 ? String(words[1]) : nil)
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
            read.sent.append(
                SentObject(entity: entity, storeKey: key, identity: name, links: links))
        }
        let links = read.sent.flatMap(\.links).flatMap(\.links)
        guard links.allSatisfy({ ($0.object ?? 0) < read.sent.count }) else { return }
        (sent, locals, parts) = read
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
        guard !submission.sent.isEmpty else {
            parts = [Part(draft: draft.sent(0), number: 0, entity: submission.entity, withheld: [])]
            return
        }
        parts = submission.sent.enumerated().compactMap { number, object in
            object.member.map { member in
                Part(
                    draft: draft.sent(member), number: number, entity: object.entity,
                    withheld: object.withheld)
            }
        }
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
    /// - Parameter matching: The content of the answer about the objects; `nil` if the answer has
    ///   no content about them.
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
