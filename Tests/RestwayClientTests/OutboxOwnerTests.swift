import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome

/// Requests of several users of one machine.
final class OutboxOwnerTests: OutboxTestCase {
    private let basic = #", "auth": {"scheme": "basic"}"#
    private let bearer = #", "auth": {"scheme": "bearer"}"#

    private func token(_ text: String) -> Credential {
        var credential = Credential()
        credential.token = Secret(text)
        return credential
    }

    private func user(_ name: String) -> Credential {
        var credential = Credential()
        credential.user = name
        credential.password = Secret("secret of \(name)")
        return credential
    }

    private func authorization(_ exchange: Exchange) -> String? {
        Headers(exchange.headers)[first: "Authorization"]
    }

    private func reasons(_ client: Client) throws -> [OutboxWaitReason?] {
        try client.requireOutbox().list().all.map(\.waitReason)
    }

    func testARequestGoesOutOnlyWithTheDiscriminatorOfItsTime() throws {
        let client = try client("", bearer)
        try client.setCacheDiscriminator("ann")
        try client.setCredential(token("ann"))
        try queueOffline(client, put(1, "1"), put(1, "2"), put(2, "3"))
        try client.setCredential(nil)
        try client.setCacheDiscriminator("bob")
        try client.setCredential(token("bob"))
        XCTAssertEqual(try reasons(client), [.otherUser, .otherUser, .otherUser])
        try flush(client)
        XCTAssertEqual(words(nextFlushed()), [])
        XCTAssertEqual(transport.waitingCount, 0)

        // The requests of somebody else are in nobody's way, in no lane.
        try queue(client, put(1, "4"))
        XCTAssertEqual(
            try reasons(client), [.otherUser, .otherUser, .otherUser, nil])
        try flush(client)
        let sent = transport.answer(200, "{}")
        XCTAssertEqual(text(sent), "PUT things/1 4")
        XCTAssertEqual(authorization(sent), "Bearer bob")
        XCTAssertEqual(words(nextFlushed()), ["4 delivered 200"])

        _ = try client.requireOutbox().drop(3)
        try client.setReachability(.unknown)
        try client.setCredential(nil)
        try client.setCacheDiscriminator("ann")
        try client.setCredential(token("ann 2"))
        for body in ["1", "2"] {
            let again = transport.answer(200, "{}")
            XCTAssertEqual(text(again), "PUT things/1 \(body)")
        }
        while try !states(client).isEmpty { sched_yield() }
    }

    func testWithoutADiscriminatorTheUserNameCounts() throws {
        let client = try client("", basic)
        try client.setCredential(user("ann"))
        try queueOffline(client, put(1))
        try client.setReachability(.unknown)
        transport.answer(503)
        while try states(client) != ["1 waiting"] { sched_yield() }
        try client.setCredential(user("bob"))
        XCTAssertEqual(try reasons(client), [.otherUser])
        try flush(client, isForced: true)
        _ = nextFlushed()
        XCTAssertEqual(transport.waitingCount, 0)
        try client.setCredential(user("ann"))
        XCTAssertEqual(transport.answer(200, "{}").method, "PUT")
        while try !states(client).isEmpty { sched_yield() }
    }

    func testARequestThatMeetsARefreshedCredentialOfSomebodyElseIsNotReplayed() throws {
        let client = try client("", bearer)
        try client.setCacheDiscriminator("ann")
        try client.setCredential(token("ann"))
        try queueOffline(client, put(1))
        try flush(client)
        let sent = transport.next()
        try client.setCacheDiscriminator("bob")
        try client.setCredential(token("bob"))
        sent.answer(401)
        _ = nextFlushed()
        XCTAssertEqual(transport.waitingCount, 0)
        XCTAssertEqual(try reasons(client), [.otherUser])
    }

    func testABatchIsNotReplayedAsSomebodyElse() throws {
        let client = try client("", bearer + #", "batch": {"path": "/batch", "limit": 2}"#)
        try client.setCacheDiscriminator("ann")
        try client.setCredential(token("ann"))
        try queueOffline(client, put(1), put(2))
        try flush(client)
        let sent = transport.next()
        try client.setCacheDiscriminator("bob")
        try client.setCredential(token("bob"))
        sent.answer(401)
        _ = nextFlushed()
        XCTAssertEqual(transport.waitingCount, 0)
        XCTAssertEqual(try reasons(client), [.otherUser, .otherUser])
    }

    func testADeadLetterOfSomebodyElseBlocksNothing() throws {
        for order in ["", #", "order": "strict""#] {
            removeFiles()
            let transport = FakeTransport()
            let client = try client(order, bearer, transport: transport)
            try client.setCacheDiscriminator("ann")
            try queueOffline(client, put(1, "1"), put(1, "2"))
            try flush(client)
            transport.answer(422)
            XCTAssertEqual(words(nextFlushed()), ["1 dead 422"])
            XCTAssertEqual(try states(client), ["1 dead", "2 blocked"])
            try client.setCacheDiscriminator("bob")
            try queue(client, put(1, "3"))
            try flush(client)
            XCTAssertEqual(text(transport.answer(200, "{}")), "PUT things/1 3")
            XCTAssertEqual(words(nextFlushed()), ["3 delivered 200"])
            try client.requireOutbox().retry(1)
            try client.setCacheDiscriminator("ann")
            try flush(client)
            XCTAssertEqual(text(transport.answer(200, "{}")), "PUT things/1 1")
            XCTAssertEqual(text(transport.answer(200, "{}")), "PUT things/1 2")
            XCTAssertEqual(words(nextFlushed()), ["1 delivered 200", "2 delivered 200"])
            client.close()
        }
    }

    func testAnotherProcessOfTheUserSends() throws {
        let ann = try client("", bearer)
        try ann.setCacheDiscriminator("ann")
        let elsewhere = FakeTransport()
        let bob = try client("", bearer, transport: elsewhere)
        try bob.setCacheDiscriminator("bob")
        try queueOffline(bob, put(1))
        try flush(ann)
        XCTAssertEqual(words(nextFlushed()), [])
        XCTAssertEqual(try reasons(ann), [.otherUser])
        XCTAssertEqual(try reasons(bob), [nil])
        try flush(bob)
        elsewhere.answer(200, "{}")
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200"])
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testADiscriminatorNeedsACacheOrAnOutbox() throws {
        let client = try Client(
            api: try TestAPI.load(
                #"{"restway": 1, "environments": {"e": {"baseURL": "http://a"}}}"#),
            options: ClientOptions(), transport: transport, clock: clock)
        defer { client.close() }
        XCTAssertEqual(refusal { try client.setCacheDiscriminator("ann") }?.reason, .config)
    }
}
