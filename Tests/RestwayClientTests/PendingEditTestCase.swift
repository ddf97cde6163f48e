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

/// Clients whose store shows pending edits, with a store in memory and with one in a file.
class PendingEditTestCase: OutboxTestCase {
    private(set) var client: Client!
    var wire = FakeTransport()
    private(set) var isFile = false

    override func tearDown() {
        client = nil
        super.tearDown()
    }

    /// What the document says besides, in its section `outbox` and in its routes.
    var outboxKeys: String { "" }
    var routes: String { "" }
    var rest: String { "" }

    /// Runs `body` with a store in memory, and with a store in a file.
    func withStores(_ body: () throws -> Void) throws {
        for isFile in [false, true] {
            try begin(isFile: isFile)
            try body()
            client.close()
            removeFiles()
        }
    }

    func begin(isFile: Bool = true) throws {
        self.isFile = isFile
        try reopen()
    }

    /// Makes a new client with the same files, which does not send by itself.
    func reopen() throws {
        wire = FakeTransport()
        client = try client(outboxKeys, rest, routes: routes, transport: wire) {
            if isFile { $0.files.store = directory + "/objects.db" }
        }
        try client.setReachability(.unreachable)
    }

    var entity: Entity { get throws { try client.api.entity(named: "Thing") } }

    /// The server sends values of an object.
    @discardableResult
    func tell(_ id: Int64, _ name: String) throws -> Snapshot {
        var changes = ChangeSet()
        changes.rows = [try Snapshot.make(entity, [.int64(id), .string(name)])]
        return try client.store.commit(changes).objects[0]
    }

    func object(_ id: Int64) throws -> Snapshot {
        try XCTUnwrap(client.store.object(entity, .integer(id)))
    }

    func draft(_ id: Int64, _ name: String) throws -> Draft {
        let draft = Draft(copying: try object(id))
        try draft.set(.string(name), attribute: 1)
        return draft
    }

    func spec(_ method: RestwayRouting.Method, _ draft: Draft) -> RequestSpec {
        RequestSpec(target: .subject(method), subject: .draft(draft, client.store))
    }

    func deletion(_ object: Snapshot) -> RequestSpec {
        RequestSpec(target: .subject(.delete), subject: .object(object))
    }

    /// Stores a request that changes the name of an object.
    @discardableResult
    func rename(_ id: Int64, _ name: String, _ method: RestwayRouting.Method = .patch) throws
        -> Int64
    {
        try queue(client, spec(method, draft(id, name)))
    }

    func name(_ id: Int64) throws -> String? {
        let object = try client.store.object(entity, .integer(id))
        guard case .string(let name)? = object?.value(at: 1) else { return nil }
        return name
    }

    /// The name that the server has given.
    func confirmed(_ id: Int64) throws -> String? {
        let object = try client.store.confirmed(of: object(id))
        guard case .string(let name)? = object?.value(at: 1) else { return nil }
        return name
    }

    func get(_ path: String, _ body: String) throws {
        let call = try client.send(.get(path))
        wire.answer(200, body)
        _ = try call.wait(milliseconds: 0)
    }

    func drop(_ id: Int64) throws { _ = try client.requireOutbox().drop(id) }

    func flushAll(_ answers: (Int, String)...) throws -> [String] {
        try flush(client)
        for (status, body) in answers { wire.answer(status, body) }
        let words = words(nextFlushed())
        try client.setReachability(.unreachable)
        return words
    }

    /// The edits in the store, and the items that have one, as texts of the same form.
    func edits() throws -> (shown: [String], stored: [String]) {
        let journal = try client.requireOutbox().journal
        return (
            try client.store.edits(ofOutbox: journal.number).map {
                "\($0.id.number)\($0.isSuspended ? " suspended" : "")"
            },
            try journal.editedItems().map { "\($0.edit)\($0.isDead ? " suspended" : "")" }
        )
    }

    /// Checks that each edit has its item, and each item its edit.
    func checkEdits(file: StaticString = #filePath, line: UInt = #line) throws {
        let (shown, stored) = try edits()
        XCTAssertEqual(shown, stored, file: file, line: line)
    }
}
