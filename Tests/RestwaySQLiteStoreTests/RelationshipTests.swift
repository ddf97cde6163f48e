import RestwayObjects
import XCTest

/// The effects of policies on existing links. Cases in files cover the whole table; this file tests
/// only the parts that the store decides.
final class RelationshipTests: StoreTestCase {
    private let model = EntityModel()
    private lazy var person = Entity(
        name: "Person", index: 1, attributes: [Attribute(name: "id"), Attribute(name: "name")],
        identityIndex: 0, model: model)

    private func company(_ policy: Relationship.Policy) -> Entity {
        Entity(
            name: "Company", index: 0, attributes: [Attribute(name: "id")],
            relationships: [
                Relationship(
                    name: "owner", targetName: "Person", targetIndex: 1, policy: policy),
                Relationship(
                    name: "staff", targetName: "Person", targetIndex: 1, isMany: true,
                    policy: policy),
            ],
            identityIndex: 0, model: model)
    }

    /// Maps a company, and a stub for each person, in one response.
    private func response(
        _ company: Entity, owner: Int64?, staff: [Int64]?, ownerIsNull: Bool = false,
        staffIsNull: Bool = false
    ) -> ChangeSet {
        let people = (owner.map { [$0] } ?? []) + (staff ?? [])
        let references = people.indices.map { Cell.reference(toRow: $0 + 1) }
        let ownerValue: Value = owner != nil ? .link(references[0]) : ownerIsNull ? .null : .absent
        let staffValue: Value =
            staff != nil
            ? .links(Array(references.suffix(staff!.count))) : staffIsNull ? .null : .absent
        let rows = [Snapshot.make(company, [.int64(1), ownerValue, staffValue])]
        return ChangeSet(rows: rows + people.map { Snapshot.make(person, [.int64($0)]) })
    }

    private func staff(_ store: any ObjectStore, _ company: Entity) throws -> [Int64] {
        try names(store, company, 1)
    }

    private func names(
        _ store: any ObjectStore, _ company: Entity, _ relationship: Int
    ) throws -> [Int64] {
        guard let object = try store.object(company, .integer(1)) else { return [] }
        return try store.related(object, relationship: relationship).map { $0.cell(at: 0).integer }
    }

    func testPolicies() throws {
        try withEachStore {
            // The columns are: policy; staff after 1,2 met 2,3; staff after a null; which of 1, 2,
            // 3 still exist.
            let expected: [(Relationship.Policy, [Int64], [Int64], [Int64])] = [
                (.assign, [2, 3], [], [1, 2, 3]),
                (.merge, [1, 2, 3], [1, 2, 3], [1, 2, 3]),
                (.replace, [2, 3], [], []),
            ]
            for (policy, met, emptied, left) in expected {
                let company = company(policy)
                let store = try makeStore([company, person])
                _ = try store.commit(response(company, owner: nil, staff: [1, 2]))
                XCTAssertEqual(try staff(store, company), [1, 2])
                _ = try store.commit(response(company, owner: nil, staff: [2, 3]))
                XCTAssertEqual(try staff(store, company), met, "\(policy)")
                _ = try store.commit(response(company, owner: nil, staff: nil))
                XCTAssertEqual(try staff(store, company), met, "\(policy): missing")
                _ = try store.commit(response(company, owner: nil, staff: nil, staffIsNull: true))
                XCTAssertEqual(try staff(store, company), emptied, "\(policy)")
                let people = try store.objects(Query(person)).map { $0.cell(at: 0).integer }
                XCTAssertEqual(people, left, "\(policy)")
            }
        }
    }

    func testReplacedOwnerIsDeletedUnlessTheResponseTellsAboutIt() throws {
        try withEachStore {
            let company = company(.replace)
            let store = try makeStore([company, person])
            _ = try store.commit(response(company, owner: 1, staff: []))
            _ = try store.commit(response(company, owner: 2, staff: [1]))
            XCTAssertEqual(try names(store, company, 0), [2])
            XCTAssertEqual(try staff(store, company), [1])
            let commit = try store.commit(
                response(company, owner: nil, staff: nil, ownerIsNull: true),
                recordingChanges: true)
            XCTAssertEqual(commit.deletedCount, 1)
            XCTAssertEqual(commit.changes.map(\.kind), [.updated, .deleted])
            XCTAssertNil(try store.object(person, .integer(2)))
            XCTAssertNotNil(try store.object(person, .integer(1)))
        }
    }

    func testAListHoldsEachObjectOnce() throws {
        try withEachStore {
            let company = company(.assign)
            let store = try makeStore([company, person])
            let ids: [Int64] = [1, 2, 1, 3, 2]
            _ = try store.commit(response(company, owner: 3, staff: ids))
            XCTAssertEqual(try staff(store, company), [1, 2, 3])
            let many = (0..<40).map { Int64($0 % 20) }
            _ = try store.commit(response(company, owner: 3, staff: many))
            XCTAssertEqual(try staff(store, company), Array(0..<20))
            let again = try store.commit(
                response(company, owner: 3, staff: many), recordingChanges: true)
            XCTAssertTrue(again.changes.isEmpty)
            XCTAssertEqual(again.updatedCount, 0)
        }
    }

    func testAPostedObjectBecomesTheOneThatTheServerNamed() throws {
        try withEachStore {
            let company = company(.assign)
            let store = try makeStore([company, person])
            let sent = Snapshot.make(company, [.absent, .absent, .absent])
            var commit = try store.commit(ChangeSet(rows: [sent], origin: .host))
            let key = commit.objects[0].storeKey
            XCTAssertTrue(try store.isUnsent(company, storeKey: key))

            var answer = ChangeSet(rows: [Snapshot.make(company, [.int64(9)])])
            answer.answers = [ChangeSet.Answer(storeKey: key, entity: company, row: 0)]
            commit = try store.commit(answer, recordingChanges: true)
            XCTAssertEqual(commit.objects[0].storeKey, key)
            XCTAssertEqual(commit.changes.map(\.kind), [.updated])
            XCTAssertEqual(try store.object(company, .integer(9))?.storeKey, key)
            XCTAssertEqual(try store.count(company), 1)
            XCTAssertFalse(try store.isUnsent(company, storeKey: key))
        }
    }

    func testAnObjectThatWasKnownAlreadyEndsInThePostedOne() throws {
        try withEachStore {
            let company = company(.assign)
            let store = try makeStore([company, person])
            let sent = try store.commit(
                ChangeSet(rows: [Snapshot.make(company, [.absent])], origin: .host)
            ).objects[0]
            let other = try store.commit(response(company, owner: 5, staff: [])).objects[0]
            var answer = ChangeSet(rows: [Snapshot.make(company, [.int64(1)])])
            answer.answers = [ChangeSet.Answer(storeKey: sent.storeKey, entity: company, row: 0)]
            _ = try store.commit(answer)
            XCTAssertEqual(try store.count(company), 1)
            XCTAssertEqual(try names(store, company, 0), [5], "the other object keeps its links")
            let newest = try store.newest(company, storeKey: other.storeKey)
            XCTAssertEqual(newest?.storeKey, sent.storeKey)
        }
    }

    func testDeletions() throws {
        try withEachStore {
            let company = company(.assign)
            let store = try makeStore([company, person])
            let commit = try store.commit(response(company, owner: 1, staff: [2, 3]))
            var changes = ChangeSet()
            changes.deletions = [
                .identity(person, .integer(1)), .identity(person, .integer(7)),
                .object(person, storeKey: commit.objects[2].storeKey),
            ]
            XCTAssertEqual(try store.commit(changes).deletedCount, 2)
            XCTAssertEqual(try names(store, company, 0), [])
            XCTAssertEqual(try staff(store, company), [3])
            changes.deletions = [.all(person)]
            XCTAssertEqual(try store.commit(changes).deletedCount, 1)
            changes.deletions = [.everything]
            let last = try store.commit(changes, recordingChanges: true)
            XCTAssertEqual(last.changes.map(\.kind), [.deleted])
            XCTAssertEqual(try store.count(nil), 0)
        }
    }
}
