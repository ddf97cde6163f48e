import RestwayObjects
import XCTest

@testable import RestwaySQLiteStore

/// Tests the lists that stores keep under names.
final class StoredListTests: StoreTestCase {
    private let entity = Companies.entity()

    private func change(
        _ keys: Int64..., state: String = "s", replacesAll: Bool = false, name: String = "a"
    ) -> ListChange {
        ListChange(
            name: name, entity: "Company", keys: keys, state: state, replacesAll: replacesAll)
    }

    func testObjectsAreAddedAtTheEnd() throws {
        try withEachStore {
            let store = try makeStore([entity])
            XCTAssertNil(try store.list("a"))
            try store.apply(change(1, 2))
            try store.apply(change(3, state: "t"))
            XCTAssertEqual(
                try store.list("a"), StoredList(entity: "Company", keys: [1, 2, 3], state: "t"))
            XCTAssertNil(try store.list("b"))
            try store.apply(change(9, name: "b"))
            XCTAssertEqual(try store.list("b")?.keys, [9])
            XCTAssertEqual(try store.list("a")?.keys, [1, 2, 3])
        }
    }

    func testAnObjectThatComesAgainMovesToTheEnd() throws {
        try withEachStore {
            let store = try makeStore([entity])
            try store.apply(change(1, 2, 3))
            try store.apply(change(2, 4))
            try store.apply(change(1))
            XCTAssertEqual(try store.list("a")?.keys, [3, 2, 4, 1])
        }
    }

    func testAChangeCanReplaceAll() throws {
        try withEachStore {
            let store = try makeStore([entity])
            try store.apply(change(1, 2, 3))
            try store.apply(change(2, state: "u", replacesAll: true))
            XCTAssertEqual(
                try store.list("a"), StoredList(entity: "Company", keys: [2], state: "u"))
            try store.apply(change(replacesAll: true))
            XCTAssertEqual(try store.list("a")?.keys, [])
        }
    }

    func testTheDeletionOfEverythingRemovesTheLists() throws {
        try withEachStore {
            let store = try makeStore([entity])
            let commit = try store.commit(ChangeSet(rows: [Companies.row(entity, .int64(1))]))
            try store.apply(change(commit.objects[0].storeKey))
            var deletion = ChangeSet()
            deletion.deletions = [.all(entity)]
            _ = try store.commit(deletion)
            XCTAssertEqual(try store.list("a")?.keys, [commit.objects[0].storeKey])
            deletion.deletions = [.everything]
            _ = try store.commit(deletion)
            XCTAssertNil(try store.list("a"))
        }
    }

    func testAFileKeepsItsListsAndItsCachedSnapshots() throws {
        let file = StoreFile()
        defer { file.remove() }
        do {
            let store = try file.open([entity])
            let commit = try store.commit(ChangeSet(rows: [Companies.row(entity, .int64(1))]))
            try store.apply(change(1, 2))
            let newest = try store.newest(entity, storeKey: 1)
            XCTAssertTrue(newest === commit.objects[0], "the cache is still right")
        }
        let again = try file.open([entity])
        XCTAssertEqual(
            try again.list("a"), StoredList(entity: "Company", keys: [1, 2], state: "s"))
        try again.apply(change(3))
        XCTAssertEqual(try again.list("a")?.keys, [1, 2, 3])
    }

    func testAFileWithoutListsGetsThem() throws {
        let file = StoreFile()
        defer { file.remove() }
        do {
            let store = try file.open([entity])
            _ = try store.commit(ChangeSet(rows: [Companies.row(entity, .int64(7))]))
        }
        // A file of the first version does not have these tables.
        try file.shell(StoreFile.withoutEdits)
        for table in ["lists", "list_items", "variables", "remembered", "shapes", "unloaded"] {
            try file.shell("DROP TABLE restway_\(table)")
        }
        try file.shell("PRAGMA user_version = 1")
        let store = try file.open([entity])
        XCTAssertEqual(try file.integer("PRAGMA user_version"), 7)
        XCTAssertEqual(try store.count(entity), 1)
        try store.apply(change(1))
        XCTAssertEqual(try store.list("a")?.keys, [1])
    }
}
