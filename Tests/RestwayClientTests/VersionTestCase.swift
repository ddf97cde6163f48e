import RestwayHTTP
import RestwayObjects
import RestwayRouting
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// A client whose notes have versions, with a store in memory and with one in a file.
class VersionTestCase: EachStoreTestCase {
    static let byTag = #"{"header": "ETag"}"#
    static let byTime = #"{"header": "Last-Modified"}"#
    static let byAttribute = #"{"attribute": "rev"}"#
    static let inBody = #"{"attribute": "rev", "ordered": true, "send": {"body": "rev"}}"#

    private(set) var client: Client!

    func document(_ version: String, conflict: String = "{}", _ rest: String = "") -> String {
        """
        {"restway": 1, "environments": {"test": {"baseURL": "http://api.test/v1"}},
         "entities": {"Note": {"identity": "id", "version": \(version), "attributes": {
            "id": {"type": "int"}, "title": {"type": "string"}, "text": {"type": "string"},
            "rev": {"type": "int"}}}},
         "routes": {
            "note": {"method": ["GET", "PUT", "PATCH", "DELETE"], "path": "notes/:id",
                     "entity": "Note", "response": {"entity": "Note", "status": 200},
                     "request": {"entity": "Note", "method": "PATCH", "changedOnly": true},
                     "conflict": \(conflict)},
            "notes": {"path": "notes", "response": {"entity": "Note"}},
            "addNote": {"method": "POST", "path": "notes", "entity": "Note",
                        "response": {"entity": "Note"}}},
         "errors": {"code": "code", "message": "message"}\(rest)}
        """
    }

    /// Runs a test with a store in memory, and with one in a file.
    func withNotes(
        _ version: String = VersionTestCase.byTag, conflict: String = "{}", _ rest: String = "",
        _ test: () throws -> Void
    ) throws {
        for inFile in [false, true] {
            client = try client(document(version, conflict: conflict, rest), inFile: inFile)
            try test()
            client.close()
            client = nil
            removeFile()
        }
    }

    // MARK: Objects

    var entity: Entity { get throws { try client.api.entity(named: "Note") } }

    func note(_ id: Int64 = 1) throws -> Snapshot {
        try XCTUnwrap(client.store.object(entity, .integer(id)))
    }

    func version(_ id: Int64 = 1) throws -> String? {
        try client.store.version(of: note(id))?.text
    }

    func title(_ id: Int64 = 1) throws -> String? { try note(id).text("title") }

    func draft(_ id: Int64 = 1, title: String) throws -> Draft {
        let draft = Draft(copying: try note(id))
        try draft.set(.string(title), attribute: 1)
        return draft
    }

    // MARK: Requests

    func send(_ method: RestwayRouting.Method, _ draft: Draft) throws -> Call {
        try client.send(
            RequestSpec(target: .subject(method), subject: .draft(draft, client.store)))
    }

    func patch(_ title: String) throws -> Call { try send(.patch, draft(title: title)) }

    func delete() throws -> Call {
        try client.send(RequestSpec(target: .subject(.delete), subject: .object(note())))
    }

    /// Gets a note.
    func get(
        _ body: String, tag: String? = nil, _ headers: [HeaderField] = [], path: String = "notes/1"
    ) throws {
        let call = try client.send(.get(path))
        transport.answer(200, body, headers: tag.map { [Self.tag($0)] + headers } ?? headers)
        _ = try call.wait(milliseconds: 0)
    }

    static func tag(_ text: String) -> HeaderField { HeaderField(name: "ETag", value: text) }

    /// Answers the next exchange, which has to be this one.
    @discardableResult
    func answer(
        _ line: String, condition: String? = nil, _ status: Int, _ body: String = "",
        tag: String? = nil, file: StaticString = #filePath, testLine: UInt = #line
    ) -> Exchange {
        let exchange = transport.answer(status, body, headers: tag.map { [Self.tag($0)] } ?? [])
        let path = exchange.url.dropFirst("http://api.test/v1/".count)
        XCTAssertEqual("\(exchange.method) \(path)", line, file: file, line: testLine)
        let headers = Headers(exchange.headers)
        let stated = headers[first: "If-Match"] ?? headers[first: "If-Unmodified-Since"]
        XCTAssertEqual(stated, condition, file: file, line: testLine)
        return exchange
    }

    func failure(_ call: Call, file: StaticString = #filePath, line: UInt = #line) -> Failure? {
        RestwayClientTests.failure(
            { _ = try call.wait(milliseconds: 0) }, file: file, line: line)
    }

    /// The kind of a conflict, its attributes, and the titles of base, mine and theirs.
    func words(_ failure: Failure?) -> String {
        guard let conflict = failure?.conflict else { return "none: \(failure?.message ?? "")" }
        let names = conflict.cells.map { conflict.entity.cellName($0) }.joined(separator: ",")
        let sides = [conflict.base, conflict.mine, conflict.theirs]
            .map { $0.map { $0.text("title") ?? "-" } ?? "nil" }
        return "\(failure?.httpStatus ?? 0) \(conflict.kind) \(names) "
            + sides.joined(separator: "|")
    }

    func body(_ exchange: Exchange) -> String {
        guard case .bytes(let bytes) = exchange.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Snapshot {
    func text(_ name: String) -> String? {
        guard case .string(let text)? = value(named: name) else { return nil }
        return text
    }
}
