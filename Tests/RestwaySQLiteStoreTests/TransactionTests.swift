import RestwayObjects
import RestwaySQLite
import RestwaySQLiteStore
import RestwayThreads
import XCTest

/// Changes of a program that a store takes together.
final class TransactionTests: StoreTestCase {
    private let person = Entity(
        name: "Person", index: 0,
        attributes: [Attribute(name: "id"), Attribute(name: "name", type: .string)],
        relationships: [
            Relationship(name: "friends", targetName: "Person", targetIndex: 0, isMany: true)
        ], identityIndex: 0)

    private func draft(_ name: String, id: Int64? = nil) throws -> Draft {
        let draft = Draft(person)
        try draft.set(.string(name), attribute: 1)
        if let id { try draft.set(.int64(id), attribute: 0) }
        return draft
    }

    private func stored(_ store: any ObjectStore, _ names: String...) throws -> [Snapshot] {
        let rows = names.enumerated().map {
            Snapshot.make(person, [.int64(Int64($0.offset)), .string($0.element), .absent])
        }
        return try store.commit(ChangeSet(rows: rows)).objects
    }

    private func texts(_ store: any ObjectStore) throws -> [String] {
        try store.objects(Query(person)).map { "\($0.storeKey) \($0.values)" }
    }

    func testInsertionsChangesAndDeletionsAreOneCommit() throws {
        try withEachStore {
            let store = try makeStore([person])
            let objects = try stored(store, "a", "b")
            var steps = ChangeSteps()
            let (new, changed) = (try draft("c"), Draft(copying: objects[0]))
            try changed.set(.string("A"), attribute: 1)
            try new.add(.draft(changed), relationship: 0)
            try steps.insert(new.capture())
            XCTAssertTrue(steps.delete(objects[1]))
            XCTAssertFalse(steps.delete(objects[1]))
            XCTAssertEqual(new.storeKey, 0)
            let commit = try store.commit(steps)
            XCTAssertEqual(new.storeKey, 3)
            XCTAssertEqual(commit.changes.map(\.kind), [.inserted, .updated, .deleted])
            XCTAssertEqual(commit.insertedCount + commit.updatedCount + commit.deletedCount, 3)
            XCTAssertEqual(
                try store.objects(Query(person)).map { $0.string(at: 1) }, ["A", "c"])
            XCTAssertEqual(
                try store.newest(person, storeKey: 3)?.relatedKeys(at: 0), [1])
            XCTAssertTrue(try store.isUnsent(person, storeKey: 3))
        }
    }

    func testTheOrderOfTheProgramCounts() throws {
        try withEachStore {
            let store = try makeStore([person])
            let objects = try stored(store, "a")
            var steps = ChangeSteps()
            let gone = Draft(copying: objects[0])
            XCTAssertTrue(steps.delete(objects[0]))
            let same = try draft("again", id: 0)
            try steps.insert(same.capture())
            XCTAssertThrowsError(try steps.insert(gone.capture())) {
                XCTAssertEqual($0 as? DraftError, .gone(entity: "Person"))
            }
            let commit = try store.commit(steps)
            XCTAssertEqual(commit.changes.map(\.kind), [.deleted, .inserted])
            XCTAssertEqual(same.storeKey, 2)
            XCTAssertEqual(try store.object(person, .integer(0))?.string(at: 1), "again")
        }
    }

    func testADraftIsOneObjectHoweverOftenItIsInserted() throws {
        try withEachStore {
            let store = try makeStore([person])
            var steps = ChangeSteps()
            let shared = try draft("shared")
            for name in ["x", "y"] {
                let other = try draft(name)
                try other.add(.draft(shared), relationship: 0)
                try steps.insert(other.capture())
            }
            try shared.set(.string("later"), attribute: 1)
            try shared.set(.int64(7), attribute: 0)
            try steps.insert(shared.capture())
            let commit = try store.commit(steps)
            XCTAssertEqual(commit.changes.map(\.kind), [.inserted, .inserted, .inserted])
            XCTAssertEqual(try store.count(person), 3)
            let object = try XCTUnwrap(store.object(person, .integer(7)))
            XCTAssertEqual(object.storeKey, shared.storeKey)
            XCTAssertEqual(object.string(at: 1), "later")
        }
    }

    func testWhatComesAndGoesInOneTransactionIsNoChange() throws {
        try withEachStore {
            let store = try makeStore([person])
            let objects = try stored(store, "a")
            var steps = ChangeSteps()
            let draft = Draft(copying: objects[0])
            try draft.set(.string("b"), attribute: 1)
            try steps.insert(draft.capture())
            XCTAssertTrue(steps.delete(objects[0]))
            let commit = try store.commit(steps)
            XCTAssertEqual(commit.changes.map(\.kind), [.deleted])
            XCTAssertEqual(commit.changes[0].before?.string(at: 1), "a")
            XCTAssertFalse(try store.commit(ChangeSteps()).hasChanges)
        }
    }

    // MARK: A random program

    /// A program with drafts of its own, which makes the same changes in each store.
    private struct Program {
        let store: any ObjectStore
        var drafts: [Draft] = []
        var steps: ChangeSteps?

        mutating func insert(_ index: Int) throws {
            let capture = drafts[index].capture()
            if steps != nil {
                try? steps?.insert(capture)
                return
            }
            let keys = capture.members.map { ($0.entity, $0.storeKey) }.filter { $0.1 != 0 }
            for (entity, key) in keys {
                guard try store.newest(entity, storeKey: key) != nil else { return }
            }
            var changes = ChangeSet(origin: .host)
            capture.add(to: &changes)
            _ = try store.commit(changes)
        }

        mutating func delete(_ object: Snapshot) throws {
            if steps != nil {
                _ = steps?.delete(object)
                return
            }
            var changes = ChangeSet(origin: .host)
            changes.deletions = [.object(object.entity, storeKey: object.storeKey)]
            _ = try store.commit(changes)
        }
    }

    private func run(_ program: inout Program, _ objects: [Snapshot], seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        // A program either deletes objects, or makes drafts take over their identities: an object
        // that is both is refused one by one, but is a new object in a transaction.
        let deletes = seed % 2 == 0
        program.drafts = objects.prefix(2).map { Draft(copying: $0) }
        for _ in 0..<3 { program.drafts.append(Draft(person)) }
        var named: Set<Int> = []
        func any() -> Int { program.drafts.indices.randomElement(using: &random)! }
        for _ in 0..<15 {
            let index = any()
            switch Int.random(in: 0..<6, using: &random) {
            case 0 where named.insert(index).inserted:
                let id = Int64.random(in: 0...5, using: &random) + (deletes ? 10 : 0)
                try? program.drafts[index].set(.int64(id), attribute: 0)
            case 1:
                let name = "\(Int.random(in: 0...99, using: &random))"
                try program.drafts[index].set(.string(name), attribute: 1)
            case 2: try program.drafts[index].add(.draft(program.drafts[any()]), relationship: 0)
            case 3 where deletes: try program.delete(objects.randomElement(using: &random)!)
            default: try program.insert(index)
            }
        }
    }

    func testATransactionLeavesWhatItsChangesLeaveOneByOne() throws {
        try withEachStore {
            for seed in 1...UInt64(60) {
                var together = Program(store: try makeStore([person]), steps: ChangeSteps())
                var single = Program(store: MemoryStore(keyBefore: 0))
                let objects = try stored(together.store, "a", "b", "c")
                try run(&together, objects, seed: seed)
                let before = try texts(together.store)
                let commit = try together.store.commit(XCTUnwrap(together.steps))
                try run(&single, try stored(single.store, "a", "b", "c"), seed: seed)
                let after = try texts(together.store)
                XCTAssertEqual(after, try texts(single.store), "seed \(seed)")
                XCTAssertEqual(commit.hasChanges, before != after, "seed \(seed)")
                if testRun?.totalFailureCount != 0 { return }
            }
        }
    }

    func testAFailureLeavesNothing() throws {
        let countdown = Lock(Int.max)
        let faults = FaultPoints { _ in
            countdown.withLock { left in
                left -= 1
                return left == 0 ? 13 : nil  // SQLITE_FULL
            }
        }
        for number in 1..<1000 {
            let file = StoreFile()
            defer { file.remove() }
            let store = try file.open([person]) { $0.connection.faults = faults }
            let objects = try stored(store, "a", "b")
            var steps = ChangeSteps()
            let drafts = [try draft("c"), try draft("d", id: 1)]
            try steps.insert(drafts[0].capture())
            _ = steps.delete(objects[1])
            try steps.insert(drafts[1].capture())
            countdown.withLock { $0 = number }
            let isStored = (try? store.commit(steps)) != nil
            let isOver = countdown.withLock { $0 > 0 }
            countdown.withLock { $0 = .max }
            let names = try store.objects(Query(person)).map { $0.string(at: 1) }
            XCTAssertEqual(names, isStored ? ["a", "c", "d"] : ["a", "b"], "fault \(number)")
            XCTAssertEqual(drafts.map { $0.storeKey > 0 }, [isStored, isStored])
            if isOver { return }
        }
        XCTFail("the commit has too many operations")
    }
}
