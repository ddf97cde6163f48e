import LoopbackServer
import Restway
import XCTest

import struct RestwayThreads.Lock

/// Conflicts, as a program sees and decides them.
final class ConflictTests: DemoTestCase {
    private func document(_ policy: JSON) -> JSON {
        [
            "restway": 1,
            "outbox": ["path": "outbox.db", "intervalMilliseconds": -1],
            "entities": [
                "Note": [
                    "identity": "id", "version": ["attribute": "rev"],
                    "conflicts": ["policy": policy],
                    "attributes": [
                        "id": ["type": "int"], "rev": "rev", "title": ["type": "string"],
                        "stars": ["type": "int"],
                    ],
                    "relationships": ["tags": ["entity": "Tag", "many": true, "byIdentity": true]],
                ],
                "Tag": ["identity": "id", "attributes": ["id": ["type": "int"]]],
            ],
            "routes": [
                "note": [
                    "method": ["GET", "PATCH", "DELETE"], "path": "notes/:id", "entity": "Note",
                    "response": ["entity": "Note"],
                    "request": ["entity": "Note", "changedOnly": true], "offline": true,
                ]
            ],
        ]
    }

    private static let first = #"{"id": 1, "rev": "a", "title": "one", "stars": 1, "tags": [7]}"#
    private static let second = #"{"id": 1, "rev": "b", "title": "two", "stars": 2, "tags": [8]}"#

    /// The server of a test: its note, and the last body that it has received.
    private final class Notes: Sendable {
        let note = Lock(ConflictTests.first)
        let body = Lock("")
        let count = Lock(0)
    }

    /// Runs a test with each kind of store.
    private func eachStore(
        policy: JSON = "park", _ test: (_ client: Client, _ notes: Notes) async throws -> Void
    ) async throws {
        for isInFile in [false, true] {
            let notes = Notes()
            let server = try TestServer { connection in
                while let request = connection.readRequest() {
                    notes.count.withLock { $0 += 1 }
                    notes.body.withLock { $0 = String(decoding: request.body, as: UTF8.self) }
                    connection.answer(
                        notes.note.withLock { $0 }, headers: ["Content-Type: application/json"])
                }
            }
            let outbox = try temporaryFile("outbox.db")
            let objects = try temporaryFile("objects.db")
            let client = try client(of: server, document(policy)) { options in
                options.files.outbox = outbox
                if isInFile { options.files.store = objects }
            }
            try await client.get("notes/1")
            try await test(client, notes)
        }
    }

    private func found(_ client: Client) throws -> Object {
        try XCTUnwrap(try client.store.find("Note", 1))
    }

    /// Stores a PATCH, lets the server have other values, and compares them.
    private func disagree(
        _ client: Client, _ notes: Notes, theirs: String = ConflictTests.second,
        _ change: (Draft) throws -> Void
    ) async throws {
        let draft = try client.draft(of: try found(client))
        try change(draft)
        try client.setReachability(.unreachable)
        let error = try await failure { () throws(RestwayError) in
            try await client.patch(.draft(draft))
        }
        XCTAssertEqual(error.kind, .queued)
        notes.note.withLock { $0 = theirs }
        try await client.get("notes/1")
        try await client.outbox.flush(forced: true)
    }

    func testAConflictHasThreeSidesAndIsResolved() async throws {
        try await eachStore { client, notes in
            try await disagree(client, notes) { draft in
                try draft.set("title", to: "mine")
                try draft.relate("tags", to: [] as [Object])
            }
            let conflict = try XCTUnwrap(try client.outbox.conflicts().first)
            XCTAssertEqual(conflict.kind, .attributes)
            XCTAssertEqual(conflict.names, ["title", "tags"])
            XCTAssertEqual(conflict.base["title"], "one")
            XCTAssertEqual(conflict.mine["title"], "mine")
            XCTAssertEqual(conflict.theirs?["title"], "two")
            let tags = try [conflict.base, conflict.mine, try XCTUnwrap(conflict.theirs)].map {
                try $0.related("tags").map(\.identity)
            }
            XCTAssertEqual(tags, [[7], [], [8]])
            let item = try client.outbox.item(try XCTUnwrap(conflict.itemID))
            XCTAssertEqual(item.state, .parked)
            XCTAssertEqual(try client.outbox.counts().parked, 1)
            let query = try client.store.query("Note")
            XCTAssertEqual(try query.conflicted().count(), 1)
            XCTAssertEqual(try query.conflicted(false).count(), 0)
            XCTAssertEqual(try query.conflicted().conflicted(nil).count(), 1)
            try conflict.choose("title", value: "both")
            try conflict.choose("tags", objects: try conflict.base.related("tags"))
            notes.note.withLock { $0 = #"{"id": 1, "rev": "c", "title": "both", "tags": [7]}"# }
            try conflict.resolve()
            try await client.outbox.flush(forced: true)
            let body = try JSON(parsing: notes.body.withLock { $0 })
            XCTAssertEqual(body, ["title": "both", "tags": [7]])
            XCTAssertEqual(try found(client)["title"], "both")
            XCTAssertEqual(try client.outbox.conflicts().count, 0)
            let late = try await failure { () throws(RestwayError) in try conflict.resolve(.mine) }
            XCTAssertEqual(late.kind, .invalidArgument)
        }
    }

    func testASideIsChosenInOneStep() async throws {
        for (side, kept) in [(Conflict.Side.mine, "mine"), (.theirs, "two")] {
            try await eachStore { client, notes in
                try await disagree(client, notes) { try $0.set("title", to: "mine") }
                notes.note.withLock { $0 = #"{"id": 1, "rev": "c", "title": "\#(kept)"}"# }
                let count = notes.count.withLock { $0 }
                try XCTUnwrap(try client.outbox.conflicts().first).resolve(side)
                try await client.outbox.flush(forced: true)
                XCTAssertEqual(notes.count.withLock { $0 } - count, side == .mine ? 1 : 0)
                XCTAssertEqual(try found(client)["title"], kept)
            }
        }
    }

    func testWrongChoicesAreRefused() async throws {
        try await eachStore { client, notes in
            try await disagree(client, notes) { try $0.set("title", to: "mine") }
            let conflict = try XCTUnwrap(try client.outbox.conflicts().first)
            let unknown = try await failure { () throws(RestwayError) in
                try conflict.choose(.mine, for: "titel")
            }
            XCTAssertEqual(unknown.kind, .unknownAttribute)
            let other = try await failure { () throws(RestwayError) in
                try conflict.choose("stars", value: 3)
            }
            XCTAssertEqual(other.kind, .invalidArgument)
            let wrong = try await failure { () throws(RestwayError) in
                try conflict.choose("title", value: 3)
            }
            XCTAssertEqual(wrong.field, "title")
            let nothing = try await failure { () throws(RestwayError) in try conflict.resolve() }
            XCTAssertEqual(nothing.kind, .invalidArgument)
            XCTAssertEqual(try client.outbox.counts().parked, 1)
        }
    }

    func testADeletionOfAChangedObject() async throws {
        try await eachStore { client, notes in
            let note = try found(client)
            try client.setReachability(.unreachable)
            _ = try await failure { () throws(RestwayError) in
                try await client.delete(.object(note))
            }
            notes.note.withLock { $0 = Self.second }
            try await client.get("notes/1")
            try await client.outbox.flush(forced: true)
            let conflict = try XCTUnwrap(try client.outbox.conflicts().first)
            XCTAssertEqual(conflict.kind, .iDelete)
            XCTAssertEqual(conflict.names, [])
            XCTAssertEqual(conflict.theirs?["title"], "two")
            try conflict.resolve(.theirs)
            XCTAssertEqual(try found(client)["title"], "two")
        }
    }

    func testAFunctionDecides() async throws {
        try await eachStore(policy: "ask") { client, notes in
            try client.setResolver("Note") { conflict in
                XCTAssertNil(conflict.itemID)
                let stars: [Int?] = [conflict.mine["stars"], conflict.theirs?["stars"]]
                try conflict.choose("stars", value: stars.compactMap(\.self).reduce(0, +))
            }
            try await disagree(client, notes) { try $0.set("stars", to: 5) }
            XCTAssertEqual(try JSON(parsing: notes.body.withLock { $0 }), ["stars": 7])
            XCTAssertEqual(try client.outbox.conflicts().count, 0)
            try client.setResolver("Note", nil)
            struct Unsure: Error {}
            try client.setResolver { conflict in
                try conflict.choose(.mine)
                throw Unsure()
            }
            let third = #"{"id": 1, "rev": "d", "title": "two", "stars": 9, "tags": [8]}"#
            try await disagree(client, notes, theirs: third) { try $0.set("stars", to: 6) }
            XCTAssertEqual(try client.outbox.conflicts().map(\.names), [["stars"]])
            let unknown = try await failure { () throws(RestwayError) in
                try client.setResolver("Nota") { _ in }
            }
            XCTAssertEqual(unknown.kind, .unknownEntity)
        }
    }

    func testTheErrorOfACallHasItsConflict() async throws {
        try await eachStore { client, notes in
            let draft = try client.draft(of: try found(client))
            try draft.set("title", to: "mine")
            notes.note.withLock { $0 = Self.second }
            try await client.get("notes/1")
            var request = Request(.patch, .draft(draft))
            request.offline = .never
            let error = try await failure { () throws(RestwayError) in
                try await client.send(request)
            }
            let conflict = try XCTUnwrap(error.conflict)
            XCTAssertEqual(conflict.theirs?["title"], "two")
            XCTAssertNil(conflict.itemID)
            let late = try await failure { () throws(RestwayError) in try conflict.resolve(.mine) }
            XCTAssertEqual(late.kind, .invalidArgument)
            XCTAssertNil(late.conflict)
        }
    }

    func testTheVersionOfAnObject() async throws {
        try await eachStore { client, notes in
            XCTAssertEqual(try client.store.version(try found(client)), "a")
            notes.note.withLock { $0 = #"{"id": 2, "title": "without"}"# }
            let response = try await client.get("notes/2")
            let other = try XCTUnwrap(response.objects.first)
            XCTAssertNil(try client.store.version(other))
        }
    }
}
