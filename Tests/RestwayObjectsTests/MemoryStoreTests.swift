import RestwayObjects
import XCTest

/// What the memory store alone does.
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
}
