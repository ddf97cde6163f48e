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

/// Objects that are created while the server cannot be reached, and requests that depend on them.
final class OutboxLocalTests: OutboxTestCase {
    private func thing(_ client: Client) throws -> Entity {
        try client.api.entity(named: "Thing")
    }

    private func draft(_ client: Client, _ name: String) throws -> Draft {
        let draft = Draft(try thing(client))
        try draft.set(
            .string(name), attribute: XCTUnwrap(draft.entity.attributeIndex(named: "name")))
        return draft
    }

    private func spec(
        _ method: RestwayRouting.Method, _ draft: Draft, _ client: Client
    ) -> RequestSpec {
        RequestSpec(target: .subject(method), subject: .draft(draft, client.store))
    }

    /// The only object of the store.
    private func object(_ client: Client) throws -> Snapshot {
        let all = try client.store.objects(Query(thing(client)))
        XCTAssertEqual(all.count, 1)
        return try XCTUnwrap(all.first)
    }

    func testWhatDependsOnAnUnsentObjectWaitsForItsIdentity() throws {
        let client = try client()
        try client.setReachability(.unreachable)
        let draft = try draft(client, "new")
        try queue(client, spec(.post, draft, client))
        let unsent = try object(client)
        XCTAssertEqual(unsent.value(named: "name"), .string("new"))
        XCTAssertTrue(try client.store.isUnsent(unsent.entity, storeKey: unsent.storeKey))
        XCTAssertTrue(try client.requireOutbox().hasPending(unsent))
        try draft.set(.string("newer"), attribute: 1)
        try queue(client, spec(.put, draft, client))
        XCTAssertEqual(try states(client), ["1 waiting", "2 blocked"])
        try flush(client)
        XCTAssertEqual(text(transport.next().answering(201, #"{"id":7,"name":"new"}"#)).prefix(11),
            "POST things")
        let put = transport.answer(200, #"{"id":7,"name":"newer"}"#)
        XCTAssertEqual(put.url, "http://api.test/v1/things/7")
        XCTAssertFalse(text(put).contains("restway-local"))
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 201", "2 delivered 200"])
        let named = try object(client)
        XCTAssertEqual(named.storeKey, unsent.storeKey)
        XCTAssertEqual(named.identity, .integer(7))
        XCTAssertEqual(named.value(named: "name"), .string("newer"))
        XCTAssertFalse(try client.requireOutbox().hasPending(named))
    }

    func testACloseBeforeTheAnswerIsReadLosesNoIdentity() throws {
        let api = try TestAPI.load(
            document(
                "",
                #", "responses": [{"method": "POST", "path": "things", "status": "201", "#
                    + #""entity": "Thing", "hook": "close"}]"#))
        let closing = Lock<Client?>(nil)
        // The hook runs after the answer has come and before the store takes it. As the first step
        // of a close does, it ends the call while the outbox can still write the result.
        try api.addHook("close") { _ in
            for active in closing.withLock({ $0.take() })?.calls.activeCalls ?? [] {
                active.call.abort(Failure.closed)
            }
        }
        var options = ClientOptions()
        options.files.outbox = path
        let client = try Client(api: api, options: options, transport: transport, clock: clock)
        addTeardownBlock { client.close() }
        try client.setReachability(.unreachable)
        let draft = try draft(client, "new")
        try queue(client, spec(.post, draft, client))
        try draft.set(.string("newer"), attribute: 1)
        try queue(client, spec(.put, draft, client))
        closing.withLock { $0 = client }
        try flush(client)
        let posted = transport.answer(201, #"{"id":7,"name":"new"}"#)
        _ = nextFlushed()
        XCTAssertEqual(try states(client), ["1 waiting", "2 blocked"])

        try flush(client, isForced: true)
        let again = transport.answer(201, #"{"id":7,"name":"new"}"#)
        XCTAssertEqual(key(again), key(posted), "the server knows the request by its key")
        XCTAssertEqual(
            transport.answer(200, #"{"id":7,"name":"newer"}"#).url, "http://api.test/v1/things/7")
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 201", "2 delivered 200"])
        XCTAssertEqual(try object(client).identity, .integer(7))
    }

    func testAnotherStoreInMemoryHasTheObjectsOfStoredRequestsUnderKeysOfItsOwn() throws {
        let client = try client()
        try client.setReachability(.unreachable)
        let other = try draft(client, "deleted")
        _ = try client.store.insert(other)
        XCTAssertEqual(try client.store.deleteAll(nil), 1)
        try queue(client, spec(.post, draft(client, "new"), client))
        let outbox = try client.requireOutbox()
        let item = try XCTUnwrap(outbox.journal.item(1))
        XCTAssertEqual(outbox.identityTable.storeKey(item), try object(client).storeKey)
        let next = try self.client()
        let object = try object(next)
        XCTAssertEqual(object.value(named: "name"), .string("new"))
        XCTAssertTrue(try next.store.isUnsent(object.entity, storeKey: object.storeKey))
        XCTAssertEqual(
            try next.requireOutbox().identityTable.storeKey(item), object.storeKey)
        next.close()
    }

    func testALinkByIdentityWaitsTooAndIsWrittenAsANumber() throws {
        let client = try client()
        try client.setReachability(.unreachable)
        let owner = try draft(client, "owner")
        try queue(client, spec(.post, owner, client))
        let owned = try draft(client, "owned")
        try owned.set([.object(try object(client))], relationship: 0)
        try queue(client, spec(.post, owned, client))
        try flush(client)
        transport.answer(201, #"{"id":7,"name":"owner"}"#)
        let second = text(transport.answer(201, #"{"id":8,"name":"owned"}"#))
        XCTAssertTrue(second.contains(#""owner_id":7"#), second)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 201", "2 delivered 201"])
    }

    func testADeletedUnsentObjectTakesItsRequestsAlong() throws {
        let client = try client()
        try client.setReachability(.unreachable)
        let draft = try draft(client, "never")
        try queue(client, spec(.post, draft, client))
        try queue(client, spec(.put, draft, client))
        let answer = try client.send(spec(.delete, draft, client)).wait(milliseconds: 0)
        // No request was sent.
        XCTAssertEqual(answer.status, 0)
        XCTAssertEqual(try states(client), [])
        XCTAssertEqual(try client.store.count(nil), 0)
        let other = try self.draft(client, "neither")
        try queue(client, spec(.post, other, client))
        XCTAssertTrue(try client.store.delete(try object(client)))
        XCTAssertEqual(try states(client), [])
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testADeletionOfWhatMayHaveArrivedGoesBehindTheCreation() throws {
        let client = try client()
        let draft = try draft(client, "maybe")
        let call = try client.send(spec(.post, draft, client))
        transport.next().fail(.connectionLost)
        XCTAssertEqual(failure(of: call)?.reason, .queued)
        try queue(client, spec(.delete, draft, client))
        try flush(client)
        transport.answer(201, #"{"id":7}"#)
        let deletion = transport.answer(204)
        XCTAssertEqual(text(deletion), "DELETE things/7")
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 201", "2 delivered 204"])
        XCTAssertEqual(try client.store.count(nil), 0)
    }

    func testALocalIdentitySurvivesARestartWithAStoreInAFile() throws {
        let file = directory + "/objects.db"
        let first = try client(transport: FakeTransport()) { $0.files.store = file }
        try first.setReachability(.unreachable)
        try queue(first, spec(.post, try draft(first, "new"), first))
        first.close()
        let second = try client { $0.files.store = file }
        try second.setReachability(.unreachable)
        let unsent = try object(second)
        try queue(
            second, RequestSpec(target: .subject(.put), subject: .object(unsent)))
        XCTAssertEqual(try states(second), ["1 waiting", "2 blocked"])
        try flush(second)
        transport.answer(201, #"{"id":7,"name":"new"}"#)
        XCTAssertEqual(
            transport.answer(200, #"{"id":7}"#).url, "http://api.test/v1/things/7")
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 201", "2 delivered 200"])
        XCTAssertEqual(try object(second).identity, .integer(7))
        XCTAssertEqual(try object(second).storeKey, unsent.storeKey)
    }

    private func row(_ thing: Entity, id: Int64, name: String, owner: Value = .absent) -> Snapshot {
        var values = [Value](repeating: .absent, count: thing.cellCount)
        values[thing.identityIndex!] = .int64(id)
        values[thing.attributeIndex(named: "name")!] = .string(name)
        values[thing.attributes.count] = owner
        return Snapshot.make(thing, values)
    }

    /// The server gives an unsent object the identity of an object that the store has already.
    private func checkThatAKnownObjectBecomesTheUnsentOne(
        _ change: (inout ClientOptions) -> Void
    ) throws {
        let client = try client(change: change)
        let thing = try thing(client)
        let known = try client.store.commit(
            ChangeSet(rows: [row(thing, id: 7, name: "known")])
        ).objects[0]
        let owned = try client.store.commit(
            ChangeSet(rows: [row(thing, id: 3, name: "owned", owner: .link(known.storeKey))])
        ).objects[0]
        try client.setReachability(.unreachable)
        let draft = try draft(client, "new")
        try queue(client, spec(.post, draft, client))
        try draft.set(.string("newer"), attribute: 1)
        try queue(client, spec(.put, draft, client))
        try flush(client)
        transport.answer(201, #"{"id":7,"name":"new"}"#)
        XCTAssertEqual(transport.answer(200, #"{"id":7}"#).url, "http://api.test/v1/things/7")
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 201", "2 delivered 200"])
        let object = try XCTUnwrap(client.store.object(thing, .integer(7)))
        XCTAssertEqual(object.storeKey, draft.storeKey)
        XCTAssertEqual(try client.store.count(thing), 2)
        XCTAssertEqual(
            try client.store.related(owned, relationship: 0).map(\.storeKey), [draft.storeKey])
        client.close()
    }

    func testAKnownObjectBecomesTheUnsentOneInMemory() throws {
        try checkThatAKnownObjectBecomesTheUnsentOne { _ in }
    }

    func testAKnownObjectBecomesTheUnsentOneInAFile() throws {
        try checkThatAKnownObjectBecomesTheUnsentOne {
            $0.files.store = directory + "/objects.db"
        }
    }

    func testWithoutARequestThatMakesItAnUnsentObjectHasNoPath() throws {
        let client = try client()
        try client.setReachability(.unreachable)
        let object = try client.store.insert(try draft(client, "unsent"))
        let refused = refusal {
            _ = try client.send(RequestSpec(target: .subject(.put), subject: .object(object)))
        }
        XCTAssertEqual(refused?.reason, .missingVariable)
        try queue(client, RequestSpec(target: .subject(.post), subject: .object(object)))
        // A route that may not be stored does not wait for an identity.
        let note = refusal {
            _ = try client.send(RequestSpec(target: .route("note", .put), subject: .object(object)))
        }
        XCTAssertEqual(note?.reason, .missingVariable)
    }
}

extension FakeTransport.Started {
    /// Answers the requests, and returns them.
    fileprivate func answering(_ status: Int, _ body: String) -> Exchange {
        answer(status, body)
        return exchange
    }
}
