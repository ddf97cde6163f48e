import RestwayObjects
import RestwaySQLiteStore
import RestwayThreads
import XCTest

/// Drafts that give their objects identities, also identities that other objects have: both stores
/// give the same results.
final class DraftIdentityTests: StoreTestCase {
    private let person = Entity(
        name: "Person", index: 0,
        attributes: [Attribute(name: "id"), Attribute(name: "name", type: .string)],
        relationships: [
            Relationship(name: "friends", targetName: "Person", targetIndex: 0, isMany: true),
            Relationship(name: "boss", targetName: "Person", targetIndex: 0),
        ], identityIndex: 0)

    private func insert(_ draft: Draft, _ store: any ObjectStore) throws -> Commit {
        var changes = ChangeSet(origin: .host)
        draft.capture().add(to: &changes)
        return try store.commit(changes, recordingChanges: true)
    }

    func testADraftTakesOverTheObjectWhoseIdentityItGets() throws {
        try withEachStore {
            let store = try makeStore([person])
            let objects = try store.commit(
                ChangeSet(rows: [
                    row(.int64(1), .string("server"), .absent, .link(2)),
                    row(.int64(2), .absent, .links([1]), .link(1)),
                ])
            ).objects
            let draft = Draft(person)
            try draft.set(.int64(7), attribute: 0)
            XCTAssertEqual(try insert(draft, store).changes.map(\.kind), [.inserted])
            try draft.set(.int64(1), attribute: 0)
            let commit = try insert(draft, store)
            XCTAssertEqual(commit.changes.map(\.storeKey), [1, 3])
            XCTAssertEqual(commit.changes.map(\.kind), [.deleted, .updated])
            XCTAssertEqual(try store.count(person), 2)
            let object = try XCTUnwrap(store.object(person, .integer(1)))
            XCTAssertEqual(object.storeKey, draft.storeKey)
            XCTAssertEqual(object.string(at: 1), "server")
            XCTAssertEqual(object.relatedKeys(at: 1), [2])
            XCTAssertNil(try store.object(person, .integer(7)))
            XCTAssertEqual(try store.newest(person, storeKey: 1)?.storeKey, 3)
            for relationship in 0...1 {
                let related = try store.related(objects[1], relationship: relationship)
                XCTAssertEqual(related.map(\.storeKey), [3])
            }
            // The identity that the draft had is free for another object.
            let other = try store.commit(
                ChangeSet(rows: [row(.int64(7), .absent, .absent, .absent)]))
            XCTAssertEqual(other.insertedCount, 1)
        }
    }

    func testTwoDraftsOfOneCommitMayGetOneIdentity() throws {
        try withEachStore {
            let store = try makeStore([person])
            let (known, new) = (Draft(person), Draft(person))
            _ = try insert(known, store)
            try known.set(.int64(9), attribute: 0)
            try new.set(.int64(9), attribute: 0)
            try new.set(.string("new"), attribute: 1)
            try new.set([.draft(known)], relationship: 1)
            let commit = try insert(new, store)
            XCTAssertEqual(commit.changes.map(\.kind), [.updated])
            XCTAssertEqual([known.storeKey, new.storeKey], [1, 1])
            XCTAssertEqual(try store.count(person), 1)
            XCTAssertEqual(try store.object(person, .integer(9))?.string(at: 1), "new")
        }
    }

    /// A program with drafts of its own, which makes the same changes in each store.
    private struct Program {
        let store: any ObjectStore
        var drafts: [Draft] = []
        /// The changes of a transaction that is being collected.
        var steps: ChangeSteps?

        mutating func insert(_ index: Int) throws -> Commit? {
            let capture = drafts[index].capture()
            if steps != nil {
                try? steps?.insert(capture)
                return nil
            }
            for member in capture.members where member.storeKey != 0 {
                let object = try store.newest(member.entity, storeKey: member.storeKey)
                guard object != nil else { return nil }
            }
            var changes = ChangeSet(origin: .host)
            capture.add(to: &changes)
            return try store.commit(changes, recordingChanges: true)
        }
    }

    private func text(_ objects: [Snapshot]) -> [String] {
        objects.map { "\($0.storeKey): \($0.values)" }
    }

    private func text(_ commit: Commit?) -> String {
        guard let commit else { return "nothing" }
        let changes = commit.changes.map {
            "\($0.storeKey) \($0.kind) \(text([$0.before, $0.after].compactMap(\.self)))"
        }
        return "\(text(commit.objects)) \(commit.insertedCount) \(commit.updatedCount) "
            + "\(commit.deletedCount) \(changes)"
    }

    private func row(_ values: Value...) -> Snapshot { Snapshot.make(person, values) }

    /// Makes one random step of the program and returns what came of it.
    private func step(
        _ program: inout Program, _ random: inout SeededRandom
    ) throws -> String {
        func any() -> Int { program.drafts.indices.randomElement(using: &random)! }
        let (index, other, id) = (any(), any(), Int64.random(in: 0...5, using: &random))
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: try? program.drafts[index].set(.int64(id), attribute: 0)
        case 2: try? program.drafts[index].set(.null, attribute: 0)
        case 3: try program.drafts[index].set(.string("\(id)"), attribute: 1)
        case 4: try program.drafts[index].add(.draft(program.drafts[other]), relationship: 0)
        case 5: try program.drafts[index].set([.draft(program.drafts[other])], relationship: 1)
        case 6: program.drafts[index] = Draft(person)
        case 7 where program.steps == nil:
            let rows = [row(.int64(id), .string("server"), .absent, .link(2))]
            return text(try program.store.commit(ChangeSet(rows: rows), recordingChanges: true))
        case 8 where program.steps == nil:
            var changes = ChangeSet(rows: [row(.int64(id), .string("answer"), .absent, .absent)])
            let key = program.drafts[index].storeKey
            changes.answers = [.init(storeKey: key, entity: person, row: 0)]
            return text(try program.store.commit(changes, recordingChanges: true))
        case 9 where program.steps == nil:
            var changes = ChangeSet(origin: .host)
            changes.deletions = [.identity(person, .integer(id))]
            return text(try program.store.commit(changes, recordingChanges: true))
        case 10:
            if let steps = program.steps {
                program.steps = nil
                return text(try program.store.commit(steps))
            }
            program.steps = ChangeSteps()
        default: return text(try program.insert(index))
        }
        return ""
    }

    private func state(_ store: any ObjectStore) throws -> [String] {
        let byIdentity = try (0..<Int64(6)).compactMap {
            try store.object(person, .integer($0))
        }
        let byKey = try (1..<Int64(20)).compactMap { try store.newest(person, storeKey: $0) }
        let all = try store.objects(Query(person))
        return try [text(byIdentity), text(byKey), text(all)].flatMap(\.self)
            + all.map { "\(try store.isUnsent(person, storeKey: $0.storeKey))" }
    }

    func testRandomDraftsComeToTheSameInBothStores() throws {
        for seed in 1...UInt64(30) {
            let file = StoreFile()
            defer { file.remove() }
            let sqlite = try file.open([person]) { $0.cachedObjectsMax = seed % 2 == 0 ? 100 : 1 }
            let stores: [any ObjectStore] = [MemoryStore(keyBefore: 0), sqlite]
            var programs = try stores.map { store in
                let rows = (0..<3).map { row(.int64($0), .string("s"), .absent, .link(1)) }
                let objects = try store.commit(ChangeSet(rows: rows)).objects
                return Program(
                    store: store,
                    drafts: [Draft(copying: objects[0])] + (0..<3).map { _ in Draft(person) })
            }
            var randoms = [SeededRandom(seed: seed), SeededRandom(seed: seed)]
            for number in 0..<30 {
                let place = "seed \(seed), step \(number)"
                let results = try programs.indices.map { place in
                    try step(&programs[place], &randoms[place])
                }
                XCTAssertEqual(results[1], results[0], place)
                let keys = programs.map { $0.drafts.map(\.storeKey) }
                XCTAssertEqual(keys[1], keys[0], place)
                XCTAssertEqual(try state(stores[1]), try state(stores[0]), place)
                let identities = try stores[0].objects(Query(person)).compactMap(\.identity)
                XCTAssertEqual(Set(identities).count, identities.count, place)
                if testRun?.totalFailureCount != 0 { return }
            }
        }
    }
}
