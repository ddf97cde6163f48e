import RestwayHTTP
import RestwayObjects
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// Calls of offline routes that are sent at once, and whose server says that the object has
/// changed: the outbox takes their requests over, and they have the answers of their items.
final class ConflictHandOverTests: OutboxTestCase {
    private var client: Client!
    private var wire = FakeTransport()
    private var conflicts = "{}"
    private var conflict = "{}"

    override func tearDown() {
        client = nil
        super.tearDown()
    }

    override func document(_ outbox: String, _ rest: String, routes: String) -> String {
        """
        {"restway": 1, "environments": {"test": {"baseURL": "http://api.test/v1"}},
         "entities": {"Note": {"identity": "id", "version": {"header": "ETag"},
            "conflicts": \(conflicts), "attributes": {
            "id": {"type": "int"}, "title": {"type": "string"}, "text": {"type": "string"}}}},
         "outbox": {"path": "unused.db", "baseMilliseconds": 1000},
         "routes": {
            "note": {"method": ["GET", "PUT", "PATCH", "DELETE"], "path": "notes/:id",
                     "entity": "Note", "response": {"entity": "Note"}, "offline": true,
                     "request": {"entity": "Note", "method": "PATCH", "changedOnly": true},
                     "conflict": \(conflict)},
            "notes": {"method": "POST", "path": "notes", "entity": "Note",
                      "response": {"entity": "Note"}, "offline": true}}}
        """
    }

    /// Runs a test with a store in memory, and with one in a file. The store has note 1 with the
    /// version "v1", and the server can be reached.
    private func withNotes(
        _ conflicts: String = "{}", conflict: String = "{}", _ test: () throws -> Void
    ) throws {
        (self.conflicts, self.conflict) = (conflicts, conflict)
        for isFile in [false, true] {
            wire = FakeTransport()
            client = try client(transport: wire) {
                if isFile { $0.files.store = directory + "/objects.db" }
            }
            try get(#"{"id":1,"title":"a","text":"t"}"#, tag: #""v1""#)
            try test()
            XCTAssertEqual(try client.requireOutbox().counts(), OutboxCounts())
            let outbox = try client.requireOutbox().journal.number
            XCTAssertEqual(try client.store.edits(ofOutbox: outbox).count, 0)
            client.close()
            removeFiles()
        }
    }

    private func get(_ body: String, tag: String?) throws {
        let call = try client.send(.get("notes/1"))
        wire.answer(200, body, headers: headers(tag))
        _ = try call.wait(milliseconds: 0)
    }

    private func headers(_ tag: String?) -> [HeaderField] {
        tag.map { [HeaderField(name: "ETag", value: $0)] } ?? []
    }

    private var note: Snapshot? {
        get throws {
            try client.store.object(client.api.entity(named: "Note"), .integer(1))
        }
    }

    private func draft(_ title: String) throws -> Draft {
        let draft = Draft(copying: try XCTUnwrap(note))
        try draft.set(.string(title), attribute: 1)
        return draft
    }

    private func send(_ method: RestwayRouting.Method, _ draft: Draft) throws -> Call {
        try client.send(
            RequestSpec(target: .subject(method), subject: .draft(draft, client.store)))
    }

    private func patch(_ title: String) throws -> Call { try send(.patch, draft(title)) }

    /// Answers the next exchange, which has to be this one.
    @discardableResult
    private func answer(
        _ expected: String, _ status: Int, _ body: String = "", tag: String? = nil,
        file: StaticString = #filePath, line: UInt = #line
    ) -> Exchange {
        let exchange = wire.answer(status, body, headers: headers(tag))
        let condition = Headers(exchange.headers)[first: "If-Match"]
        XCTAssertEqual(
            text(exchange) + (condition.map { " if \($0)" } ?? ""), expected, file: file,
            line: line)
        return exchange
    }

    /// The kind of a conflict, and the titles of base, mine and theirs.
    private func words(_ call: Call) -> String {
        let failure = failure(of: call)
        guard let conflict = failure?.conflict else { return "none: \(failure?.message ?? "")" }
        let sides = [conflict.base, conflict.mine, conflict.theirs]
            .map { $0.map { $0.text("title") ?? "-" } ?? "nil" }
        return "\(failure?.httpStatus ?? 0) \(conflict.kind) " + sides.joined(separator: "|")
    }

    private static let first = #"PATCH notes/1 {"title":"mine"} if "v1""#
    private static let second = #"PATCH notes/1 {"title":"mine"} if "v2""#

    // MARK: 412

    func testTheOutboxSendsWhatIsNotInConflictAndTheCallHasTheAnswer() throws {
        try withNotes {
            let draft = try draft("mine")
            let call = try send(.patch, draft)
            let first = answer(Self.first, 412)
            answer("GET notes/1", 200, #"{"id":1,"title":"a","text":"u"}"#, tag: #""v2""#)
            let second = answer(
                Self.second, 200, #"{"id":1,"title":"mine","text":"u"}"#, tag: #""v3""#)
            let response = try call.wait(milliseconds: 0)
            XCTAssertEqual(response.status, 200)
            XCTAssertEqual(response.objects.first?.text("text"), "u")
            XCTAssertNotEqual(key(first), key(second))
            XCTAssertEqual(draft.changedCells, [])
            XCTAssertEqual(try client.store.version(of: XCTUnwrap(note))?.text, #""v3""#)
        }
    }

    func testTheCallFailsWhereTheChangeWouldBeParked() throws {
        try withNotes {
            let draft = try draft("mine")
            let call = try send(.patch, draft)
            answer(Self.first, 412)
            answer("GET notes/1", 200, #"{"id":1,"title":"theirs","text":"t"}"#, tag: #""v2""#)
            XCTAssertEqual(words(call), "412 attributes a|mine|theirs")
            XCTAssertEqual(try note?.text("title"), "theirs")
            XCTAssertEqual(draft.changedCells, [1], "the draft keeps its changes")
        }
    }

    func testThePoliciesDecide() throws {
        try withNotes(#"{"policy": "mine"}"#) {
            let call = try patch("mine")
            answer(Self.first, 412)
            answer("GET notes/1", 200, #"{"id":1,"title":"theirs","text":"t"}"#, tag: #""v2""#)
            answer(Self.second, 204)
            XCTAssertEqual(try call.wait(milliseconds: 0).status, 204)
            XCTAssertEqual(try note?.text("title"), "mine")
        }
        try withNotes(#"{"policy": "theirs"}"#) {
            let call = try patch("mine")
            answer(Self.first, 412)
            answer("GET notes/1", 200, #"{"id":1,"title":"theirs","text":"t"}"#, tag: #""v2""#)
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try note?.text("title"), "theirs")
        }
    }

    func testAValueThatTheServerHasAlreadyIsDelivered() throws {
        try withNotes {
            let call = try patch("mine")
            answer(Self.first, 412)
            answer("GET notes/1", 200, #"{"id":1,"title":"mine","text":"t"}"#, tag: #""v2""#)
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try note?.text("title"), "mine")
        }
    }

    func testTheAnswerToTheConflictMayHaveTheNewestObject() throws {
        try withNotes(#"{"policy": "mine"}"#, conflict: #"{"newest": "body"}"#) {
            let call = try patch("mine")
            answer(Self.first, 412, #"{"id":1,"title":"theirs","text":"t"}"#, tag: #""v2""#)
            // The answer to an item may have it, too.
            answer(Self.second, 412, #"{"id":1,"title":"others","text":"t"}"#, tag: #""v3""#)
            answer(#"PATCH notes/1 {"title":"mine"} if "v3""#, 204)
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try note?.text("title"), "mine")
        }
    }

    func testADeletionIsSentAgainWithTheNewestVersionIfItsPolicySaysSo() throws {
        try withNotes(#"{"iDelete": "mine"}"#) {
            let call = try client.send(
                RequestSpec(target: .subject(.delete), subject: .object(XCTUnwrap(note))))
            answer(#"DELETE notes/1 if "v1""#, 412)
            answer("GET notes/1", 200, #"{"id":1,"title":"theirs","text":"t"}"#, tag: #""v2""#)
            answer(#"DELETE notes/1 if "v2""#, 204)
            _ = try call.wait(milliseconds: 0)
            XCTAssertNil(try note)
        }
    }

    // MARK: 404, 410, 428

    func testAnObjectThatTheServerHasDeletedIsDecidedByItsPolicy() throws {
        try withNotes {
            let call = try patch("mine")
            answer(Self.first, 404)
            XCTAssertEqual(words(call), "412 theyDeleted a|mine|nil")
            XCTAssertNotNil(try note)
        }
        try withNotes(#"{"theyDeleted": "theirs"}"#) {
            let call = try patch("mine")
            answer(Self.first, 410)
            XCTAssertEqual(words(call), "412 theyDeleted a|mine|nil")
            XCTAssertNil(try note)
        }
    }

    func testA428IsSentWithACondition() throws {
        try withNotes {
            try get(#"{"id":1,"title":"b","text":"t"}"#, tag: nil)
            let call = try patch("mine")
            answer(#"PATCH notes/1 {"title":"mine"}"#, 428)
            answer("GET notes/1", 200, #"{"id":1,"title":"b","text":"t"}"#, tag: #""v2""#)
            answer(Self.second, 204)
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try note?.text("title"), "mine")
        }
    }

    // MARK: Before anything is sent

    func testADraftThatIsOlderThanTheStoreGoesTheWayOfTheOutbox() throws {
        try withNotes(#"{"policy": "mine"}"#) {
            let draft = try draft("mine")
            try get(#"{"id":1,"title":"theirs","text":"t"}"#, tag: #""v2""#)
            let call = try send(.patch, draft)
            answer(Self.second, 204)
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try note?.text("title"), "mine")
        }
        try withNotes {
            let draft = try draft("mine")
            try get(#"{"id":1,"title":"theirs","text":"t"}"#, tag: #""v2""#)
            XCTAssertEqual(words(try send(.patch, draft)), "412 attributes a|mine|theirs")
            XCTAssertEqual(wire.waitingCount, 0)
        }
    }

    func testADraftThatIsSentTwiceAtOnceDoesNotConflictWithItself() throws {
        try withNotes {
            let draft = try draft("b")
            let first = try send(.patch, draft)
            let started = wire.next()
            try draft.set(.string("mine"), attribute: 1)
            let second = try send(.patch, draft)
            started.answer(204, headers: headers(#""v2""#))
            _ = try first.wait(milliseconds: 0)
            answer(Self.second, 204, tag: #""v3""#)
            _ = try second.wait(milliseconds: 0)
            XCTAssertEqual(try note?.text("title"), "mine")
            XCTAssertEqual(draft.changedCells, [])
        }
    }

    func testTheConflictOfACallThatWasCancelledIsDropped() throws {
        try withNotes {
            let call = try patch("mine")
            answer(Self.first, 412)
            let fetching = wire.next()
            call.cancel()
            XCTAssertEqual(failure(of: call)?.reason, .cancelled)
            fetching.answer(
                200, #"{"id":1,"title":"theirs","text":"t"}"#, headers: headers(#""v2""#))
            try flush(client)
            _ = nextFlushed()
            XCTAssertEqual(try note?.text("title"), "theirs")
        }
    }
}
