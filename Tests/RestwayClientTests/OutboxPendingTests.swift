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

/// Tests which object a stored request is about, and which facts the client then reports about the
/// object.
final class OutboxPendingTests: OutboxTestCase {
    private func path(_ method: RestwayRouting.Method, _ path: String) -> RequestSpec {
        RequestSpec(target: .path(method, path))
    }

    private func thing(_ client: Client, _ id: Int64) throws -> Snapshot {
        let entity = try client.api.entity(named: "Thing")
        var changes = ChangeSet()
        changes.rows = [Snapshot.make(entity, [.int64(id), .string("n"), .absent])]
        return try client.store.commit(changes).objects[0]
    }

    private func draft(_ client: Client, of object: Snapshot) throws -> RequestSpec {
        let draft = Draft(copying: object)
        try draft.set(.string("changed"), attribute: 1)
        return RequestSpec(target: .subject(.put), subject: .draft(draft, client.store))
    }

    private func isPending(_ client: Client, _ object: Snapshot) throws -> Bool {
        try client.requireOutbox().hasPending(object)
    }

    // MARK: By path

    func testARequestByPathIsStoredWhenARouteThatItFitsSaysSo() throws {
        let client = try client()
        let call = try client.send(path(.put, "things/5"))
        transport.next().fail(.connect)
        XCTAssertEqual(failure(of: call)?.reason, .queued)
        try client.setReachability(.unreachable)
        try queue(client, path(.delete, "/things/5/"))
        try queue(client, path(.post, "things?x=1"))
        let items = try client.requireOutbox().list().all
        XCTAssertEqual(items.map(\.lane), ["object:Thing:#5", "object:Thing:#5", "path:things"])
        // Requests by path and requests by route about one object wait for each other.
        XCTAssertEqual(try queue(client, put(5)), 4)
        try flush(client)
        for _ in 0..<4 { transport.answer(200, #"{"id":5}"#) }
        XCTAssertEqual(nextFlushed().all.count, 4)
    }

    func testTheRouteWithTheFewestVariablesDecidesAboutARequestByPath() throws {
        let client = try client(
            #", "offline": [{"path": "things/search"}]"#,
            routes: #", "find": {"method": "PUT", "path": "things/search", "offline": false}"#
                + #", "new": {"method": "PUT", "path": "things/new"}"#)
        try client.setReachability(.unreachable)
        for name in ["search", "new"] {
            let call = try client.send(path(.put, "things/" + name))
            transport.answer(204)
            XCTAssertEqual(try call.wait(milliseconds: 0).status, 204)
        }
        try queue(client, path(.put, "things/searching"))
    }

    // MARK: Pending changes

    func testAnObjectHasPendingChangesAsLongAsARequestOfItIsStored() throws {
        let client = try client()
        let (one, two) = (try thing(client, 1), try thing(client, 2))
        try queueOffline(client, draft(client, of: one))
        XCTAssertTrue(try isPending(client, one))
        XCTAssertFalse(try isPending(client, two))
        // A request in a lane of its own is still about the object.
        var named = try draft(client, of: two)
        named.sending.lane = "mine"
        try queue(client, named)
        XCTAssertTrue(try isPending(client, two))
        try flush(client)
        transport.answer(422)
        transport.answer(200, #"{"id":2}"#)
        XCTAssertEqual(words(nextFlushed()), ["1 dead 422", "2 delivered 200"])
        XCTAssertTrue(try isPending(client, one), "the server has not taken it")
        XCTAssertFalse(try isPending(client, two))
        XCTAssertEqual(try client.requireOutbox().drop(1), 1)
        XCTAssertFalse(try isPending(client, one))
    }

    func testInAStrictOrderOnlyAnObjectsOwnRequestsArePending() throws {
        let client = try client(#", "order": "strict""#)
        let (one, two) = (try thing(client, 1), try thing(client, 2))
        try queueOffline(client, put(1))
        XCTAssertTrue(try isPending(client, one))
        XCTAssertFalse(try isPending(client, two))
    }

    func testInAStrictOrderOneCallIsUnderWayAndADeadLetterBlocksAll() throws {
        let client = try client(#", "order": "strict""#)
        let online = [try client.send(put(1)), try client.send(put(2))]
        let first = transport.next()
        XCTAssertEqual(transport.waitingCount, 0, "the second waits for the first")
        first.answer(200, #"{"id":1}"#)
        transport.next().fail(.connect)
        _ = try online[0].wait(milliseconds: 0)
        XCTAssertEqual(failure(of: online[1])?.reason, .queued)
        // The requests are about other objects, but wait for it nevertheless.
        try queue(client, put(3))
        try flush(client)
        transport.answer(422)
        XCTAssertEqual(words(nextFlushed()), ["1 dead 422"])
        XCTAssertEqual(try states(client), ["1 dead", "2 blocked"])
        XCTAssertEqual(try client.requireOutbox().find(2).state, .blocked)
        XCTAssertFalse(try client.requireOutbox().needsFlushing())
        _ = try client.requireOutbox().drop(1)
        transport.answer(200, #"{"id":3}"#)
        while try !states(client).isEmpty { sched_yield() }
    }

    // MARK: Identities

    func testIdentitiesAreForgottenWhenTheStoreHasThemAndAWeekHasPassed() throws {
        let file = directory + "/objects.db"
        func open() throws -> Client {
            try client(transport: FakeTransport()) { $0.files.store = file }
        }
        let first = try client { $0.files.store = file }
        try first.setReachability(.unreachable)
        let draft = Draft(try first.api.entity(named: "Thing"))
        try queue(
            first, RequestSpec(target: .subject(.post), subject: .draft(draft, first.store)))
        let local = try XCTUnwrap(first.requireOutbox().journal.item(1)?.entry.creates)
        try flush(first)
        transport.answer(201, #"{"id":7}"#)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 201"])
        first.close()
        func isKnown() throws -> Bool {
            let client = try open()
            defer { client.close() }
            return try client.requireOutbox().journal.identity(of: local) != nil
        }
        XCTAssertTrue(try isKnown())
        clock.advance(milliseconds: 7 * 24 * 3_600_000 + 1)
        XCTAssertFalse(try isKnown())
    }
}
