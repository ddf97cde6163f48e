import Foundation
import Restway
import XCTest

/// Transactions, queries and lists of values, without a server.
final class StoreTests: DemoTestCase {
    private struct Note: Mapped, Equatable {
        static let entity = "Note"
        static var names: [PartialKeyPath<Note>: String] { [\.id: "id", \.state: "state"] }

        let id: Int
        let state: String?
        let tags: [String]?
        let days: [Date]?
        let sizes: [String: Int]?
    }

    private let document: JSON = [
        "restway": 1,
        "environments": ["local": ["baseURL": "http://127.0.0.1:1/v2"]],
        "entities": [
            "Note": [
                "identity": "id", "fullText": ["title"],
                "attributes": [
                    "id": ["type": "int"], "title": ["type": "string"], "state": "state",
                    "tags": ["type": ["string"]], "days": ["type": ["date"]],
                    "sizes": ["type": ["*": "int"]], "keys": ["type": ["bytes"]],
                ],
            ],
            "Page": [
                "attributes": ["text": "text"], "relationships": ["note": ["entity": "Note"]],
            ],
        ],
    ]

    private func notes(_ change: (inout Client.Options) -> Void = { _ in }) throws -> Client {
        var options = Client.Options()
        change(&options)
        return try ending(Client(API(document: document), options: options))
    }

    private func note(_ client: Client, _ id: Int, _ state: String) throws -> Draft {
        try client.draft("Note", ["id": id, "state": state, "title": "Note number \(id)"])
    }

    // MARK: Objects that only links have named

    func testADraftLoadsAnObjectWithoutValues() throws {
        let client = try notes()
        let note = try client.draft("Note", ["id": 1]).insert()
        XCTAssertTrue(note.isLoaded)
        XCTAssertEqual(try client.store.all("Note"), [note])
    }

    func testObjectsThatOnlyLinksHaveNamedAreFoundOnDemand() async throws {
        let client = try notes()
        _ = try await client.map(Array(#"{"note": 1}"#.utf8), by: .entity("Page"))
        let named = try XCTUnwrap(client.store.find("Note", 1))
        let loaded = try note(client, 2, "open").insert()
        XCTAssertFalse(named.isLoaded)
        XCTAssertTrue(loaded.isLoaded)
        XCTAssertEqual(try client.store.all("Note"), [loaded])
        XCTAssertEqual(try client.store.count("Note"), 1)
        XCTAssertEqual(try client.store.count(), 2)
        XCTAssertEqual(try client.store.statistics().objectCount, 3)
        let query = try client.store.query("Note")
        XCTAssertEqual(try query.all(), [loaded])
        XCTAssertEqual(try query.counts(by: "id").map(\.value), [.integer(2)])
        XCTAssertEqual(try query.unloaded().all(), [named])
        XCTAssertEqual(try query.unloaded(nil).count(), 2)
        XCTAssertEqual(try query.unloaded().unloaded(false).first(), loaded)
        XCTAssertEqual(try client.store.find("Note", 1), named)
    }

    // MARK: Transactions

    func testATransactionMakesAllChangesTogether() async throws {
        let client = try notes()
        let old = try note(client, 1, "old").insert()
        let changes = try client.changes(of: "Note")
        var told = changes.makeAsyncIterator()
        let made = try client.store.transaction { transaction in
            try transaction.insert(note(client, 2, "new"))
            try transaction.insert(note(client, 3, "new"))
            XCTAssertTrue(try transaction.delete(old))
            XCTAssertFalse(try transaction.delete(old))
            XCTAssertEqual(try client.store.count("Note"), 1)
        }
        XCTAssertEqual(made.count, 3)
        XCTAssertEqual(Set(made.map(\.kind)), [.inserted, .deleted])
        XCTAssertEqual(try client.store.all("Note").compactMap { $0["id"] }, [2, 3])
        let first = await told.next()
        XCTAssertEqual(first?.count, 3)
        XCTAssertEqual(try client.store.transaction { _ in }.count, 0)
    }

    func testATransactionThatFailsChangesNothing() throws {
        struct Stop: Error {}
        let client = try notes()
        XCTAssertThrowsError(
            try client.store.transaction { transaction in
                try transaction.insert(note(client, 1, "new"))
                throw Stop()
            }
        ) { error in
            let error = error as? RestwayError
            XCTAssertEqual(error?.kind, .cancelled)
            XCTAssertTrue(error?.underlyingError is Stop)
        }
        let other = try notes()
        XCTAssertThrowsError(
            try client.store.transaction { try $0.insert(note(other, 1, "new")) }
        ) { error in
            XCTAssertEqual((error as? RestwayError)?.field, "draft")
        }
        var kept: Transaction?
        try client.store.transaction { kept = $0 }
        XCTAssertThrowsError(try kept?.insert(note(client, 1, "late"))) { error in
            XCTAssertEqual((error as? RestwayError)?.field, "transaction")
        }
        XCTAssertEqual(try client.store.count("Note"), 0)
    }

    // MARK: Queries

    func testObjectsAreCountedByTheirValues() throws {
        let client = try notes()
        for (id, state) in ["new", "old", "new"].enumerated() {
            try note(client, id, state).insert()
        }
        try client.draft("Note", ["id": 9]).insert()
        let groups = try client.store.query("Note").counts(by: "state")
        XCTAssertEqual(
            Dictionary(groups.map { ($0.value, $0.count) }, uniquingKeysWith: +),
            [.string("new"): 2, .string("old"): 1, .null: 1])
        XCTAssertEqual(groups.count, 3)
        let mapped = try client.store.query(Note.self).filter(\.id, .greater, 1).counts(by: \.state)
        XCTAssertEqual(mapped.map(\.count), [1, 1])
        XCTAssertThrowsError(try client.store.query("Note").counts(by: "stat")) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .unknownAttribute)
        }
    }

    func testTextsAndListsAreSearched() throws {
        let client = try notes { $0.files.store = try? self.temporaryFile("store.db") }
        for id in 1...4 { try note(client, id, ["a", "b"][id % 2]).insert() }
        let store = client.store
        func ids(_ query: Query) throws -> [Int] { try query.all().compactMap { $0["id"] } }
        XCTAssertEqual(try ids(store.query("Note").matching("NOTE 3")), [3])
        XCTAssertEqual(try ids(store.query("Note").matching("num*")), [1, 2, 3, 4])
        XCTAssertEqual(try ids(store.query("Note").filter("id in ?", [1, 4, 8])), [1, 4])
        XCTAssertEqual(
            try ids(store.query("Note").filter("state in ? and id > ?", ["b", "c"], 1)), [3])
        let draft = try client.draft(of: XCTUnwrap(store.find("Note", 2)))
        try draft.set("tags", to: ["x", "y"])
        try draft.insert()
        XCTAssertEqual(try ids(store.query("Note").filter("tags contains ?", "y")), [2])
        XCTAssertEqual(try ids(store.query("Note").rejected(false)), [1, 2, 3, 4])
    }

    func testDifferencesOfAResult() async throws {
        let client = try notes()
        for id in [1, 2, 3] { try note(client, id, "\(id)").insert() }
        let query = try client.store.query("Note").order(by: "state")
        var differences = try client.differences(of: query).makeAsyncIterator()
        let first = await differences.next()
        XCTAssertEqual(first?.insertions, [0, 1, 2])
        try client.store.transaction { transaction in
            let one = try client.draft(of: XCTUnwrap(client.store.find("Note", 1)))
            try one.set("state", to: "9")
            try transaction.insert(one)
            try transaction.delete(XCTUnwrap(client.store.find("Note", 2)))
            try transaction.insert(note(client, 4, "0"))
        }
        let second = await differences.next()
        XCTAssertEqual(second?.objects.compactMap { $0["id"] }, [4, 3, 1])
        XCTAssertEqual(second?.deletions, [1])
        XCTAssertEqual(second?.insertions, [0])
        XCTAssertEqual(second?.moves.count, 1)
        XCTAssertEqual(second?.updates, [2])
    }

    // MARK: Lists of values

    func testListsAndMapsAreSwiftTypes() throws {
        let client = try notes()
        let days = [Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 86_400.25)]
        let draft = try client.draft("Note", ["id": 1])
        try draft.set("tags", to: ["b", "a"])
        try draft.set("days", to: days)
        try draft.set("sizes", to: ["small": 1, "large": 9])
        try draft.set("keys", to: [Data([1, 2])])
        try draft.add("c", toList: "tags")
        try draft.remove("b", fromList: "tags")
        let object = try draft.insert()
        XCTAssertEqual(object["tags"], ["a", "c"])
        XCTAssertEqual(object["days"], days)
        XCTAssertEqual(object["sizes"], ["small": 1, "large": 9])
        XCTAssertEqual(object["keys"], [Data([1, 2])])
        XCTAssertNil(object["tags", as: [Int].self])
        XCTAssertEqual(object.value("tags"), .list([.string("a"), .string("c")]))
        let note: Note = try object.decode()
        XCTAssertEqual(
            note,
            Note(
                id: 1, state: nil, tags: ["a", "c"], days: days,
                sizes: ["small": 1, "large": 9]))
        XCTAssertThrowsError(try draft.set("sizes", to: ["small": "one"])) { error in
            XCTAssertEqual((error as? RestwayError)?.field, "sizes")
        }
        XCTAssertThrowsError(try draft.add("x", toList: "title")) { error in
            XCTAssertEqual((error as? RestwayError)?.field, "title")
        }
        try draft.setNull("tags")
        XCTAssertEqual(draft.snapshot().value("tags"), .null)
        try draft.set("tags", to: JSON.array(["x"]))
        XCTAssertEqual(draft["tags"], ["x"])
    }

    // MARK: Files

    func testTheStoreKnowsEachObjectByANumber() throws {
        let path = try temporaryFile("notes.db")
        let client = try notes { $0.files.store = path }
        let draft = try note(client, 1, "new")
        XCTAssertEqual(draft.storeKey, 0)
        let (first, second) = (try draft.insert(), try note(client, 2, "new").insert())
        XCTAssertGreaterThan(first.storeKey, 0)
        XCTAssertNotEqual(first.storeKey, second.storeKey)
        XCTAssertEqual(try client.draft(of: first).storeKey, first.storeKey)
        try client.store.delete(second)
        client.close()
        let other = try notes { $0.files.store = path }
        XCTAssertEqual(try other.store.find("Note", 1)?.storeKey, first.storeKey)
        XCTAssertGreaterThan(
            try note(other, 2, "new").insert().storeKey, second.storeKey, "no key is used again")
    }

    func testAStoreInAFileIsReadAgain() throws {
        let file = try temporaryFile("store.db")
        do {
            let client = try notes {
                $0.files.store = file
                $0.files.mode = 0o640
            }
            try note(client, 1, "kept").insert()
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        XCTAssertEqual(attributes[.posixPermissions] as? Int, 0o640)
        let client = try notes { $0.files.store = file }
        XCTAssertEqual(try client.store.find("Note", 1)?["state"], "kept")
        let statistics = try client.store.statistics()
        XCTAssertEqual(statistics.objectCount, 1)
        XCTAssertGreaterThan(statistics.fileBytes, 0)
        XCTAssertThrowsError(try notes { $0.files.mode = 0o400 }) { error in
            XCTAssertEqual((error as? RestwayError)?.field, "options.files.mode")
        }
    }
}
