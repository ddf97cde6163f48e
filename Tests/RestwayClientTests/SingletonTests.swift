import RestwayHTTP
import RestwayObjects
import RestwayRouting
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayMapping
@testable import RestwayOutcome
@testable import RestwayRequests

/// Entities of which there is one object for each path.
final class SingletonTests: EachStoreTestCase {
    override class var document: String {
        """
        {"restway": 1, "environments": {"live": {"baseURL": "http://example.test"}},
        "entities": {
            "Settings": {"identity": "none",
                "attributes": {"theme": {"type": "string"}, "size": {"type": "int"}},
                "relationships": {"inner": {"entity": "Settings"}}},
            "Named": {"identity": "none", "attributes": {"none": {"type": "int"}}}},
        "routes": {
            "settings": {"method": ["GET", "PUT", "PATCH", "DELETE"], "path": "settings",
                "entity": "Settings", "response": {"entity": "Settings"}},
            "user": {"path": "users/:id/settings", "response": {"entity": "Settings"}},
            "named": {"path": "named", "response": {"entity": "Named"}},
            "list": {"path": "list", "response": {"entity": "Settings", "keyPath": "all"}}},
        "requests": [{"method": "PATCH", "path": "settings", "entity": "Settings",
            "changedOnly": true}]}
        """
    }

    private func entity(_ client: Client) throws -> Entity {
        try client.api.entity(named: "Settings")
    }

    private func find(_ path: String, _ client: Client) throws -> Snapshot? {
        let entity = try entity(client)
        return try client.store.object(entity, entity.fitting(.string(path)))
    }

    private func draft(_ client: Client, size: Int64) throws -> Draft {
        let draft = Draft(try entity(client))
        try draft.set(
            .int64(size), attribute: XCTUnwrap(draft.entity.attributeIndex(named: "size")))
        return draft
    }

    private func send(
        _ method: RestwayRouting.Method, _ draft: Draft, _ client: Client, _ status: Int,
        _ answer: String = ""
    ) throws -> Response {
        let call = try client.send(
            RequestSpec(target: .subject(method), subject: .draft(draft, client.store)))
        transport.answer(status, answer)
        return try call.wait(milliseconds: 0)
    }

    func testReadingAPathTwiceGivesOneObject() throws {
        try withEachStore { client in
            let first = try get("settings?a=1", #"{"theme": "dark"}"#, client).objects[0]
            let again = try get("settings", #"{"size": 3}"#, client).objects[0]
            XCTAssertEqual(again.storeKey, first.storeKey)
            XCTAssertEqual(again.identity, .string("settings"))
            XCTAssertEqual(again.value(named: "theme"), .string("dark"))
            XCTAssertEqual(try client.store.count(entity(client)), 1)
            for path in ["settings", "/settings"] {
                XCTAssertEqual(try find(path, client)?.storeKey, first.storeKey)
            }
            XCTAssertThrowsError(try entity(client).fitting(.integer(1)))
        }
    }

    func testEachPathHasAnObjectOfItsOwn() throws {
        try withEachStore { client in
            for (id, size) in [("7", 1), ("a%20b", 2), ("7", 3)] {
                try get("users/\(id)/settings", "{\"size\": \(size)}", client)
            }
            XCTAssertEqual(try client.store.count(entity(client)), 2)
            XCTAssertEqual(
                try find("users/7/settings", client)?.value(named: "size"), .int64(3))
            XCTAssertEqual(
                try find("users/a%20b/settings", client)?.value(named: "size"), .int64(2))
        }
    }

    func testSeveralResultsAreAnIssueAndHaveNoIdentity() throws {
        try withEachStore { client in
            let body = #"{"all": [{"size": 1}, {"size": 2}]}"#
            let response = try get("list", body, client)
            XCTAssertEqual(
                response.issues,
                [
                    MappingIssue(
                        keyPath: "all",
                        reason: "expected one object of Settings, which has the path as its "
                            + "identity, found 2")
                ])
            XCTAssertEqual(response.objects.map(\.identity), [nil, nil])
            XCTAssertEqual(try client.store.count(entity(client)), 2)
        }
    }

    func testANestedObjectHasNoIdentity() throws {
        try withEachStore { client in
            let outer = try get("settings", #"{"inner": {"size": 1}}"#, client).objects[0]
            XCTAssertEqual(outer.identity, .string("settings"))
            let inner = try XCTUnwrap(client.store.related(outer, relationship: 0).first)
            XCTAssertNil(inner.identity)
            XCTAssertNotEqual(inner.storeKey, outer.storeKey)
        }
    }

    func testADraftBecomesTheObjectOfItsPath() throws {
        try withEachStore { client in
            let draft = try draft(client, size: 1)
            _ = try send(.put, draft, client, 204)
            let key = try XCTUnwrap(find("settings", client)).storeKey
            let read = try get("settings", #"{"theme": "dark"}"#, client)
            XCTAssertEqual(read.objects[0].storeKey, key)
            XCTAssertEqual(read.objects[0].value(named: "size"), .int64(1))
            // The draft of the object, and another new one, are about this object.
            let own = Draft(copying: read.objects[0])
            try own.set(.int64(2), attribute: 1)
            let changed = try send(.patch, own, client, 200, #"{"size": 2}"#)
            XCTAssertEqual(changed.objects.map(\.storeKey), [key])
            let other = try self.draft(client, size: 3)
            _ = try send(.put, other, client, 200, #"{"size": 3}"#)
            let stored = try client.store.objects(Query(entity(client)))
            XCTAssertEqual(stored.map(\.storeKey), [key])
            XCTAssertEqual(stored[0].identity, .string("settings"))
            XCTAssertEqual(stored[0].value(named: "size"), .int64(3))
            XCTAssertEqual(stored[0].value(named: "theme"), .string("dark"))
        }
    }

    func testAnObjectOfTheProgramGetsItsPathWhenItIsRead() throws {
        try withEachStore { client in
            let made = try client.store.insert(draft(client, size: 1))
            XCTAssertNil(made.identity)
            let call = try client.send(
                RequestSpec(target: .subject(.get), subject: .object(made)))
            transport.answer(200, #"{"size": 1}"#)
            let read = try call.wait(milliseconds: 0).objects[0]
            XCTAssertEqual(read.storeKey, made.storeKey)
            XCTAssertEqual(read.identity, .string("settings"))
            XCTAssertEqual(try find("settings", client)?.storeKey, made.storeKey)
        }
    }

    func testADeleteOfThePathRemovesTheObject() throws {
        try withEachStore { client in
            try get("users/7/settings", #"{"size": 1}"#, client)
            try get("settings", #"{"size": 1}"#, client)
            let call = try client.send(RequestSpec(target: .path(.delete, "settings")))
            transport.answer(204, "")
            _ = try call.wait(milliseconds: 0)
            XCTAssertNil(try find("settings", client))
            XCTAssertEqual(try client.store.count(entity(client)), 1)
        }
    }

    func testAStoreInAFileKeepsTheObject() throws {
        let first = try client(inFile: true)
        let key = try get("settings", #"{"size": 1}"#, first).objects[0].storeKey
        first.close()
        let second = try client(inFile: true)
        XCTAssertEqual(try find("settings", second)?.storeKey, key)
        XCTAssertEqual(try get("settings", #"{"size": 2}"#, second).objects[0].storeKey, key)
        second.close()
    }

    func testAnAttributeCalledNoneIsTheIdentity() throws {
        try withEachStore { client in
            let object = try get("named", #"{"none": 7}"#, client).objects[0]
            XCTAssertEqual(object.identity, .integer(7))
        }
    }
}
