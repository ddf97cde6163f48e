import RestwayObjects
import XCTest

/// What objects remember of the routes that brought them.
final class RememberedVariablesTests: StoreTestCase {
    private let entity = Companies.entity()
    private let other = Companies.entity(index: 1)
    private var store: any ObjectStore = MemoryStore(keyBefore: 0)

    private func makeStore() throws {
        store = try makeStore([entity, other])
    }

    private func commit(_ variables: [String: String]?, _ rows: Snapshot...) throws -> Commit {
        var changes = ChangeSet(rows: rows)
        changes.variables = variables.map { RouteVariables($0) }
        return try store.commit(changes, recordingChanges: true)
    }

    private func remembered(_ key: Int64, _ entity: Entity? = nil) throws -> [String: String]? {
        let found = try store.variables(entity ?? self.entity, storeKey: key)
        return found.map { found in
            Dictionary(uniqueKeysWithValues: found.pairs.map { ($0.name, $0.value) })
        }
    }

    func testObjectsRememberVariablesThatAreNoneOfTheirAttributes() throws {
        try withEachStore {
            try makeStore()
            _ = try commit(
                ["owner": "a", "id": "1"], Companies.row(entity, .int64(1), .string("x")),
                Companies.row(other, .int64(1)))
            XCTAssertEqual(try remembered(1), ["owner": "a"])
            XCTAssertEqual(try remembered(2, other), ["owner": "a"])
            XCTAssertNil(try remembered(2))
            XCTAssertNil(try remembered(3))
        }
    }

    func testTheLastVariablesCountAndAreNoChange() throws {
        try withEachStore {
            try makeStore()
            _ = try commit(["owner": "a", "repo": "b&="], Companies.row(entity, .int64(1)))
            let second = try commit(["owner": "ü/"], Companies.row(entity, .int64(1)))
            XCTAssertEqual(try remembered(1), ["owner": "ü/"])
            XCTAssertFalse(second.hasChanges)
            XCTAssertEqual(second.changes.count, 0)
            _ = try commit(nil, Companies.row(entity, .int64(1), .string("x")))
            _ = try commit(["id": "1"], Companies.row(entity, .int64(1)))
            XCTAssertEqual(try remembered(1), ["owner": "ü/"])
        }
    }

    func testDeletedObjectsRememberNothing() throws {
        try withEachStore {
            try makeStore()
            let variables = ["owner": "a"]
            _ = try commit(
                variables, Companies.row(entity, .int64(1)), Companies.row(entity, .int64(2)),
                Companies.row(other, .int64(1)))
            var changes = ChangeSet()
            changes.deletions = [.identity(entity, .integer(1))]
            _ = try store.commit(changes)
            XCTAssertNil(try remembered(1))
            XCTAssertEqual(try remembered(2), variables)
            changes.deletions = [.all(entity)]
            _ = try store.commit(changes)
            XCTAssertNil(try remembered(2))
            XCTAssertEqual(try remembered(3, other), variables)
            let again = try commit(nil, Companies.row(entity, .int64(2)))
            XCTAssertNil(try remembered(again.objects[0].storeKey))
        }
    }
}
