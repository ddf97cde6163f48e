import RestwayObjects
import RestwaySQLite
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// Another client with the same file sends the requests that this one stored; this one is not
/// notified.
final class OutboxOthersTests: OutboxTestCase {
    func testWhatAnotherHasDeliveredIsNotMadeAgain() throws {
        let client = try client()
        try client.setReachability(.unreachable)
        let thing = try client.api.entity(named: "Thing")
        let (outer, inner) = (Draft(thing), Draft(thing))
        try outer.set(.string("outer"), attribute: 1)
        try inner.set(.string("inner"), attribute: 1)
        try outer.set([.draft(inner)], relationship: 1)
        let said = RequestSpec.Subject.draft(outer, client.store)
        try queue(client, RequestSpec(target: .subject(.post), subject: said))

        let elsewhere = FakeTransport()
        let other = try self.client(transport: elsewhere)
        try flush(other)
        elsewhere.answer(201, #"{"id":5,"name":"outer","parts":[{"id":6,"name":"inner"}]}"#)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 201"])
        XCTAssertNil(try client.store.newest(thing, storeKey: outer.storeKey)?.identity)

        try queue(client, RequestSpec(target: .subject(.put), subject: said))
        try flush(other)
        XCTAssertEqual(
            text(elsewhere.answer(200, "{}")),
            #"PUT things/5 {"id":5,"name":"outer","parts":[{"id":6,"name":"inner"}]}"#)
        XCTAssertEqual(words(nextFlushed()), ["2 delivered 200"])
    }

    func testAFileThatCannotBeReadDoesNotMeanThatNobodyMakesTheObject() throws {
        let client = try client()
        try client.setReachability(.unreachable)
        let thing = try client.api.entity(named: "Thing")
        let draft = Draft(thing)
        try draft.set(.string("new"), attribute: 1)
        let said = RequestSpec.Subject.draft(draft, client.store)
        try queue(client, RequestSpec(target: .subject(.post), subject: said))
        let outbox = try client.requireOutbox()
        let local = try XCTUnwrap(outbox.identityTable.expected(thing, draft.storeKey))

        let other = try Connection(path)
        try other.run("ALTER TABLE item RENAME TO gone")
        XCTAssertEqual(outbox.identityTable.expected(thing, draft.storeKey), local)
        try other.run("ALTER TABLE gone RENAME TO item")
        XCTAssertEqual(outbox.identityTable.expected(thing, draft.storeKey), local)
    }

    func testAWaitLearnsThatAnotherHasDelivered() throws {
        let client = try client()
        let ids = try queueOffline(client, put(1))
        let ended = Monitor<[StoredRequests]>([])
        try client.requireOutbox().tellEnd(
            of: ids[0], to: OutboxReceiver { list in ended.update { $0.append(list) } })

        let elsewhere = FakeTransport()
        let other = try self.client(transport: elsewhere)
        try flush(other)
        elsewhere.answer(200, "{}")
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200"])

        try flush(client)
        _ = nextFlushed()
        let end = ended.wait { $0.first }!
        XCTAssertEqual(end.all.map(\.state), [.gone])
        XCTAssertEqual(end.failure?.reason, .outbox)
    }
}
