import RestwayObjects
import XCTest

final class ObjectStoreTests: StoreTestCase {
    let entity = Companies.entity()
    let anonymous = Companies.entity(identity: nil, index: 1)
    private var store: any ObjectStore = MemoryStore(keyBefore: 0)

    private func makeStore() throws {
        store = try makeStore([entity, anonymous])
    }

    func commit(_ rows: Snapshot...) throws -> Commit {
        try store.commit(ChangeSet(rows: rows))
    }

    func testStoreKeysStartAtOneAndAreCountedUp() throws {
        try withEachStore {
            try makeStore()
            let commit = try commit(
                Companies.row(entity, .int64(10)), Companies.row(entity, .string("a")),
                Companies.row(entity, .null))
            XCTAssertEqual(commit.objects.map(\.storeKey), [1, 2, 3])
            XCTAssertEqual(commit.insertedCount, 3)
            XCTAssertEqual(commit.updatedCount, 0)
            XCTAssertEqual(try store.count(entity), 3)
            XCTAssertEqual(try store.count(nil), 3)
        }
    }

    func testAnEqualIdentityIsTheSameObject() throws {
        try withEachStore {
            try makeStore()
            let first = try commit(Companies.row(entity, .int64(1), .string("a"), .double(1)))
            let second = try commit(Companies.row(entity, .int64(1), .string("b")))
            XCTAssertEqual(second.objects[0].storeKey, first.objects[0].storeKey)
            XCTAssertEqual(
                second.objects[0].values, [.int64(1), .string("b"), .double(1), .absent])
            XCTAssertEqual(first.objects[0].value(at: 1), .string("a"), "a snapshot never changes")
            XCTAssertEqual(second.insertedCount, 0)
            XCTAssertEqual(second.updatedCount, 1)
            XCTAssertEqual(try store.count(entity), 1)
        }
    }

    func testAnUnchangedRowKeepsTheOldSnapshot() throws {
        try withEachStore {
            try makeStore()
            let first = try commit(Companies.row(entity, .int64(1), .string("a")))
            let second = try commit(Companies.row(entity, .int64(1), .string("a")))
            XCTAssertTrue(first.objects[0] === second.objects[0])
            XCTAssertEqual(second.updatedCount, 0)
        }
    }

    func testACompleteRowTakesThePlaceOfTheOldSnapshotWithoutACopy() throws {
        try withEachStore {
            try makeStore()
            _ = try commit(Companies.row(entity, .int64(1), .string("a")))
            let row = Companies.row(entity, .int64(1), .string("b"), .null, .null)
            let second = try commit(row)
            XCTAssertTrue(second.objects[0] === row)
            XCTAssertEqual(row.storeKey, 1)
        }
    }

    func testTwoRowsOfOneIdentityLeaveOneObjectAndTheLaterAttributesWin() throws {
        try withEachStore {
            try makeStore()
            let commit = try commit(
                Companies.row(entity, .int64(1), .string("a"), .double(1)),
                Companies.row(entity, .int64(2)),
                Companies.row(entity, .int64(1), .string("b")))
            XCTAssertTrue(commit.objects[0] === commit.objects[2])
            XCTAssertEqual(
                commit.objects[0].values, [.int64(1), .string("b"), .double(1), .absent])
            XCTAssertEqual(commit.insertedCount, 2)
            XCTAssertEqual(commit.updatedCount, 0)
            let found = try store.object(entity, .integer(1))
            XCTAssertEqual(found?.values, commit.objects[0].values)
            if keepsSnapshots { XCTAssertTrue(found === commit.objects[0]) }
        }
    }

    func testRowsWithoutIdentityAreNewObjectsEachTime() throws {
        try withEachStore {
            try makeStore()
            for value: Value in [.null, .absent] {
                _ = try commit(Companies.row(entity, value, .string("a")))
            }
            XCTAssertEqual(try store.count(entity), 2)
            _ = try commit(Companies.row(anonymous, .int64(1)), Companies.row(anonymous, .int64(1)))
            XCTAssertEqual(try store.count(anonymous), 2)
            XCTAssertNil(try store.object(anonymous, .integer(1)))
        }
    }

    func testIntegersAndStringsAreFoundApart() throws {
        try withEachStore {
            try makeStore()
            _ = try commit(Companies.row(entity, .int64(1)), Companies.row(entity, .string("1")))
            XCTAssertEqual(try store.object(entity, .integer(1))?.storeKey, 1)
            XCTAssertEqual(try store.object(entity, .string("1"))?.storeKey, 2)
            XCTAssertNil(try store.object(entity, .string("2")))
        }
    }

    func testNewestLeadsFromAnOldSnapshotToTheLatest() throws {
        try withEachStore {
            try makeStore()
            let first = try commit(Companies.row(entity, .int64(1), .string("a")))
            let second = try commit(Companies.row(entity, .int64(1), .string("b")))
            let newest = try store.newest(entity, storeKey: first.objects[0].storeKey)
            XCTAssertTrue(newest === second.objects[0])
            XCTAssertNil(try store.newest(entity, storeKey: 2))
            XCTAssertNil(try store.newest(entity, storeKey: -1))
        }
    }

    func testCommittingRowsTwiceIsRefusedAndChangesNothing() throws {
        try withEachStore {
            try makeStore()
            let row = Companies.row(entity, .int64(1))
            _ = try commit(row)
            let fresh = Companies.row(entity, .int64(2))
            XCTAssertThrowsError(try commit(fresh, row)) {
                XCTAssertEqual($0 as? StoreError, .alreadyCommitted)
            }
            XCTAssertEqual(try store.count(nil), 1)
            XCTAssertEqual(fresh.storeKey, 0)
        }
    }

    func testAnEmptyChangeSetIsFine() throws {
        try withEachStore {
            try makeStore()
            XCTAssertTrue(try commit().objects.isEmpty)
        }
    }

    func testObjectsOutliveTheirStore() throws {
        try withEachStore {
            try makeStore()
            var store: (any ObjectStore)? = try makeStore([entity])
            let object = try store!.commit(
                ChangeSet(rows: [Companies.row(entity, .int64(1), .string("x"))])
            ).objects[0]
            store = nil
            XCTAssertEqual(object.string(at: 1), "x")
        }
    }
}
