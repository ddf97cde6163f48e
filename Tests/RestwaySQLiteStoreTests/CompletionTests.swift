import RestwayObjects
import XCTest

/// Rows that only complete the objects that a store has.
final class CompletionTests: StoreTestCase {
    private let model = EntityModel()
    private lazy var person = Entity(
        name: "Person", index: 1,
        attributes: [Attribute(name: "id"), Attribute(name: "name", type: .string)],
        identityIndex: 0, model: model)
    private let note = Entity(
        name: "Note", index: 2, attributes: [Attribute(name: "text", type: .string)])

    private func company(_ policy: Relationship.Policy) -> Entity {
        Entity(
            name: "Company", index: 0,
            attributes: [
                Attribute(name: "id"), Attribute(name: "name", type: .string),
                Attribute(name: "rating", type: .double),
            ],
            relationships: [
                Relationship(
                    name: "owner", targetName: "Person", targetIndex: 1, policy: policy),
                Relationship(
                    name: "staff", targetName: "Person", targetIndex: 1, isMany: true,
                    policy: policy),
            ],
            identityIndex: 0, model: model)
    }

    @discardableResult
    private func complete(_ store: any ObjectStore, _ rows: Snapshot...) throws -> Commit {
        var changes = ChangeSet(rows: rows)
        changes.onlyCompletes = true
        return try store.commit(changes, recordingChanges: true)
    }

    /// A company with people, who are rows of their own.
    private func rows(
        _ company: Entity, owner: Int64?, staff: [Int64]?
    ) -> [Snapshot] {
        let people = (owner.map { [$0] } ?? []) + (staff ?? [])
        let references = people.indices.map { Cell.reference(toRow: $0 + 1) }
        let list = staff.map { Value.links(Array(references.suffix($0.count))) }
        let values: [Value] = [
            .int64(1), .absent, .absent, owner == nil ? .absent : .link(references[0]),
            list ?? .absent,
        ]
        return [Snapshot.make(company, values)]
            + people.map { Snapshot.make(person, [.int64($0)]) }
    }

    private func linked(_ store: any ObjectStore, _ company: Entity) throws -> [[Int64]] {
        let object = try XCTUnwrap(store.object(company, .integer(1)))
        return try (0...1).map { relationship in
            try store.related(object, relationship: relationship).map { $0.cell(at: 0).integer }
        }
    }

    func testValuesOfAnObjectWinAndAbsentOnesAreFilledIn() throws {
        try withEachStore {
            let company = company(.assign)
            let store = try makeStore([company, person, note])
            let first = Snapshot.make(company, [.int64(1), .null])
            let key = try store.commit(ChangeSet(rows: [first])).objects[0].storeKey
            var commit = try complete(
                store, Snapshot.make(company, [.int64(1), .string("old"), .double(2)]))
            XCTAssertEqual(commit.objects[0].storeKey, key)
            XCTAssertEqual(commit.objects[0].values[..<3], [.int64(1), .null, .double(2)])
            XCTAssertEqual(commit.changes.map(\.kind), [.updated])
            XCTAssertFalse(commit.changes[0].changes(cellAt: 1))
            XCTAssertTrue(commit.changes[0].changes(cellAt: 2))

            commit = try complete(
                store, Snapshot.make(company, [.int64(1), .string("older"), .double(1)]))
            XCTAssertEqual(commit.objects[0].values[..<3], [.int64(1), .null, .double(2)])
            XCTAssertTrue(commit.changes.isEmpty)
            XCTAssertFalse(commit.hasChanges)
            let newest = try XCTUnwrap(store.newest(company, storeKey: key))
            XCTAssertEqual(newest.values[..<3], [.int64(1), .null, .double(2)])
        }
    }

    func testMissingObjectsAreStoredAsEver() throws {
        try withEachStore {
            let company = company(.assign)
            let store = try makeStore([company, person, note])
            _ = try store.commit(ChangeSet(rows: [Snapshot.make(person, [.int64(1), .null])]))
            // Two rows of one new object are equally new, so the later one wins.
            let commit = try complete(
                store, Snapshot.make(person, [.int64(1), .string("known")]),
                Snapshot.make(person, [.int64(2), .string("earlier")]),
                Snapshot.make(person, [.int64(2), .string("later")]),
                Snapshot.make(note, [.string("a")]), Snapshot.make(note, [.string("a")]))
            XCTAssertEqual(commit.insertedCount, 3)
            XCTAssertEqual(commit.updatedCount, 0)
            XCTAssertEqual(commit.objects[0].value(at: 1), .null)
            XCTAssertEqual(commit.objects[1].value(at: 1), .string("later"))
            XCTAssertEqual(commit.objects[1].storeKey, commit.objects[2].storeKey)
            XCTAssertEqual(try store.count(note), 2)
        }
    }

    func testLinksOfAnObjectWinUnderEveryPolicyAndNothingIsDeleted() throws {
        try withEachStore {
            for policy in [Relationship.Policy.assign, .merge, .replace] {
                let company = company(policy)
                let store = try makeStore([company, person, note])
                _ = try store.commit(ChangeSet(rows: rows(company, owner: 1, staff: [1, 2])))
                var changes = ChangeSet(rows: rows(company, owner: 3, staff: [2, 4]))
                changes.onlyCompletes = true
                let commit = try store.commit(changes, recordingChanges: true)
                XCTAssertEqual(try linked(store, company), [[1], [1, 2]], "\(policy)")
                XCTAssertEqual(commit.changes.map(\.kind), [.inserted, .inserted], "\(policy)")
                let people = try store.objects(Query(person)).map { $0.cell(at: 0).integer }
                XCTAssertEqual(people.sorted(), [1, 2, 3, 4], "\(policy)")
            }
        }
    }

    func testNoLinkIsAValueAndOnlyAbsentLinksAreFilledIn() throws {
        try withEachStore {
            for policy in [Relationship.Policy.assign, .merge, .replace] {
                let company = company(policy)
                let store = try makeStore([company, person, note])
                let bare = Snapshot.make(
                    company, [.int64(1), .absent, .absent, .null, .absent])
                _ = try store.commit(ChangeSet(rows: [bare]))
                var changes = ChangeSet(rows: rows(company, owner: 3, staff: [2, 4]))
                changes.onlyCompletes = true
                let commit = try store.commit(changes, recordingChanges: true)
                XCTAssertEqual(try linked(store, company), [[], [2, 4]], "\(policy)")
                XCTAssertEqual(commit.objects[0].relationshipCell(at: 0).kind, .null)
                XCTAssertEqual(commit.updatedCount, 1, "\(policy)")

                let emptied = Snapshot.make(
                    company, [.int64(1), .absent, .absent, .absent, .links([])])
                // The policy `merge` would join the lists.
                guard policy == .assign else { continue }
                _ = try store.commit(ChangeSet(rows: [emptied]))
                changes = ChangeSet(rows: rows(company, owner: 3, staff: [2, 4]))
                changes.onlyCompletes = true
                let again = try store.commit(changes, recordingChanges: true)
                XCTAssertEqual(try linked(store, company), [[], []])
                XCTAssertTrue(again.changes.isEmpty)
            }
        }
    }

    func testAnObjectThatTheProgramDeletedComesBackAsTheAnswerTellsIt() throws {
        try withEachStore {
            let company = company(.assign)
            let store = try makeStore([company, person, note])
            _ = try store.commit(ChangeSet(rows: rows(company, owner: 1, staff: [1, 2])))
            var deletion = ChangeSet(origin: .host)
            deletion.deletions = [.identity(person, .integer(2))]
            _ = try store.commit(deletion)
            XCTAssertEqual(try linked(store, company), [[1], [1]])
            var changes = ChangeSet(rows: rows(company, owner: 1, staff: [1, 2]))
            changes.onlyCompletes = true
            let commit = try store.commit(changes, recordingChanges: true)
            XCTAssertEqual(commit.changes.map(\.kind), [.inserted])
            // The company's own list wins. It leads to the object that has gone.
            XCTAssertEqual(try linked(store, company), [[1], [1]])
            XCTAssertNotNil(try store.object(person, .integer(2)))
        }
    }

    func testSeveralNewestSnapshotsComeInOrderWithoutTheDeletedOnes() throws {
        try withEachStore {
            let company = company(.assign)
            let store = try makeStore([company, person, note])
            let people = (1...4).map { Snapshot.make(person, [.int64($0)]) }
            let keys = try store.commit(ChangeSet(rows: people)).objects.map(\.storeKey)
            var changes = ChangeSet(rows: [Snapshot.make(person, [.int64(1), .string("a")])])
            changes.deletions = [.identity(person, .integer(3))]
            _ = try store.commit(changes)
            let found = try store.newest(person, storeKeys: [3, 0, 2, 1, 0].map { keys[$0] })
            XCTAssertEqual(
                found.map(\.values),
                [4, 1, 2, 1].map { id in
                    [.int64(id), id == 1 ? .string("a") : .absent]
                })
            XCTAssertEqual(try store.newest(note, storeKeys: keys).count, 0)
            XCTAssertEqual(try store.newest(person, storeKeys: []).count, 0)
        }
    }

    func testStoresHaveDifferentIdentities() throws {
        try withEachStore {
            let stores = [try makeStore([person]), try makeStore([person])]
            XCTAssertNotEqual(stores[0].identity, stores[1].identity)
        }
    }
}
