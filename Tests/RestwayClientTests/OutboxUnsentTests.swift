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

/// Objects that are made offline with identities of the program, or by a PUT to a path that the
/// program chooses, and what stored requests are sent with.
final class OutboxUnsentTests: OutboxTestCase {
    private let routes = """
        , "send": {"method": "PUT", "path": "sent/:number", "entity": "Thing", "offline": true,
                   "response": {"entity": "Thing"}}
        """

    private func draft(_ client: Client, _ name: String, id: Int64? = nil) throws -> Draft {
        let draft = Draft(try client.api.entity(named: "Thing"))
        try draft.set(.string(name), attribute: 1)
        if let id { try draft.set(.int64(id), attribute: 0) }
        return draft
    }

    private func spec(
        _ method: RestwayRouting.Method, _ draft: Draft, _ client: Client
    ) -> RequestSpec {
        RequestSpec(
            target: .route(method == .post ? "things" : "thing", method),
            subject: .draft(draft, client.store))
    }

    /// A PUT that creates the object of a draft, or a POST with an identity of the program.
    private func creation(_ isPut: Bool, _ draft: Draft, _ client: Client) -> RequestSpec {
        guard isPut else { return spec(.post, draft, client) }
        var spec = RequestSpec(target: .route("send", .put), subject: .draft(draft, client.store))
        spec.variables["number"] = .value(.string("1"))
        return spec
    }

    private func object(_ client: Client) throws -> Snapshot {
        let thing = try client.api.entity(named: "Thing")
        return try XCTUnwrap(try client.store.objects(Query(thing)).first)
    }

    private func eachWay(_ body: (Bool, Client, FakeTransport) throws -> Void) throws {
        for isPut in [true, false] {
            for isFile in [true, false] {
                let wire = FakeTransport()
                let store = #", "store": {"kind": "sqlite", "path": "\#(directory)/objects.db"}"#
                let client = try client("", isFile ? store : "", routes: routes, transport: wire)
                try client.setReachability(.unreachable)
                try body(isPut, client, wire)
                client.close()
                removeFiles()
            }
        }
    }

    func testALinkByIdentityWaitsForTheObject() throws {
        try eachWay { isPut, client, wire in
            let owner = try draft(client, "owner", id: isPut ? nil : 7)
            try queue(client, creation(isPut, owner, client))
            let owned = try draft(client, "owned")
            try owned.set([.object(try object(client))], relationship: 0)
            try queue(client, spec(.post, owned, client))
            XCTAssertEqual(try states(client), ["1 waiting", "2 blocked"])
            try flush(client)
            wire.answer(503)
            XCTAssertEqual(words(nextFlushed()), ["1 waiting 503"])
            try flush(client)
            wire.answer(201, #"{"id":7,"name":"owner"}"#)
            let second = text(wire.answer(201, #"{"id":8,"name":"owned"}"#))
            XCTAssertTrue(second.contains(#""owner_id":7"#), second)
            XCTAssertFalse(second.contains("restway-"), second)
            XCTAssertEqual(words(nextFlushed()), ["1 delivered 201", "2 delivered 201"])
        }
    }

    func testWhatWaitsForARefusedObjectIsNotSent() throws {
        try eachWay { isPut, client, wire in
            let owner = try draft(client, "owner", id: isPut ? nil : 7)
            try queue(client, creation(isPut, owner, client))
            let owned = try draft(client, "owned")
            try owned.set([.object(try object(client))], relationship: 0)
            try queue(client, spec(.post, owned, client))
            let edit = try draft(client, "edited", id: isPut ? nil : 7)
            if !isPut { try queue(client, spec(.put, edit, client)) }
            try flush(client)
            wire.answer(422)
            XCTAssertEqual(words(nextFlushed()), ["1 dead 422"])
            XCTAssertEqual(wire.waitingCount, 0)
            XCTAssertEqual(try client.requireOutbox().drop(1), isPut ? 2 : 3)
            XCTAssertEqual(try client.store.count(nil), 0)
        }
    }

    func testADeletionBeforeItWasSentSendsNothing() throws {
        try eachWay { isPut, client, wire in
            for isRequest in [true, false] {
                let made = try draft(client, "never", id: isPut ? nil : 7)
                try queue(client, creation(isPut, made, client))
                let object = try object(client)
                if isRequest {
                    let spec = RequestSpec(
                        target: .route("thing", .delete), subject: .object(object))
                    XCTAssertEqual(try client.send(spec).wait(milliseconds: 0).status, 0)
                } else {
                    XCTAssertTrue(try client.store.delete(object))
                }
                XCTAssertEqual(try states(client), [])
                XCTAssertEqual(try client.store.count(nil), 0)
            }
            XCTAssertEqual(wire.waitingCount, 0)
        }
    }

    /// Only a request that makes an object is withdrawn with it.
    func testADeletionOfAnObjectOfTheServerIsSent() throws {
        let client = try client("", "", routes: routes)
        let call = try client.send(spec(.put, draft(client, "seen", id: 7), client))
        transport.answer(200, #"{"id":7,"name":"seen"}"#)
        _ = try call.wait(milliseconds: 0)
        try client.setReachability(.unreachable)
        try queue(client, spec(.post, draft(client, "again", id: 7), client))
        let seen = try object(client)
        try queue(client, RequestSpec(target: .route("thing", .delete), subject: .object(seen)))
        XCTAssertEqual(try states(client).count, 2)
    }

    func testTheStoreHasTheValuesOfTheLastRequestInTheEnd() throws {
        for isFile in [true, false] {
            let wire = FakeTransport()
            let store = #", "store": {"kind": "sqlite", "path": "\#(directory)/objects.db"}"#
            let client = try client("", isFile ? store : "", transport: wire)
            try client.setReachability(.unreachable)
            let made = try draft(client, "first")
            try queue(client, spec(.post, made, client))
            for name in ["second", "third"] {
                try made.set(.string(name), attribute: 1)
                try queue(client, spec(.put, made, client))
            }
            try flush(client)
            wire.answer(201, #"{"id":7,"name":"first"}"#)
            wire.answer(204)
            wire.answer(204)
            XCTAssertEqual(nextFlushed().all.map(\.state), [.delivered, .delivered, .delivered])
            let object = try object(client)
            XCTAssertEqual(object.value(named: "name"), .string("third"))
            // A value of the answer counts more than the value that was sent.
            try client.setReachability(.unreachable)
            let edit = Draft(copying: object)
            try edit.set(.string("sent"), attribute: 1)
            try queue(client, spec(.put, edit, client))
            try flush(client)
            wire.answer(200, #"{"id":7,"name":"corrected"}"#)
            XCTAssertEqual(nextFlushed().all.map(\.state), [.delivered])
            XCTAssertEqual(try self.object(client).value(named: "name"), .string("corrected"))
            client.close()
            removeFiles()
        }
    }

    func testAStoredRequestAsksForTheTypesOfItsRoute() throws {
        let client = try client(
            "", "",
            routes: #"""
                , "typed": {"method": "PUT", "path": "typed/:id", "offline": true,
                            "accept": ["application/vnd.api+json", "text/x"]}
                """#)
        var put = RequestSpec(target: .route("typed", .put))
        put.variables["id"] = .value(.string("1"))
        put.given.body = .init(bytes: Array("{}".utf8), mediaType: "application/json")
        let online = try client.send(put)
        let sent = Headers(transport.answer(204).headers)[first: "Accept"]
        _ = try online.wait(milliseconds: 0)
        XCTAssertEqual(sent, "application/vnd.api+json, text/x")
        try queueOffline(client, put)
        try flush(client)
        XCTAssertEqual(Headers(transport.answer(204).headers)[first: "Accept"], sent)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 204"])
    }
}
