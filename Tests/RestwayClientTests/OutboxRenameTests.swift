import RestwayHTTP
import RestwayObjects
import RestwayRouting
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// Requests that wait in the outbox while the server gives their object another identity.
final class OutboxRenameTests: OutboxTestCase {
    override func document(_ outbox: String, _ rest: String, routes: String) -> String {
        """
        {"restway": 1,
         "environments": {"test": {"baseURL": "http://api.test/v1"}},
         "entities": {
            "File": {"identity": "name",
              "attributes": {"name": {"type": "string"}, "size": {"type": "int"}},
              "relationships": {"original": {"entity": "File", "byIdentity": true}}},
            "Note": {"identity": "id",
              "attributes": {"id": {"type": "int"}, "text": {"type": "string"}},
              "relationships": {"file": {"entity": "File", "source": "about.file",
                                         "byIdentity": true}}}},
         "outbox": {"path": "unused.db", "baseMilliseconds": 1000\(outbox)},
         "routes": {
            "file": {"method": ["GET", "PUT", "PATCH", "DELETE"], "path": "files/:name",
                     "entity": "File", "response": {"entity": "File"},
                     "request": [{"entity": "File", "method": "PATCH", "changedOnly": true},
                                 {"entity": "File", "method": "PUT", "keyPath": "file"}],
                     "offline": true, "renames": true},
            "notes": {"method": "POST", "path": "notes", "entity": "Note",
                      "response": {"entity": "Note"}, "offline": true},
            "note": {"method": "PUT", "path": "files/:file.name/notes/:id", "entity": "Note",
                     "response": {"entity": "Note"}, "offline": true},
            "lock": {"method": "POST", "path": "files/{name}/lock{?hours}", "entity": "File",
                     "offline": true}\(routes)}\(rest)}
        """
    }

    private var client: Client!
    private var wire = FakeTransport()

    override func tearDown() {
        client = nil
        super.tearDown()
    }

    private func begin(_ outbox: String = "", isFile: Bool) throws {
        wire = FakeTransport()
        client = try client(outbox, transport: wire) {
            if isFile { $0.files.store = directory + "/objects.db" }
        }
        try client.setReachability(.unreachable)
    }

    private func read(_ path: String, _ body: String) throws -> Snapshot {
        let call = try client.send(.get(path))
        wire.answer(200, body)
        return try XCTUnwrap(call.wait(milliseconds: 0).objects.first)
    }

    private func spec(_ method: RestwayRouting.Method, _ draft: Draft) -> RequestSpec {
        RequestSpec(target: .subject(method), subject: .draft(draft, client.store))
    }

    private func store(
        _ method: RestwayRouting.Method, _ object: Snapshot, _ name: String? = nil,
        size: Int64? = nil
    ) throws {
        let draft = Draft(copying: object)
        if let size { try draft.set(.int64(size), attribute: 1) }
        var spec = spec(method, draft)
        if let name {
            spec.parameters = [Parameter(keys: ["name"], value: .leaf(.string(name)))]
        }
        try queue(client, spec)
    }

    private func file(_ name: String) throws -> Snapshot? {
        try client.store.object(client.api.entity(named: "File"), .string(name))
    }

    private func lanes() throws -> [String] {
        try client.requireOutbox().list().all.map(\.lane)
    }

    private func deliver(_ answers: (Int, String)...) throws -> [String] {
        try flush(client)
        return answers.map { text(wire.answer($0.0, $0.1)) }
    }

    func testWaitingRequestsGetTheNewIdentityInPathsBodiesAndLanes() throws {
        for isFile in [true, false] {
            try begin(isFile: isFile)
            let object = try read("files/a", #"{"name":"a","size":1,"original":"a"}"#)
            let note = Draft(try client.api.entity(named: "Note"))
            try note.set(.string("about a"), attribute: 1)
            try note.set([.object(object)], relationship: 0)
            let known = try read("files/a", #"{"name":"a"}"#)
            try store(.patch, object, "b")
            XCTAssertEqual(try file("a")?.storeKey, object.storeKey, "the server decides")
            try store(.put, object, size: 2)
            try queue(client, spec(.post, note))
            var lock = RequestSpec(target: .route("lock", .post), subject: .object(known))
            lock.variables["hours"] = .value(.string("a"))
            lock.given.body = .init(bytes: Array(#"{"by":"a"}"#.utf8), mediaType: "text/plain")
            try queue(client, lock)
            try store(.patch, object, "c")
            XCTAssertEqual(
                try lanes().filter { $0 == "object:File:a" }.count, 4)
            // Nothing is in memory when it goes on.
            if isFile {
                client.close()
                try begin(isFile: true)
            }
            try flush(client)
            XCTAssertEqual(
                text(wire.answer(200, #"{"name":"b","size":1}"#)), #"PATCH files/a {"name":"b"}"#)
            // The note has another lane, so it goes out before the others or after them.
            var sent: [String] = []
            for _ in 0..<4 {
                let started = wire.next()
                sent.append(text(started.exchange))
                switch started.exchange.method {
                case "PATCH": started.answer(200, #"{"name":"c"}"#)
                case "POST" where sent.last!.hasPrefix("notes"): started.answer(201, #"{"id":7}"#)
                default: started.answer(204)
                }
            }
            XCTAssertEqual(
                Set(sent),
                [
                    #"PUT files/b {"file":{"name":"b","size":2,"original":"b"}}"#,
                    #"POST notes {"text":"about a","about":{"file":"b"}}"#,
                    #"POST files/b/lock?hours=a {"by":"a"}"#, #"PATCH files/b {"name":"c"}"#,
                ])
            XCTAssertEqual(nextFlushed().all.map(\.state), Array(repeating: .delivered, count: 5))
            let renamed = try XCTUnwrap(file("c"))
            XCTAssertEqual(renamed.storeKey, object.storeKey)
            XCTAssertEqual(renamed.value(named: "size"), .int64(2))
            XCTAssertEqual(try client.store.count(renamed.entity), 1)
            client.close()
            removeFiles()
        }
    }

    func testAnAnswerToAnotherRequestRenamesDeadLettersAndPathsThroughTheObject() throws {
        for isFile in [true, false] {
            try begin(#", "deadHead": "goOn""#, isFile: isFile)
            let object = try read("files/a", #"{"name":"a","size":1}"#)
            try store(.patch, object, size: 2)
            _ = try deliver((422, "{}"))
            XCTAssertEqual(words(nextFlushed()), ["1 dead 422"])
            try client.setReachability(.unreachable)
            let note = Draft(try client.api.entity(named: "Note"))
            try note.set(.int64(4), attribute: 0)
            try note.set([.object(object)], relationship: 0)
            try queue(client, spec(.put, note))
            // Somebody else has renamed the file.
            _ = try read("files/a", #"{"name":"b"}"#)
            XCTAssertEqual(
                try client.requireOutbox().list().all.map(\.path), ["files/b", "files/b/notes/4"])
            XCTAssertEqual(try lanes().first, "object:File:b")
            try client.requireOutbox().retry(1)
            try flush(client)
            let sent = [text(wire.answer(204)), text(wire.answer(204))]
            XCTAssertEqual(
                Set(sent),
                [
                    #"PATCH files/b {"size":2}"#,
                    #"PUT files/b/notes/4 {"id":4,"about":{"file":"b"}}"#,
                ])
            _ = nextFlushed()
            XCTAssertEqual(try file("b")?.storeKey, object.storeKey)
            client.close()
            removeFiles()
        }
    }

    func testThePathOfTheAnsweredRequestStaysAsTheServerHasSeenIt() throws {
        try begin(isFile: false)
        let object = try read("files/a", #"{"name":"a","size":1}"#)
        try store(.patch, object, "b")
        let outbox = try client.requireOutbox()
        let item = try XCTUnwrap(outbox.list().all.first)
        try outbox.rename(
            object.entity, from: .string("a"), to: .string("b"), besides: item.idempotencyKey)
        XCTAssertEqual(try outbox.list().all.map(\.path), ["files/a"])
        XCTAssertEqual(try lanes(), ["object:File:b"])
    }
}
