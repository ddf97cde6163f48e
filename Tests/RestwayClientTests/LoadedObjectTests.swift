import RestwayMapping
import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayStore

/// Which objects answers, links, drafts and hooks load, with both kinds of stores.
final class LoadedObjectTests: EachStoreTestCase {
    override class var document: String {
        """
        {"restway": 1, "environments": {"live": {"baseURL": "http://example.test"}},
        "entities": {
            "Issue": {"identity": "id",
                "attributes": {"id": {"type": "int"}, "authorID": {"type": "int"},
                    "title": {"type": "string"}},
                "relationships": {
                    "author": {"entity": "User", "identity": {"id": "authorID"}},
                    "owner": {"entity": "User"},
                    "watchers": {"entity": "User", "many": true},
                    "labels": {"entity": "Label", "many": true}}},
            "User": {"identity": "id",
                "attributes": {"id": {"type": "int"}, "name": {"type": "string"},
                    "state": {"type": "string", "default": "active"},
                    "issue": {"type": "int", "from": {"parent": "id"}}}},
            "Label": {"identity": "name", "attributes": {"name": {"type": "string"}}}},
        "routes": {
            "issue": {"path": "issues/:id", "entity": "Issue", "response": {"entity": "Issue"}},
            "users": {"path": "users", "response": {"entity": "User"}}}}
        """
    }

    private func identities(
        _ client: Client, _ loading: Query.Loading, _ entity: String = "User"
    ) throws -> [Int64] {
        let query = Query(try client.api.entity(named: entity), loading)
        let objects = try client.store.objects(query)
        XCTAssertEqual(try client.store.count(query), objects.count)
        for object in objects where loading != .all {
            XCTAssertEqual(object.isLoaded, loading == .loaded)
        }
        return objects.map { object in
            guard case .integer(let identity)? = object.identity else { return -1 }
            return identity
        }.sorted()
    }

    private func assert(
        _ client: Client, loaded: [Int64], unloaded: [Int64], line: UInt = #line
    ) throws {
        XCTAssertEqual(try identities(client, .loaded), loaded, line: line)
        XCTAssertEqual(try identities(client, .unloaded), unloaded, line: line)
    }

    func testAnAnswerLoadsAnObjectThatHasNothingButItsIdentity() throws {
        try withEachStore { client in
            let users = try get("users", #"[{"id": 1}, {"id": 2, "name": "Bob"}]"#, client)
            XCTAssertEqual(users.objects.map(\.isLoaded), [true, true])
            let issue = try get("issues/1", #"{"id": 1, "owner": {"id": 3}}"#, client)
            XCTAssertEqual(issue.objects.map(\.isLoaded), [true])
            try assert(client, loaded: [1, 2, 3], unloaded: [])
            XCTAssertEqual(try client.store.count(nil), 4)
        }
    }

    func testALinkAloneDoesNotLoad() throws {
        try withEachStore { client in
            try get("issues/1", #"{"id": 1, "owner": 3, "watchers": [4], "authorID": 5}"#, client)
            try assert(client, loaded: [], unloaded: [3, 4, 5])
            XCTAssertEqual(try client.store.count(nil), 1)
            // An attribute from elsewhere does not load, and there is no default.
            let user = try client.api.entity(named: "User")
            let owner = try XCTUnwrap(client.store.object(user, .integer(3)))
            XCTAssertEqual(owner.value(named: "issue"), .int64(1))
            XCTAssertEqual(owner.value(named: "state"), .absent)
            try get("users", #"[{"id": 4}]"#, client)
            try assert(client, loaded: [4], unloaded: [3, 5])
            try get("issues/2", #"{"id": 2, "owner": 4, "watchers": [3]}"#, client)
            try assert(client, loaded: [4], unloaded: [3, 5])
        }
    }

    func testALinkLoadsAnObjectWhoseEntityHasNothingButItsIdentity() throws {
        try withEachStore { client in
            try get("issues/1", #"{"id": 1, "labels": ["bug", {"name": "ui"}]}"#, client)
            XCTAssertEqual(try identities(client, .loaded, "Label"), [-1, -1])
            XCTAssertEqual(try identities(client, .unloaded, "Label"), [])
        }
    }

    /// Repeated objects of an answer share a row, in whatever order they come.
    func testAnObjectIsLoadedIfOnePlaceOfAnAnswerBringsIt() throws {
        for watchers in [#"[7, {"id": 7}, 8]"#, #"[{"id": 7}, 7, 8]"#, #"[8, {"id": 7}]"#] {
            try withEachStore { client in
                try get("issues/1", #"{"id": 1, "owner": 7, "watchers": \#(watchers)}"#, client)
                try assert(client, loaded: [7], unloaded: [8])
                try get("issues/2", #"{"id": 2, "owner": {"id": 9}, "authorID": 9}"#, client)
                try assert(client, loaded: [7, 9], unloaded: [8])
            }
        }
    }

    func testAnObservedQueryGetsAnObjectWhenAnAnswerLoadsIt() throws {
        try withEachStore { client in
            try get("issues/1", #"{"id": 1, "owner": 3}"#, client)
            let watch = QueryWatch(HostQuery(Query(try client.api.entity(named: "User"))))
            let told = Monitor<[QueryChanges]>([])
            let observer = try client.observe(
                watch, changed: { changes in told.update { $0.append(changes) } })
            defer { withExtendedLifetime(observer) {} }
            XCTAssertEqual(watch.objects.count, 0)
            try get("users", #"[{"id": 3}]"#, client)
            let changes = told.wait { $0.first }
            XCTAssertEqual(changes.map { names($0.objects) }, ["User 3"])
        }
    }

    func testAFileRemembersWhatIsLoaded() throws {
        let client = try client(inFile: true)
        try get("issues/1", #"{"id": 1, "owner": 3, "watchers": [4]}"#, client)
        try get("users", #"[{"id": 4}, {"id": 5}]"#, client)
        client.close()
        let reopened = try self.client(inFile: true)
        try assert(reopened, loaded: [4, 5], unloaded: [3])
        let user = try reopened.api.entity(named: "User")
        XCTAssertEqual(try reopened.store.object(user, .integer(3))?.isLoaded, false)
        XCTAssertEqual(try reopened.store.object(user, .integer(4))?.isLoaded, true)
        try get("users", #"[{"id": 3}]"#, reopened)
        try assert(reopened, loaded: [3, 4, 5], unloaded: [])
        reopened.close()
    }

    func testADraftLoadsItsObject() throws {
        try withEachStore { client in
            try get("issues/1", #"{"id": 1, "owner": 3}"#, client)
            let user = try client.api.entity(named: "User")
            XCTAssertTrue(try client.store.insert(Draft(user)).isLoaded)
            let draft = Draft(user)
            try draft.set(.int64(4), attribute: 0)
            XCTAssertTrue(try client.store.insert(draft).isLoaded)
            try assert(client, loaded: [-1, 4], unloaded: [3])
            let named = try XCTUnwrap(client.store.object(user, .integer(3)))
            let change = Draft(copying: named)
            try change.set(.string("Ann"), attribute: 1)
            XCTAssertTrue(try client.store.insert(change).isLoaded)
            try assert(client, loaded: [-1, 3, 4], unloaded: [])
        }
    }

    func testAHookLoadsAnObjectByGivingItAValue() throws {
        let document = Self.document.replacing(
            #""response": {"entity": "Issue"}"#,
            with: #""response": {"entity": "Issue", "hook": "name"}"#)
        let api = try TestAPI.load(document)
        try api.addHook("name") { rows throws(Failure) in
            do {
                for row in 0..<rows.count where try rows.snapshot(row).identity == .integer(3) {
                    try rows.set(row, attribute: 1, .string("Ann"))
                }
            } catch {
                throw Failure(.internal, "\(error)")
            }
        }
        let transport = FakeTransport()
        let client = try Client(
            api: api, options: ClientOptions(), transport: transport, clock: FakeClock())
        let call = try client.send(.get("issues/1"))
        transport.answer(200, #"{"id": 1, "owner": 3, "watchers": [4]}"#)
        _ = try call.wait(milliseconds: 0)
        try assert(client, loaded: [3], unloaded: [4])
        client.close()
    }
}
