import LoopbackServer
import Restway
import XCTest

import struct RestwayThreads.Lock

/// Edits that wait for the server, as a program sees them.
final class PendingTests: DemoTestCase {
    private let document: JSON = [
        "restway": 1,
        "outbox": ["path": "outbox.db", "intervalMilliseconds": -1],
        "entities": [
            "Note": [
                "identity": "id",
                "attributes": ["id": ["type": "int"], "title": "title", "body": "body"],
                "relationships": ["tags": ["entity": "Tag", "many": true, "byIdentity": true]],
            ],
            "Tag": ["identity": "id", "attributes": ["id": ["type": "int"], "name": "name"]],
        ],
        "routes": [
            "note": [
                "method": ["GET", "PATCH", "DELETE"], "path": "notes/:id", "entity": "Note",
                "response": ["entity": "Note"],
                "request": ["entity": "Note", "changedOnly": true], "offline": true,
            ],
            "tags": ["method": "GET", "path": "tags", "response": ["entity": "Tag"]],
        ],
    ]

    private static let tags = #"[{"id": 7, "name": "a"}, {"id": 8, "name": "b"}]"#
    private static let first = #"{"id": 1, "title": "one", "body": "b1", "tags": [7]}"#

    /// Runs a test with each kind of store. The server answers each GET of the note with `note`,
    /// and each other request with the status `status` and `note`.
    private func eachStore(
        _ test: (
            _ client: Client, _ note: Lock<String>, _ status: Lock<String>
        ) async throws -> Void
    ) async throws {
        for isInFile in [false, true] {
            let note = Lock(Self.first)
            let status = Lock("200 OK")
            let server = try TestServer { connection in
                while let request = connection.readRequest() {
                    let isGet = request.method == "GET"
                    let body =
                        request.path == "/v2/tags" ? Self.tags : note.withLock { $0 }
                    connection.answer(
                        body, status: isGet ? "200 OK" : status.withLock { $0 },
                        headers: ["Content-Type: application/json"])
                }
            }
            let outbox = try temporaryFile("outbox.db")
            let objects = try temporaryFile("objects.db")
            let client = try client(of: server, document) { options in
                options.files.outbox = outbox
                if isInFile { options.files.store = objects }
            }
            try await client.get("tags")
            try await client.get("notes/1")
            try await test(client, note, status)
        }
    }

    private func found(_ client: Client) throws -> Object {
        try XCTUnwrap(try client.store.find("Note", 1))
    }

    /// Stores a PATCH with other values of the note.
    private func edit(_ client: Client, _ change: (Draft) throws -> Void) async throws {
        let draft = try client.draft(of: try found(client))
        try change(draft)
        try client.setReachability(.unreachable)
        let error = try await failure { () throws(RestwayError) in
            try await client.patch(.draft(draft))
        }
        XCTAssertEqual(error.kind, .queued)
    }

    func testWhatWaitsIsSeenOverTheServersValues() async throws {
        try await eachStore { client, note, _ in
            let tag = try XCTUnwrap(try client.store.find("Tag", 8))
            try await edit(client) { draft in
                try draft.set("title", to: "mine")
                try draft.relate("tags", to: [tag])
            }
            note.withLock { $0 = #"{"id": 1, "title": "two", "body": "b2", "tags": []}"# }
            try await client.get("notes/1")
            let seen = try found(client)
            XCTAssertEqual(seen["title"], "mine")
            XCTAssertEqual(seen["body"], "b2")
            XCTAssertEqual(try seen.related("tags"), [tag])
            let confirmed = try XCTUnwrap(try client.store.confirmed(seen))
            XCTAssertEqual(confirmed["title"], "two")
            XCTAssertEqual(try confirmed.related("tags"), [])
            let pending = try client.store.pending(seen)
            XCTAssertEqual(pending.names, ["title", "tags"])
            XCTAssertEqual(pending.mine["title"], "mine")
            XCTAssertEqual(pending.base["title"], "one")
            XCTAssertEqual(try pending.mine.related("tags").map(\.identity), [8])
            XCTAssertEqual(try pending.base.related("tags").map(\.identity), [7])
            XCTAssertFalse(pending.deletes)
            XCTAssertFalse(pending.isEmpty)
            let query = try client.store.query("Note")
            XCTAssertEqual(try query.pending().count(), 1)
            XCTAssertEqual(try query.pending(false).count(), 0)
            XCTAssertEqual(try query.pending().pending(nil).count(), 1)
            try client.outbox.dropAll()
            let taken = try found(client)
            XCTAssertEqual(taken["title"], "two")
            XCTAssertTrue(try client.store.pending(taken).isEmpty)
            XCTAssertEqual(pending.names, ["title", "tags"])
        }
    }

    func testADeletionThatWaitsHidesTheObject() async throws {
        try await eachStore { client, _, _ in
            let note = try found(client)
            try client.setReachability(.unreachable)
            _ = try await failure { () throws(RestwayError) in
                try await client.delete(.object(note))
            }
            let query = try client.store.query("Note")
            XCTAssertNil(try client.store.find("Note", 1))
            XCTAssertEqual(try query.all(), [])
            XCTAssertEqual(try query.pendingDeletes(.show).all(), [note])
            XCTAssertEqual(try query.pendingDeletes(.show).pendingDeletes(nil).count(), 0)
            XCTAssertEqual(try client.store.confirmed(note), note)
            let pending = try client.store.pending(note)
            XCTAssertTrue(pending.deletes)
            XCTAssertEqual(pending.names, [])
            XCTAssertFalse(pending.isEmpty)
            try client.outbox.dropAll()
            XCTAssertEqual(try query.all(), [note])
            XCTAssertTrue(try client.store.pending(note).isEmpty)
        }
    }

    func testObserversLearnTheSourceOfChangesAndTheEndOfEdits() async throws {
        try await eachStore { client, note, status in
            var changes = try client.changes(of: "Note").makeAsyncIterator()
            func next() async throws -> Change {
                let list = await changes.next()
                return try XCTUnwrap(list?.first)
            }
            try await edit(client) { try $0.set("title", to: "mine") }
            var change = try await next()
            XCTAssertEqual(change.source, .local)
            XCTAssertTrue(change.pendingChanged)
            note.withLock { $0 = #"{"id": 1, "title": "two", "body": "b2", "tags": [7]}"# }
            try await client.get("notes/1")
            change = try await next()
            XCTAssertEqual(change.source, .server)
            XCTAssertFalse(change.pendingChanged)
            note.withLock { $0 = #"{"id": 1, "title": "mine", "body": "b2", "tags": [7]}"# }
            try client.setReachability(.reachable)
            try await client.outbox.flush()
            change = try await next()
            XCTAssertEqual(change.source, .server)
            XCTAssertTrue(change.pendingChanged)
            XCTAssertEqual(change.before, change.object)
            try await edit(client) { try $0.set("title", to: "refused") }
            change = try await next()
            XCTAssertEqual(change.source, .local)
            status.withLock { $0 = "422 Unprocessable Content" }
            try client.setReachability(.reachable)
            try await client.outbox.flush()
            change = try await next()
            XCTAssertEqual(change.source, .takenBack)
            XCTAssertTrue(change.pendingChanged)
            XCTAssertEqual(change.object["title"], "mine")
        }
    }

    func testARefusedOptimisticEditIsTakenBack() async throws {
        try await eachStore { client, _, status in
            var changes = try client.changes(of: "Note").makeAsyncIterator()
            let draft = try client.draft(of: try found(client))
            try draft.set("title", to: "mine")
            status.withLock { $0 = "422 Unprocessable Content" }
            var request = Request(.patch, .draft(draft))
            request.isOptimistic = true
            let error = try await failure { [request] () throws(RestwayError) in
                try await client.send(request)
            }
            XCTAssertEqual(error.kind, .http)
            for (source, title) in [(Change.Source.local, "mine"), (.takenBack, "one")] {
                let list = await changes.next()
                let change = try XCTUnwrap(list?.first)
                XCTAssertEqual(change.source, source)
                XCTAssertEqual(change.object["title"], title)
            }
        }
    }

    func testAnObjectThatOnlyTheProgramKnowsIsNotConfirmed() throws {
        var options = Client.Options()
        options.files.outbox = try temporaryFile("outbox.db")
        options.baseURL = "http://127.0.0.1:1"
        let client = try ending(Client(API(document: document), options: options))
        let note = try client.draft("Note", ["title": "new"]).insert()
        XCTAssertNil(try client.store.confirmed(note))
        XCTAssertTrue(try client.store.pending(note).isEmpty)
        try client.store.delete(note)
        XCTAssertNil(try client.store.confirmed(note))
        let pending = try client.store.pending(note)
        XCTAssertTrue(pending.isEmpty)
        XCTAssertEqual(pending.mine, note)
        XCTAssertEqual(pending.base, note)
    }
}
