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

/// Clients whose stored requests are about notes with versions, with a store in memory and with one
/// in a file. The test answers each exchange.
class ConflictItemTestCase: OutboxTestCase {
    private(set) var client: Client!
    private(set) var wire = FakeTransport()
    private var isFile = false
    private var conflicts = "{}"
    private var version = #"{"header": "ETag"}"#
    private var storing = "true"
    /// The route that makes notes; empty without one.
    private var making = ""

    override func document(_ outbox: String, _ rest: String, routes: String) -> String {
        """
        {"restway": 1,
         "environments": {"test": {"baseURL": "http://api.test/v1"}},
         "entities": {"Note": {"identity": "id", "version": \(version),
            "conflicts": \(conflicts), "attributes": {
            "id": {"type": "int"}, "title": {"type": "string"}, "text": {"type": "string"},
            "views": {"type": "int"}, "tags": {"type": "json"}, "rev": {"type": "int"}}},
            "Plain": {"identity": "id", "attributes": {
            "id": {"type": "int"}, "title": {"type": "string"}}}},
         "outbox": {"path": "unused.db", "baseMilliseconds": 1000},
         "routes": {
            "note": {"method": ["GET", "PUT", "PATCH", "DELETE"], "path": "notes/:id",
                     "entity": "Note", "response": {"entity": "Note"},
                     "request": {"entity": "Note", "method": "PATCH", "changedOnly": true},
                     "offline": \(storing)}\(making),
            "plain": {"method": ["GET", "PATCH"], "path": "plain/:id", "entity": "Plain",
                      "response": {"entity": "Plain"}, "offline": true,
                      "request": {"entity": "Plain", "changedOnly": true}}}}
        """
    }

    /// Runs `body` with a store in memory, and with a store in a file. The store has the note 1
    /// with the version "v1".
    func withNotes(
        _ conflicts: String = "{}", version: String = #"{"header": "ETag"}"#,
        isMade: Bool = true, storing: String = "true", file: StaticString = #filePath,
        line: UInt = #line, _ body: () throws -> Void
    ) throws {
        (self.conflicts, self.version, self.storing) = (conflicts, version, storing)
        making =
            isMade
            ? #", "notes": {"method": "POST", "path": "notes", "entity": "Note", "offline": true,"#
                + #" "response": {"entity": "Note"}}"# : ""
        for isFile in [false, true] {
            self.isFile = isFile
            do {
                try reopen()
                try get(Self.first, tag: #""v1""#)
                try body()
            } catch let failure as Failure {
                XCTFail(failure.message, file: file, line: line)
            }
            client?.close()
            client = nil
            removeFiles()
        }
    }

    static let first = #"{"id":1,"title":"a","text":"t","views":1,"tags":["x"],"rev":1}"#

    /// Makes a new client with the same files, which does not send by itself.
    func reopen() throws {
        client?.close()
        wire = FakeTransport()
        client = try client(transport: wire) {
            if isFile { $0.files.store = directory + "/objects.db" }
        }
        try client.setReachability(.unreachable)
    }

    /// Makes another client with the same outbox.
    func other() throws -> (client: Client, wire: FakeTransport) {
        let wire = FakeTransport()
        let other = try client(transport: wire) {
            if isFile { $0.files.store = directory + "/objects.db" }
        }
        try other.setReachability(.unreachable)
        return (other, wire)
    }

    // MARK: Objects

    var entity: Entity { get throws { try client.api.entity(named: "Note") } }
    var outbox: Outbox { get throws { try client.requireOutbox() } }

    func note(_ id: Int64 = 1) throws -> Snapshot {
        try XCTUnwrap(client.store.object(entity, .integer(id)))
    }

    /// The values of a note that readers see and those of the server: `b|a` for the title.
    func values(_ name: String = "title") throws -> String {
        guard let note = try client.store.object(entity, .integer(1)) else { return "none" }
        let confirmed = try client.store.confirmed(of: note)
        return [note, confirmed].map { word($0?.value(named: name)) }.joined(separator: "|")
    }

    private func word(_ value: Value?) -> String {
        switch value {
        case .string(let text), .json(let text): text
        case .int64(let number): "\(number)"
        default: "-"
        }
    }

    func draft(_ values: [String: Value]) throws -> Draft {
        let draft = Draft(copying: try note())
        for (name, value) in values {
            try draft.set(value, attribute: XCTUnwrap(entity.attributeIndex(named: name)))
        }
        return draft
    }

    // MARK: Requests

    func spec(_ method: RestwayRouting.Method, _ values: [String: Value]) throws -> RequestSpec {
        RequestSpec(target: .subject(method), subject: .draft(try draft(values), client.store))
    }

    @discardableResult
    func change(
        _ values: [String: Value], _ method: RestwayRouting.Method = .patch,
        file: StaticString = #filePath, line: UInt = #line
    ) throws -> Int64 {
        try queue(client, spec(method, values), file: file, line: line)
    }

    @discardableResult
    func delete() throws -> Int64 {
        try queue(client, RequestSpec(target: .subject(.delete), subject: .object(note())))
    }

    func get(_ body: String, tag: String?) throws {
        let call = try client.send(.get("notes/1"))
        wire.answer(200, body, headers: tag.map { [Self.tag($0)] } ?? [])
        _ = try call.wait(milliseconds: 0)
    }

    static func tag(_ text: String) -> HeaderField { HeaderField(name: "ETag", value: text) }

    /// Lets items go out.
    func begin() throws { try flush(client) }

    /// Waits for the end of the flush, and returns the states of the items that it has told.
    @discardableResult
    func end() throws -> [String] {
        let all = nextFlushed().all
        let told = all.map { "\($0.id) \($0.state)" }
        try client.setReachability(.unreachable)
        return told
    }

    /// Answers the next exchange, which has to be this one, with its condition and its body.
    @discardableResult
    func answer(
        _ line: String, _ status: Int, _ body: String = "", tag: String? = nil,
        file: StaticString = #filePath, testLine: UInt = #line
    ) -> Exchange {
        let started = wire.next()
        XCTAssertEqual(words(started.exchange), line, file: file, line: testLine)
        started.answer(status, body, headers: tag.map { [Self.tag($0)] } ?? [])
        return started.exchange
    }

    func words(_ exchange: Exchange) -> String {
        let headers = Headers(exchange.headers)
        let stated = headers[first: "If-Match"] ?? headers[first: "If-Unmodified-Since"]
        return text(exchange) + (stated.map { " if \($0)" } ?? "")
    }

    /// The conflicts that wait, each with its kind and, for each attribute, base, mine and theirs.
    func conflictWords(_ client: Client? = nil) throws -> [String] {
        try (client ?? self.client).requireOutbox().conflicts().map { conflict in
            let cells = conflict.cells.map { cell in
                let sides = [conflict.base, conflict.mine, conflict.theirs]
                    .map { word($0?.value(at: cell)) }
                return " \(conflict.entity.cellName(cell)) " + sides.joined(separator: "|")
            }
            return "\(conflict.kind)\(cells.joined())"
        }
    }

    func resolve(_ choice: Conflict.Choice) throws {
        let conflict = try XCTUnwrap(outbox.conflicts().first)
        conflict.choose(choice)
        try outbox.resolve(conflict)
    }

    /// Checks that the store shows no pending edit and that no item is left.
    func checkNothingIsLeft(file: StaticString = #filePath, line: UInt = #line) throws {
        let journal = try outbox.journal
        XCTAssertEqual(
            try client.store.edits(ofOutbox: journal.number).count, 0, file: file, line: line)
        XCTAssertEqual(try outbox.counts(), OutboxCounts(), file: file, line: line)
    }
}
