import RestwayCalls
import RestwayDocument
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayStore

/// Marks objects as rejected while a dead letter is about them: until it is retried, edited or
/// dropped. Only the journal knows the dead letters, so no mark can be out of date.
struct RejectionMarks: Sendable {
    /// Objects of the store by their store keys, which no two objects share.
    typealias Marked = [Int64: Entity]

    let journal: OutboxJournal
    let identityTable: LocalIdentityTable
    let around: OutboxSurroundings

    private var store: ObservedStore { around.store }
    private var entities: [Entity] { around.api.loaded.definition.entities }

    /// Whether a dead letter is about the object.
    func isRejected(_ object: Snapshot) throws(Failure) -> Bool {
        try !deadLetters(about: object).isEmpty
    }

    /// Returns the store keys of the objects of an entity that dead letters are about.
    func rejectedKeys(of entity: Entity) throws(Failure) -> Set<Int64> {
        Set(try rejected([entity]).keys)
    }

    private func deadLetters(about object: Snapshot) throws(Failure) -> Set<Int64> {
        let newest = try store.newest(of: object) ?? object
        let lane = newest.identity.map { Lane(of: newest.entity, $0) }
        var letters = try journal.checked(
            journal.deadLetters(
                in: lane, entity: newest.entity.family.name, storeKey: newest.storeKey,
                where: identityTable.isOurs))
        for id in identityTable.adoptedItems(newest.storeKey)
        where try journal.checked(journal.item(id))?.state == .dead {
            letters.insert(id)
        }
        return letters
    }

    private func rejected(_ entities: [Entity]) throws(Failure) -> Marked {
        let (lanes, objects) = try journal.checked(
            journal.rejectedObjects(where: identityTable.isOurs))
        return try marked(lanes, objects, entities)
    }

    private func marked(
        _ lanes: [Lane], _ objects: [(entity: String, storeKey: Int64)], _ entities: [Entity]
    ) throws(Failure) -> Marked {
        var marked: Marked = [:]
        for entity in entities {
            for (name, key) in objects where name == entity.family.name {
                let object = try store.newest(entity, storeKey: key)
                if let object { marked[object.storeKey] = entity }
            }
            for lane in lanes {
                for identity in lane.identities(entity: entity.family.name)
                where Lane(of: entity, identity) == lane {
                    guard let object = try store.object(entity, identity) else { continue }
                    marked[object.storeKey] = entity
                }
            }
        }
        return marked
    }

    // MARK: Observers

    /// Returns the objects that one item is about and the objects that it creates.
    func objects(of item: OutboxItem) throws(Failure) -> Marked {
        var objects: [(entity: String, storeKey: Int64)] = []
        if let key = identityTable.storeKey(item), let name = item.entry.origin.entity {
            let inside = identityTable.objects(item).companions
            objects = [(name, key)] + inside.map { ($0.entity, $0.storeKey) }
        }
        return try marked([item.entry.lane], objects, entities)
    }

    /// Returns all objects that are rejected now.
    func allRejected() throws(Failure) -> Marked { try rejected(entities) }

    /// Tells the store's observers which objects these items have marked by becoming dead letters.
    ///
    /// - Parameter told: Objects whose change the observers already know.
    func tellRejected(by items: [OutboxItem], besides told: Set<Int64> = []) {
        let dead = Set(items.map(\.id))
        var marked: Marked = [:]
        for item in items { marked.merge((try? objects(of: item)) ?? [:]) { $1 } }
        // The other objects were marked before.
        tell(marked.filter { !told.contains($0.key) }, from: .server) {
            $0.isSubset(of: dead) && !$0.isEmpty
        }
    }

    /// Tells the store's observers which of these objects are no longer marked, because the program
    /// has dropped, edited or retried a dead letter.
    ///
    /// - Parameter told: Objects whose change the observers already know.
    func tellAccepted(_ marked: Marked, besides told: Set<Int64> = []) {
        tell(marked.filter { !told.contains($0.key) }, from: .local) { $0.isEmpty }
    }

    private func tell(
        _ marked: Marked, from source: Change.Source, where isNews: (Set<Int64>) -> Bool
    ) {
        guard !marked.isEmpty else { return }
        var news: [Snapshot] = []
        for (key, entity) in marked {
            guard let object = try? store.newest(entity, storeKey: key),
                let letters = try? deadLetters(about: object), isNews(letters)
            else { continue }
            news.append(object)
        }
        store.tellMarks(of: news.sorted { $0.storeKey < $1.storeKey }, from: source)
    }
}
