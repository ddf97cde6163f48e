import RestwayObjects
import XCTest

/// Tests of the memory store only.
final class MemoryStoreTests: XCTestCase {
    func testEntitiesOfOtherApisAreApart() throws {
        let (entity, other) = (Companies.entity(), Companies.entity())
        let store = MemoryStore(keyBefore: 0)
        _ = try store.commit(ChangeSet(rows: [Companies.row(entity, .int64(1))]))
        XCTAssertNil(store.object(other, .integer(1)))
        XCTAssertNil(store.newest(other, storeKey: 1))
        XCTAssertEqual(store.count(other), 0)
        let rows = [Companies.row(other, .int64(1)), Companies.row(entity, .int64(1))]
        let commit = try store.commit(ChangeSet(rows: rows))
        XCTAssertEqual(commit.objects.map(\.storeKey), [2, 1])
        XCTAssertEqual(store.count(nil), 2)
    }

    func testIdentitiesOfAllKindsAreFoundWhateverElseIsDeleted() throws {
        let entity = Companies.entity()
        let store = MemoryStore(keyBefore: 0)
        var identities: [Int64] = [.min, .max]
        for number in Int64(0)..<1_500 {
            identities += [number, -1 - number * 3, number << 12 | 1 << 40, number << 50 | 5]
        }
        identities = Array(Set(identities))
        let rows = identities.map { Companies.row(entity, .int64($0)) }
        _ = try store.commit(ChangeSet(rows: rows))
        XCTAssertEqual(store.count(entity), identities.count)
        var deletion = ChangeSet()
        for identity in identities where identity % 3 == 0 {
            deletion.deletions.append(.identity(entity, .integer(identity)))
        }
        _ = try store.commit(deletion)
        for identity in identities {
            let found = store.object(entity, .integer(identity))
            XCTAssertEqual(found?.identity, identity % 3 == 0 ? nil : .integer(identity))
        }
        let again = identities.map { Companies.row(entity, .int64($0)) }
        let commit = try store.commit(ChangeSet(rows: again))
        XCTAssertEqual(commit.insertedCount, identities.count { $0 % 3 == 0 })
        XCTAssertEqual(commit.objects.map(\.identity), identities.map { .integer($0) })
        XCTAssertEqual(Set(commit.objects.map(\.storeKey)).count, identities.count)
    }

    private let entity = Companies.entity()

    private func row(_ name: String) -> ChangeSet {
        ChangeSet(rows: [
            Companies.row(entity, .int64(1), .string(name), .double(1), .json("[]"))
        ])
    }

    func testRowsThatOnlyCompleteSetNothingBackWithoutAndWithAListOfChanges() throws {
        for isRecording in [false, true] {
            let store = MemoryStore(keyBefore: 0)
            let known = Companies.row(entity, .int64(1), .string("new"), .null)
            _ = try store.commit(ChangeSet(rows: [known]))
            var changes = ChangeSet(rows: [
                Companies.row(entity, .int64(2), .string("missing")),
                Companies.row(entity, .int64(1), .string("old"), .double(1), .json("[]")),
                Companies.row(entity, .int64(1), .string("new")),
            ])
            changes.onlyCompletes = true
            let commit = try store.commit(changes, recordingChanges: isRecording)
            XCTAssertEqual(commit.insertedCount, 1)
            XCTAssertEqual(commit.updatedCount, 1)
            XCTAssertEqual(
                store.newest(entity, storeKeys: [1, 2, 3]).map(\.values),
                [
                    [.int64(1), .string("new"), .null, .json("[]")],
                    [.int64(2), .string("missing"), .absent, .absent],
                ])
            XCTAssertTrue(commit.objects[1] === commit.objects[2])
        }
    }

    func testSeveralKeysLeadToTheObjectsThatOthersWereMergedInto() throws {
        let store = MemoryStore(keyBefore: 0)
        let sent = try store.commit(
            ChangeSet(rows: [Companies.row(entity, .absent, .string("sent"))], origin: .host)
        ).objects[0]
        let other = try store.commit(ChangeSet(rows: [Companies.row(entity, .int64(1))])).objects[0]
        var answer = ChangeSet(rows: [Companies.row(entity, .int64(1))])
        answer.answers = [.init(storeKey: sent.storeKey, entity: entity, row: 0)]
        _ = try store.commit(answer)
        let found = store.newest(entity, storeKeys: [other.storeKey, sent.storeKey])
        XCTAssertEqual(found.map(\.storeKey), [sent.storeKey, sent.storeKey])
    }

    func testRowsThatWereCommittedAreRefused() throws {
        let store = MemoryStore(keyBefore: 0)
        let rows = row("one")
        _ = try store.commit(rows)
        XCTAssertThrowsError(try store.commit(rows))
    }
}
