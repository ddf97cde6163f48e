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

/// A client that changes notes without a network, and a server on which other devices change them
/// meanwhile; with a store in memory and with one in a file.
class ConflictTestCase: OutboxTestCase {
    private(set) var client: Client!
    private(set) var server = NoteServer()
    private var isFile = false
    private var keys = ""

    override func tearDown() {
        client = nil
        super.tearDown()
    }

    /// The entity, with what a test says besides about versions and conflicts.
    private func notes(_ conflicts: String, _ version: String, _ route: String) -> String {
        """
        {"restway": 1, "environments": {"test": {"baseURL": "http://api.test/v1"}},
         "entities": {"Note": {"identity": "id", "version": \(version),
            "conflicts": {\(conflicts)},
            "attributes": {"id": {"type": "int"}, "title": {"type": "string"},
                "text": {"type": "string"}, "views": {"type": "int"}, "tags": {"type": "json"},
                "rev": {"type": "int"}}}},
         "outbox": {"path": "unused.db", "baseMilliseconds": 1000},
         "retry": {"attempts": 1},
         "routes": {
            "note": {"method": ["GET", "PUT", "PATCH", "DELETE"], "path": "notes/:id",
                     "entity": "Note", "response": {"entity": "Note"},
                     "request": {"entity": "Note", "method": "PATCH", "changedOnly": true},
                     "offline": true\(route)},
            "notes": {"path": "notes", "response": {"entity": "Note"}},
            "add": {"method": "POST", "path": "notes", "entity": "Note",
                    "response": {"entity": "Note"}, "offline": true}},
         "errors": {"code": "code", "message": "message"}}
        """
    }

    /// Runs a test with a store in memory, and with one in a file.
    ///
    /// - Parameters:
    ///   - conflicts: The content of the key `conflicts` of the entity.
    ///   - route: More keys of the route.
    func withNotes(
        _ conflicts: String = "", version: String = #"{"header": "ETag"}"#, route: String = "",
        _ test: () throws -> Void
    ) throws {
        for isFile in [false, true] {
            self.isFile = isFile
            keys = notes(conflicts, version, route)
            server = NoteServer()
            try reopen()
            try test()
            client.close()
            removeFiles()
        }
    }

    /// Makes a new client with the same files. It sends only in `flush` and in calls that are not
    /// stored.
    func reopen() throws {
        if client != nil { client.close() }
        client = try newClient()
        try client.setReachability(.unreachable)
    }

    func newClient() throws -> Client {
        let wire = FakeTransport()
        server.serve(wire)
        var options = ClientOptions()
        options.files.outbox = path
        if isFile { options.files.store = directory + "/objects.db" }
        options.randomSeed = 1
        let made = try Client(
            api: try TestAPI.load(keys), options: options, transport: wire, clock: clock)
        addTeardownBlock { made.close() }
        return made
    }

    // MARK: What the program does

    var entity: Entity { get throws { try client.api.entity(named: "Note") } }

    func note(_ id: Int64 = 1) throws -> Snapshot {
        try XCTUnwrap(client.store.object(entity, .integer(id)))
    }

    /// Gets the note, so that the store knows its version.
    func get(_ id: Int64 = 1) throws {
        _ = try client.send(.get("notes/\(id)")).wait(milliseconds: 0)
    }

    /// The server has a note, and the client gets it.
    func begin(_ json: String = #"{"title":"base","text":"t","views":10,"tags":["a"]}"#) throws {
        server.put(1, json)
        try get()
        _ = server.log()
    }

    func draft(_ values: [String: Value], _ id: Int64 = 1) throws -> Draft {
        let draft = Draft(copying: try note(id))
        for (name, value) in values {
            try draft.set(value, attribute: XCTUnwrap(entity.attributeIndex(named: name)))
        }
        return draft
    }

    /// Stores a request that changes values of the note.
    @discardableResult
    func edit(
        _ values: [String: Value], _ method: RestwayRouting.Method = .patch
    ) throws -> Int64 {
        let draft = try draft(values)
        return try queue(
            client, RequestSpec(target: .subject(method), subject: .draft(draft, client.store)))
    }

    @discardableResult
    func edit(title: String) throws -> Int64 { try edit(["title": .string(title)]) }

    @discardableResult
    func deleteNote() throws -> Int64 {
        try queue(client, RequestSpec(target: .subject(.delete), subject: .object(note())))
    }

    /// Sends what may go out, and returns the requests that reach the server. The program says
    /// afterwards that there is no network.
    @discardableResult
    func flush(file: StaticString = #filePath, line: UInt = #line) throws -> [String] {
        _ = server.log()
        try flush(client, isForced: true)
        let ended = flushed.wait(until: SystemClock().now().advanced(milliseconds: 10_000)) {
            $0.isEmpty ? nil : $0.removeFirst()
        }
        XCTAssertNotNil(ended, "the flush has no end", file: file, line: line)
        try client.setReachability(.unreachable)
        return server.log()
    }

    /// Notes in `told` how items end.
    func observeItems() throws {
        told.update { $0 = [] }
        try client.requireOutbox().setObserver(
            OutboxObserver(
                item: .init { [told] list in
                    let item = list.all[0]
                    told.update {
                        $0.append("\(item.id) \(item.state) \(item.response?.status ?? 0)")
                    }
                }, flushed: nil))
    }

    // MARK: What the program sees

    func value(_ name: String, _ id: Int64 = 1) throws -> Value? {
        try client.store.seen(entity, .integer(id))?.value(named: name)
    }

    func title() throws -> String? { try note().text("title") }

    /// The value of the server, as the store knows it.
    func confirmed(_ name: String) throws -> Value? {
        try client.store.confirmed(of: note())?.value(named: name)
    }

    func items() throws -> [String] { try states(client) }

    func item(_ id: Int64) throws -> StoredRequest { try client.requireOutbox().find(id) }

    func conflicts() throws -> [Conflict] { try client.requireOutbox().conflicts() }

    func resolve(_ conflict: Conflict) throws { try client.requireOutbox().resolve(conflict) }

    /// The conflicts as texts: the kind, the attributes, and the sides of each attribute.
    func conflictWords() throws -> [String] {
        try conflicts().map { conflict in
            let cells = conflict.cells.map { cell in
                let sides = [conflict.base, conflict.mine, conflict.theirs].map { side in
                    side.map { Self.word($0.value(at: cell)) } ?? "nil"
                }
                return " \(conflict.entity.cellName(cell)) \(sides.joined(separator: "|"))"
            }
            return "\(conflict.item) \(conflict.kind)\(cells.joined())"
                + (conflict.theirs == nil ? " gone" : "")
        }
    }

    private static func word(_ value: Value) -> String {
        switch value {
        case .string(let text), .json(let text): text
        case .int64(let number): "\(number)"
        default: "\(value)"
        }
    }

    /// Checks that nothing is left to be sent or decided, and that the store has the values of the
    /// server.
    func checkSettled(file: StaticString = #filePath, line: UInt = #line) throws {
        XCTAssertEqual(try items(), [], file: file, line: line)
        let edits = try client.store.edits(ofOutbox: client.requireOutbox().journal.number)
        XCTAssertEqual(edits.count, 0, file: file, line: line)
        for name in ["title", "text", "views"] {
            guard let there = server.value(name) else { continue }
            let here = try value(name).map(Self.word)
            XCTAssertEqual(here, there.filter { $0 != "\"" }, name, file: file, line: line)
        }
    }
}
