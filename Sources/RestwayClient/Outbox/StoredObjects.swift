import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayOutbox

/// What was written whole in a request that is stored, itself first: what its answer is matched
/// with, perhaps by another process. Empty when nothing is inside it.
struct StoredObjects {
    typealias Links = [(relationship: Int, links: [SentObject.Link])]

    /// With the store keys that they have since the request was stored.
    private(set) var sent: [SentObject] = []
    /// What each is called until the server names it; empty for those that have another name.
    private(set) var locals: [String] = []

    init(_ submission: Submission, _ outbox: Outbox) {
        guard submission.sent.count > 1 else { return }
        for object in submission.sent {
            let key = submission.storeKey(of: object)
            let isNew =
                !sent.isEmpty && object.identity == nil && outbox.mayName(object.entity, key)
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

    /// Those that wait for a name.
    var companions: [OutboxCompanion] {
        var companions: [OutboxCompanion] = []
        for (index, object) in sent.enumerated() {
            guard let local = local(of: index) else { continue }
            companions.append(
                .init(local: local, entity: object.entity.name, storeKey: object.storeKey))
        }
        return companions
    }

    /// The same, as the store has it now.
    ///
    /// - Parameter newest: What the store calls an object; `nil`: its keys are of another store.
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

    /// One list: of each object its entity, key, identity, local identity, and its relationships;
    /// of each of those the name, and its links.
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

    /// What `json` says; nothing when that is not what the document knows.
    init(_ json: JSONValue?, entity: (String) -> Entity?) {
        var words = Words(all: json?.elements ?? [])
        while !words.isAtEnd {
            guard let entity = words.next?.string.flatMap(entity) else {
                self = Self()
                return
            }
            let key = words.next?.integer ?? 0
            let identity = words.identity
            locals.append(words.next?.string ?? "")
            var links: Links = []
            for _ in 0..<words.count {
                let relationship = words.next?.string.flatMap(entity.relationshipIndex(named:))
                links.append((relationship ?? 0, []))
                for _ in 0..<words.count {
                    let name = words.identity
                    let object = words.next?.integer ?? -1
                    let end = SentObject.Link(
                        identity: name, object: object < 0 ? nil : Int(clamping: object))
                    links[links.count - 1].links.append(end)
                }
                if relationship == nil { links.removeLast() }
            }
            append(entity, key, identity, links)
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

    /// What a list says, one word after the other.
    private struct Words {
        let all: [JSONValue]
        private var place = 0

        init(all: [JSONValue]) {
            self.all = all
        }

        var isAtEnd: Bool { place >= all.count }

        var next: JSONValue? {
            mutating get {
                guard !isAtEnd else { return nil }
                place += 1
                return all[place - 1]
            }
        }

        /// How much follows; no more than there is.
        var count: Int {
            mutating get { min(max(0, Int(clamping: next?.integer ?? 0)), all.count) }
        }

        var identity: Identity? {
            mutating get {
                let word = next
                if let integer = word?.integer { return .integer(integer) }
                return word?.string.map { .string($0) }
            }
        }
    }
}
