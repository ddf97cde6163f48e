import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome

/// Tests which client sends, and with which credential.
final class OutboxSenderTests: OutboxTestCase {
    private let bearer = #", "auth": {"scheme": "bearer", "token": "t1"}"#

    private func token(_ text: String) -> Credential {
        var credential = Credential()
        credential.token = Secret(text)
        return credential
    }

    private func authorization(_ exchange: Exchange) -> String? {
        Headers(exchange.headers)[first: "Authorization"]
    }

    func testA401RefreshesTheCredentialAndGoesOutAgain() throws {
        let client = try client("", bearer)
        try client.setAuthFunctions { functions in
            functions.refresh = { ticket in
                var credential = Credential()
                credential.token = Secret("t2")
                _ = try? ticket.succeed(credential)
            }
        }
        try queueOffline(client, put(1))
        try flush(client)
        let first = transport.answer(401)
        let again = transport.answer(200, #"{"id":1}"#)
        XCTAssertEqual(authorization(first), "Bearer t1")
        XCTAssertEqual(authorization(again), "Bearer t2")
        XCTAssertEqual(key(first), key(again))
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200"])
    }

    func testWithoutACredentialItStaysUntilThereIsOne() throws {
        let client = try client("", bearer)
        try client.setAuthFunctions { functions in
            functions.refresh = { _ = $0.fail("no", isFinal: true) }
        }
        try queueOffline(client, put(1))
        try client.setReachability(.unknown)
        transport.answer(401)
        let outbox = try client.requireOutbox()
        while try outbox.counts().waiting != 1 { sched_yield() }
        XCTAssertEqual(transport.waitingCount, 0)
        try client.setCredential(token("t3"))
        let again = transport.answer(200, #"{"id":1}"#)
        XCTAssertEqual(authorization(again), "Bearer t3")
        while try !states(client).isEmpty { sched_yield() }
    }

    func testACallWhoseRefreshFailsForNowIsStoredAndGoesOutWithALaterCredential() throws {
        let client = try client("", bearer)
        let isOffline = Lock(true)
        try client.setAuthFunctions { functions in
            functions.refresh = { ticket in
                if isOffline.withLock({ $0 }) {
                    _ = ticket.fail("no network", isFinal: false)
                } else {
                    var credential = Credential()
                    credential.token = Secret("t2")
                    _ = try? ticket.succeed(credential)
                }
            }
        }
        let call = try client.send(put(1))
        let first = transport.answer(401)
        let stored = failure(of: call)
        XCTAssertEqual(stored?.reason, .queued, stored?.message ?? "")
        // A flush has no credential either: the item waits until it is due.
        try flush(client)
        XCTAssertEqual(words(nextFlushed()), ["1 waiting 0"])
        XCTAssertEqual(try states(client), ["1 waiting"])
        XCTAssertEqual(transport.waitingCount, 0)
        isOffline.withLock { $0 = false }
        clock.advance(milliseconds: 1_000)
        try flush(client)
        let again = transport.answer(200, #"{"id":1}"#)
        XCTAssertEqual(authorization(again), "Bearer t2")
        XCTAssertEqual(key(again), key(first))
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200"])
    }

    func testACallWhoseRefreshIsRefusedForGoodFails() throws {
        let client = try client("", bearer)
        try client.setAuthFunctions { functions in
            functions.refresh = { _ = $0.fail("logged out", isFinal: true) }
        }
        let call = try client.send(put(1))
        transport.answer(401)
        let refused = failure(of: call)
        XCTAssertEqual(refused?.reason, .auth)
        XCTAssertEqual(refused?.isRetryable, false)
        XCTAssertEqual(try states(client), [])
    }

    func testOfTwoClientsOfAFileOneSendsAndTheOtherTakesOver() throws {
        let first = try client(transport: FakeTransport())
        let second = try client()
        try flush(first)
        XCTAssertNil(nextFlushed().failure)
        try queueOffline(second, put(1), put(2))
        XCTAssertEqual(try states(first), ["1 waiting", "2 waiting"])
        try flush(second)
        let refused = nextFlushed()
        XCTAssertEqual(refused.failure?.reason, .outbox)
        XCTAssertEqual(refused.failure?.field, path)
        XCTAssertEqual(transport.waitingCount, 0)
        first.close()
        try flush(second)
        transport.answer(200)
        transport.answer(200)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200", "2 delivered 200"])
    }

    private func waitUntil(
        _ what: String, line: UInt = #line, _ isSo: () throws -> Bool
    ) rethrows {
        let end = SystemClock().now().advanced(milliseconds: 30_000)
        while try !isSo() {
            guard SystemClock().now() < end else { return XCTFail(what, line: line) }
            sched_yield()
        }
    }

    /// Another process is the sender, and a client has noticed that.
    private func clientBesideSender() throws -> (Client, OutboxJournal) {
        let other = try OutboxJournal(path)
        XCTAssertTrue(try other.becomeSender())
        let client = try client()
        clock.advance(milliseconds: 250)
        waitUntil("the client looks again") { clock.nextMilliseconds == 3_000 }
        return (client, other)
    }

    func testWhatAKilledSenderLeavesGoesOutWithinFiveSeconds() throws {
        let (client, other) = try clientBesideSender()
        // The other process stores this request, and this client is not notified.
        let entry = OutboxEntry(
            lane: Lane(named: "a"), method: "PUT", path: "things/1", body: Array("{}".utf8),
            idempotencyKey: "key", createdAt: clock.wallMicroseconds())
        _ = try other.enqueue(entry)
        clock.advance(milliseconds: 3_000)
        waitUntil("the client looks again") { clock.nextMilliseconds == 3_000 }
        XCTAssertEqual(transport.waitingCount, 0, "the other process sends")
        // The kernel does the same for a process that was killed.
        other.close()
        clock.advance(milliseconds: 3_000)
        waitUntil("the client takes over") { transport.waitingCount == 1 }
        XCTAssertEqual(key(transport.answer(200)), "key")
        waitUntil("the sender itself need not look") { clock.nextMilliseconds == 60_000 }
        XCTAssertFalse(try client.requireOutbox().needsFlushing())
    }

    func testWhileNothingWaitsNobodyAsksForThePlaceOfTheSender() throws {
        let (client, other) = try clientBesideSender()
        other.close()
        for _ in 0..<5 {
            clock.advance(milliseconds: 3_000)
            waitUntil("the client looks again") { clock.nextMilliseconds == 3_000 }
        }
        XCTAssertFalse(try client.requireOutbox().journal.isSender)
    }

    func testACloseReturnsWhenWhatIsBeingStoredIsOnTheDisk() throws {
        let pool = WorkerPool(threadsMax: 1)
        var options = ClientOptions()
        options.files.outbox = path
        let client = try Client(
            api: try TestAPI.load(document()), options: options, transport: transport,
            pool: pool, clock: clock)
        let lost = try client.send(put(1))
        let exchange = transport.next()
        // From here on no worker is available.
        let isHeld = Monitor(true)
        pool.submit { _ = isHeld.wait { $0 ? nil : () } }
        exchange.fail(.connectionLost)
        try client.setReachability(.unreachable)
        let offline = try client.send(put(2))
        client.close()
        let journal = try OutboxJournal(path)
        let count = try journal.counts().waiting
        journal.close()
        isHeld.update { $0 = false }
        XCTAssertEqual(failure(of: offline)?.reason, .queued)
        let isStored = failure(of: lost)?.reason == .queued
        XCTAssertEqual(count, isStored ? 2 : 1)
    }

    func testAClosedClientLetsAnotherOneSendThoughACallOfItIsJustEnding() throws {
        let client = try client()
        try flush(client)
        _ = nextFlushed()
        XCTAssertTrue(try client.requireOutbox().journal.isSender)
        let call = try client.send(.get("notes/1"))
        let (isEnding, isHeld) = (Monitor(false), Monitor(true))
        call.follow { _ in
            isEnding.update { $0 = true }
            _ = isHeld.wait { $0 ? nil : () }
        }
        transport.answer(200)
        _ = isEnding.wait { $0 ? () : nil }
        client.close()
        let other = try OutboxJournal(path)
        XCTAssertTrue(try other.becomeSender())
        other.close()
        isHeld.update { $0 = false }
        _ = try call.wait(milliseconds: 0)
    }
}
