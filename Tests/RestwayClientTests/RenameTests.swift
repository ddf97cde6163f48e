import RestwayHTTP
import RestwayObjects
import RestwayRouting
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Answers that give the object of their request another identity.
final class RenameTests: EachStoreTestCase {
    override class var document: String { """
        {"restway": 1,
         "environments": {"test": {"baseURL": "http://api.test/v1"}},
         "entities": {
            "File": {"identity": "name",
                     "attributes": {"name": {"type": "string"}, "size": {"type": "int"},
                                    "kind": {"type": "string"}},
                     "relationships": {"views": {"entity": "View", "many": true}}},
            "View": {"keep": false, "attributes": {"text": {"type": "string"}}},
            "Folder": {"identity": "id", "attributes": {"id": {"type": "int"}},
                       "relationships": {"files": {"entity": "File", "many": true}}}},
         "routes": {
            "folder": {"path": "folders/:id", "response": {"entity": "Folder"}},
            "files": {"path": "files", "response": {"entity": "File"}},
            "file": {"method": ["GET", "PUT", "PATCH", "DELETE"], "path": "files/:name",
                     "entity": "File", "response": {"entity": "File"},
                     "request": {"entity": "File", "method": "PATCH", "changedOnly": true},
                     "renames": true},
            "publish": {"method": "POST", "path": "files/:name/publish",
                        "response": {"entity": "File"}, "renames": true},
            "plain": {"method": ["GET", "PATCH"], "path": "plain/:name",
                      "response": {"entity": "File"}}}}
        """
    }

    private func file(_ name: String, _ client: Client) throws -> Snapshot? {
        try client.store.object(client.api.entity(named: "File"), .string(name))
    }

    /// Reads a folder with files, and returns the file `a`.
    private func begin(_ client: Client) throws -> Snapshot {
        try get("folders/1", #"{"id":1,"files":[{"name":"a","size":1},{"name":"x"}]}"#, client)
        return try XCTUnwrap(file("a", client))
    }

    private func names(inFolder client: Client) throws -> [Identity?] {
        let folder = try XCTUnwrap(
            client.store.object(client.api.entity(named: "Folder"), .integer(1)))
        return try client.store.related(folder, relationship: 0).map(\.identity)
    }

    private func spec(
        _ method: RestwayRouting.Method, _ draft: Draft, _ client: Client
    ) -> RequestSpec {
        RequestSpec(target: .subject(method), subject: .draft(draft, client.store))
    }

    private func rename(_ object: Snapshot, to name: String) -> RequestSpec {
        var spec = RequestSpec(target: .subject(.patch), subject: .object(object))
        spec.parameters = [Parameter(keys: ["name"], value: .leaf(.string(name)))]
        return spec
    }

    @discardableResult
    private func send(
        _ spec: RequestSpec, _ answer: String, _ client: Client, status: Int = 200
    ) throws -> (sent: String, response: Response) {
        let call = try client.send(spec)
        let exchange = transport.answer(status, answer)
        var text = "\(exchange.method) \(exchange.url.dropFirst("http://api.test/v1/".count))"
        if case .bytes(let bytes) = exchange.body {
            text += " " + String(decoding: bytes, as: UTF8.self)
        }
        return (text, try call.wait(milliseconds: 0))
    }

    // MARK: Requests about objects

    func testTheObjectOfTheRequestKeepsItsKeyAndItsLinksAndItsObservers() throws {
        try withEachStore { client in
            let object = try begin(client)
            let log = ChangeLog()
            _ = try client.observe(.object(object), changed: log.add, end: log.end)
            let spec = RequestSpec(target: .subject(.get), subject: .object(object))
            let response = try send(spec, #"{"name":"b","size":2}"#, client).response
            XCTAssertEqual(response.objects.map(\.storeKey), [object.storeKey])
            XCTAssertNil(try file("a", client))
            let renamed = try XCTUnwrap(file("b", client))
            XCTAssertEqual(renamed.storeKey, object.storeKey)
            XCTAssertEqual(renamed.value(named: "size"), .int64(2))
            XCTAssertEqual(try names(inFolder: client), [.string("b"), .string("x")])
            log.waitForLists(1)
            let told = log.lists[0]
            XCTAssertEqual(told.changes.map(\.kind), [.updated])
            XCTAssertEqual(told.changes[0].before?.identity, .string("a"))
            XCTAssertEqual(told.changes[0].after?.identity, .string("b"))
            // The former name is free for another object.
            try get("files", #"[{"name":"a","size":7},{"name":"b","size":8}]"#, client)
            let other = try XCTUnwrap(file("a", client))
            XCTAssertNotEqual(other.storeKey, object.storeKey)
            XCTAssertEqual(try file("b", client)?.storeKey, object.storeKey)
        }
    }

    func testAnAnswerThatAlsoHasObjectsThatAreNotKeptRenamesToo() throws {
        try withEachStore { client in
            let object = try begin(client)
            let answer = #"{"name":"b","size":2,"views":[{"text":"t"}]}"#
            try send(rename(object, to: "b"), answer, client)
            XCTAssertNil(try file("a", client))
            XCTAssertEqual(try file("b", client)?.storeKey, object.storeKey)
        }
    }

    func testAnotherObjectWithTheNewIdentityIsMergedIntoTheObjectOfTheRequest() throws {
        try withEachStore { client in
            let object = try begin(client)
            try get("files", #"[{"name":"x","kind":"text","size":9}]"#, client)
            let other = try XCTUnwrap(file("x", client))
            let sent = try send(
                rename(object, to: "x"), #"{"name":"x","size":3}"#, client).sent
            XCTAssertEqual(sent, #"PATCH files/a {"name":"x"}"#)
            let merged = try XCTUnwrap(file("x", client))
            XCTAssertEqual(merged.storeKey, object.storeKey)
            XCTAssertEqual(merged.value(named: "kind"), .string("text"))
            XCTAssertEqual(merged.value(named: "size"), .int64(3))
            XCTAssertEqual(
                try client.store.newest(other.entity, storeKey: other.storeKey)?.storeKey,
                object.storeKey)
            XCTAssertNil(try file("a", client))
            XCTAssertEqual(try client.store.count(object.entity), 1)
        }
    }

    func testTheIdentityOfTheAnswerCountsAndNotThatOfTheRequest() throws {
        for (status, answer, name) in [
            (200, #"{"name":"c","size":5}"#, "c"), (200, #"{"name":"a","size":5}"#, "a"),
            (200, #"{"size":5}"#, "a"), (204, "", "a"),
        ] {
            try withEachStore { client in
                let object = try begin(client)
                let draft = Draft(copying: object)
                try draft.set(.int64(5), attribute: 1)
                var spec = spec(.patch, draft, client)
                spec.parameters = rename(object, to: "b").parameters
                let sent = try send(spec, answer, client, status: status).sent
                XCTAssertEqual(sent, #"PATCH files/a {"size":5,"name":"b"}"#)
                let renamed = try XCTUnwrap(file(name, client), answer)
                XCTAssertEqual(renamed.storeKey, object.storeKey)
                XCTAssertEqual(renamed.value(named: "size"), .int64(5))
                XCTAssertEqual(draft.changedCells, [], answer)
                XCTAssertEqual(draft.snapshot().identity, .string(name))
                XCTAssertEqual(try client.store.count(object.entity), 2, answer)
                XCTAssertEqual(try names(inFolder: client), [.string(name), .string("x")])
            }
        }
    }

    func testARefusedRenameLeavesTheObject() throws {
        try withEachStore { client in
            let object = try begin(client)
            XCTAssertThrowsError(
                try send(rename(object, to: "b"), #"{"name":"b"}"#, client, status: 409))
            XCTAssertEqual(try file("a", client)?.storeKey, object.storeKey)
        }
    }

    func testADraftFromBeforeTheRenameIsSentToThePresentPath() throws {
        try withEachStore { client in
            let object = try begin(client)
            let draft = Draft(copying: object)
            try draft.set(.int64(4), attribute: 1)
            let read = RequestSpec(target: .subject(.get), subject: .object(object))
            try send(read, #"{"name":"b"}"#, client)
            let sent = try send(spec(.patch, draft, client), "", client, status: 204).sent
            XCTAssertEqual(sent, #"PATCH files/b {"size":4}"#)
            let put = Draft(copying: object)
            try put.set(.int64(6), attribute: 1)
            let whole = try send(spec(.put, put, client), "", client, status: 204).sent
            XCTAssertTrue(whole.hasPrefix("PUT files/b "), whole)
            let renamed = try XCTUnwrap(file("b", client))
            XCTAssertEqual(renamed.storeKey, object.storeKey, "no draft asks for the old name")
            XCTAssertEqual(renamed.value(named: "size"), .int64(6))
            // The older snapshot, too.
            XCTAssertEqual(try send(read, #"{"name":"b"}"#, client).sent, "GET files/b")
            XCTAssertEqual(try client.store.count(object.entity), 2)
        }
    }

    func testADraftThatNoStoreKnowsRenamesTheObjectThatHasItsIdentity() throws {
        for isKnown in [true, false] {
            try withEachStore { client in
                let object = isKnown ? try begin(client) : nil
                let draft = Draft(try client.api.entity(named: "File"))
                try draft.set(.string("a"), attribute: 0)
                try draft.set(.int64(5), attribute: 1)
                try send(spec(.put, draft, client), #"{"name":"b"}"#, client)
                let renamed = try XCTUnwrap(file("b", client))
                XCTAssertEqual(renamed.value(named: "size"), .int64(5))
                XCTAssertEqual(draft.storeKey, renamed.storeKey)
                XCTAssertNil(try file("a", client))
                if let object { XCTAssertEqual(renamed.storeKey, object.storeKey) }
            }
        }
    }

    // MARK: Requests by path

    func testAVariableOfThePathNamesTheObject() throws {
        try withEachStore { client in
            let object = try begin(client)
            try get("files/a", #"{"name":"b"}"#, client)
            XCTAssertEqual(try file("b", client)?.storeKey, object.storeKey)
            var publish = RequestSpec(target: .route("publish", .post))
            publish.variables["name"] = .value(.string("b"))
            try send(publish, #"{"name":"b-1","size":2}"#, client)
            XCTAssertEqual(try file("b-1", client)?.storeKey, object.storeKey)
            try get("files/unknown", #"{"name":"known"}"#, client)
            XCTAssertEqual(try client.store.count(object.entity), 3, "it was unknown")
        }
    }

    func testOtherAnswersRenameNothing() throws {
        try withEachStore { client in
            let object = try begin(client)
            try get("plain/a", #"{"name":"b"}"#, client)
            try get("files/a", #"[{"name":"c"},{"name":"d"}]"#, client)
            try get("folders/1", #"{"id":2}"#, client)
            var refused = RequestSpec(target: .route("plain", .patch))
            refused.variables["name"] = .value(.string("a"))
            refused.given.body = .init(bytes: Array("{}".utf8), mediaType: "application/json")
            try send(refused, #"{"name":"e"}"#, client)
            XCTAssertEqual(try file("a", client)?.storeKey, object.storeKey)
            XCTAssertEqual(try client.store.count(object.entity), 6)
        }
    }
}
