import RestwayHTTP
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

/// Tests which requests are stored, when, and how they are sent.
final class OutboxTests: OutboxTestCase {
    // MARK: Stored requests

    func testTransportErrorsAndTemporaryStatusesAreStoredAndOthersAreNot() throws {
        let client = try client()
        for (index, status) in [408, 425, 429, 500, 502, 503, 504].enumerated() {
            let call = try client.send(put(100 + index))
            transport.answer(status)
            XCTAssertEqual(failure(of: call)?.reason, .queued, "\(status)")
        }
        for status in [400, 403, 404, 501, 505] {
            let call = try client.send(put(200))
            transport.answer(status)
            XCTAssertEqual(failure(of: call)?.httpStatus, status)
        }
        let kinds: [TransportError.Kind] = [
            .connect, .resolve, .tls, .timedOut, .connectionLost,
        ]
        for (index, kind) in kinds.enumerated() {
            let call = try client.send(put(index))
            transport.next().fail(kind)
            let failure = failure(of: call)
            XCTAssertEqual(failure?.reason, .queued, "\(kind)")
            XCTAssertEqual(failure?.domain, .outbox)
            XCTAssertEqual(failure?.outboxID, Int64(index + 8))
            XCTAssertEqual(failure?.attempts.count, 1)
        }
        let call = try client.send(put(200))
        transport.next().fail(.protocolViolation)
        XCTAssertEqual(failure(of: call)?.reason, .protocolViolation)
        XCTAssertEqual(try client.requireOutbox().counts().waiting, 12)
    }

    func testTheListOfTemporaryStatusesIsTheDocuments() throws {
        let client = try client(#", "status": [409]"#)
        let stored = try client.send(put(1))
        transport.answer(409)
        XCTAssertEqual(failure(of: stored)?.reason, .queued)
        // A failure that the retry policy calls temporary is stored nevertheless: the outbox takes
        // over.
        let retried = try client.send(put(2))
        transport.answer(503)
        XCTAssertEqual(failure(of: retried)?.reason, .queued)
        let refused = try client.send(put(3))
        transport.answer(422)
        XCTAssertEqual(failure(of: refused)?.reason, .http)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testOnlyRoutesAndPatternsThatSaySoAreStored() throws {
        let client = try client(
            #", "offline": [{"method": "POST", "path": "logs/:day"}]"#, #", "x-a": 1"#)
        try client.setReachability(.unreachable)
        var log = RequestSpec(target: .path(.post, "logs/monday"))
        log.given.body = .init(bytes: [65], mediaType: "text/plain")
        try queue(client, log)
        // Another method of the path, another route, and methods that are never stored are tried.
        for spec in [
            RequestSpec(target: .path(.put, "logs/monday")),
            RequestSpec(target: .path(.put, "notes/1")), .get("things/1"),
        ] {
            let call = try client.send(spec)
            transport.next().fail(.connect)
            let request = call.description
            // The retry policy applies: the call waits.
            call.cancel()
            XCTAssertEqual(failure(of: call)?.reason, .cancelled, request)
        }
    }

    func testWhileTheHostSaysUnreachableNothingIsTried() throws {
        let client = try client()
        try client.setReachability(.unreachable)
        XCTAssertEqual(client.reachability, .unreachable)
        let ids = try queueOffline(client, put(1), put(2), put(1))
        XCTAssertEqual(ids, [1, 2, 3])
        XCTAssertEqual(transport.waitingCount, 0)
        XCTAssertEqual(try states(client), ["1 waiting", "2 waiting", "3 waiting"])
    }

    func testATimeOutAndACloseAreStoredAndACancelIsNot() throws {
        let client = try client { $0.timeouts.totalMilliseconds = 5_000 }
        let slow = try client.send(put(1))
        _ = transport.next()
        slow.abort(Failure(.timedOut, "too slow"))
        XCTAssertEqual(failure(of: slow)?.reason, .queued)
        let cancelled = try client.send(put(2))
        _ = transport.next()
        cancelled.cancel()
        XCTAssertEqual(failure(of: cancelled)?.reason, .cancelled)
        let closed = try client.send(put(3))
        _ = transport.next()
        client.close()
        XCTAssertEqual(failure(of: closed)?.reason, .queued)
        XCTAssertEqual(failure(of: closed)?.outboxID, 2)
        let later = try self.client(transport: FakeTransport())
        XCTAssertEqual(try states(later), ["1 waiting", "2 waiting"])
    }

    func testWhatCannotBeStoredSaysSoAndNamesTheFile() throws {
        let client = try client(#", "busyTimeoutMilliseconds": 0"#)
        try client.setReachability(.unreachable)
        let draft = Draft(try client.api.entity(named: "Thing"))
        let spec = RequestSpec(target: .subject(.post), subject: .draft(draft, client.store))
        // Another connection writes, for longer than the client waits.
        let other = try Connection(path)
        try other.begin()
        let failure = failure(of: try client.send(spec))
        other.rollBack()
        XCTAssertEqual(failure?.reason, .outbox)
        XCTAssertEqual(failure?.field, path)
        XCTAssertEqual(failure?.outboxID, 0)
        XCTAssertEqual(try states(client), [])
        // The object was removed again with its request.
        XCTAssertEqual(try client.store.count(nil), 0)
        XCTAssertEqual(try queue(client, put(1)), 1)
    }

    func testAFileThatIsNoneIsRefusedByName() throws {
        XCTAssertEqual(mkdir(path, 0o755), 0)
        defer { rmdir(path) }
        let failure = refusal { _ = try self.client() }
        XCTAssertEqual(failure?.reason, .outbox)
        XCTAssertEqual(failure?.field, path)
    }

    func testCredentialsAreNeverStored() throws {
        let client = try client(
            "", #", "auth": {"scheme": "apiKey", "header": "X-Api", "token": "s3cret"}"#,
            transport: FakeTransport())
        var spec = put(1)
        spec.headers = [
            ("Authorization", "Bearer s3cret"), ("Cookie", "a=s3cret"), ("X-Mine", "mine"),
        ]
        try queueOffline(client, spec)
        let json = String(decoding: try client.requireOutbox().list().json, as: UTF8.self)
        XCTAssertTrue(json.contains("X-Mine"), json)
        client.close()
        let file = bytes(path) + bytes(path + "-wal")
        XCTAssertFalse(String(decoding: file, as: UTF8.self).contains("s3cret"))
        let later = try self.client(
            "", #", "auth": {"scheme": "apiKey", "header": "X-Api", "token": "newer"}"#)
        try flush(later)
        let exchange = transport.next().exchange
        XCTAssertEqual(Headers(exchange.headers)[first: "X-Api"], "newer")
        XCTAssertEqual(Headers(exchange.headers)[first: "X-Mine"], "mine")
        XCTAssertEqual(Headers(exchange.headers)[first: "X-Env"], "e")
    }

    // MARK: Sending

    func testTheKeyIsTheSameWithEveryAttempt() throws {
        let client = try client()
        let call = try client.send(put(1))
        let first = transport.next()
        first.fail(.connectionLost)
        let id = failure(of: call)?.outboxID
        for status in [503, 200] {
            try flush(client)
            let exchange = transport.answer(status)
            XCTAssertEqual(key(exchange), key(first.exchange))
            XCTAssertNotNil(key(exchange))
            XCTAssertEqual(text(exchange), #"PUT things/1 {"name":"a"}"#)
            XCTAssertEqual(nextFlushed().all.first?.id, id)
        }
        XCTAssertEqual(try states(client), [])
    }

    func testAnAnswerIsMappedRemovedAndReported() throws {
        let client = try client()
        try observe(client)
        try queueOffline(client, put(1), put(2))
        try client.setReachability(.reachable)
        transport.answer(200, #"{"id":1,"name":"one"}"#)
        transport.answer(200, #"{"id":2,"name":"two"}"#)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200", "2 delivered 200"])
        XCTAssertEqual(
            told.wait { $0.count == 2 ? $0 : nil }!, ["1 delivered 200", "2 delivered 200"])
        let thing = try client.api.entity(named: "Thing")
        XCTAssertEqual(
            try client.store.object(thing, .integer(2))?.value(named: "name"), .string("two"))
        XCTAssertFalse(try client.requireOutbox().needsFlushing())
    }

    func testA4xxBecomesADeadLetterThatBlocksItsLaneAlone() throws {
        let client = try client()
        try observe(client)
        try queueOffline(client, put(1), put(1), put(2))
        try client.setReachability(.reachable)
        transport.answer(422, #"{"why":"no"}"#)
        transport.answer(200, #"{"id":2}"#)
        XCTAssertEqual(words(nextFlushed()), ["1 dead 422", "3 delivered 200"])
        XCTAssertEqual(try states(client), ["1 dead", "2 blocked"])
        let outbox = try client.requireOutbox()
        XCTAssertFalse(try outbox.needsFlushing())
        let dead = try outbox.find(1)
        XCTAssertEqual(dead.response?.status, 422)
        XCTAssertEqual(dead.response?.bodyWithNUL.dropLast(), Array(#"{"why":"no"}"#.utf8)[...])
        XCTAssertEqual(dead.attempts, 1)
        // The item is edited, with another key; then the items that it blocked follow.
        try outbox.edit(1, body: Array("{}".utf8), mediaType: nil)
        let edited = transport.answer(200, #"{"id":1}"#)
        XCTAssertEqual(text(edited), "PUT things/1 {}")
        XCTAssertNotEqual(key(edited), dead.idempotencyKey)
        transport.answer(200, #"{"id":1}"#)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200", "2 delivered 200"])
    }

    func testADeadLetterIsRetriedWithItsKeyOrDropped() throws {
        let client = try client()
        try queueOffline(client, put(1), put(2))
        try client.setReachability(.unknown)
        let first = transport.answer(400)
        transport.answer(400)
        let outbox = try client.requireOutbox()
        while try outbox.counts().dead < 2 { sched_yield() }
        try outbox.retry(1)
        let again = transport.next()
        XCTAssertEqual(key(again.exchange), key(first))
        again.answer(200)
        XCTAssertEqual(try outbox.drop(2), 1)
        while try outbox.counts() != OutboxCounts() { sched_yield() }
        XCTAssertEqual(refusal { try outbox.retry(2) }?.field, "id")
        XCTAssertEqual(refusal { _ = try outbox.find(2) }?.reason, .invalidArgument)
    }

    func testOtherLanesPassADeadHeadWhereThePolicySaysSo() throws {
        let client = try client(#", "deadHead": "goOn""#)
        try queueOffline(client, put(1), put(1))
        try flush(client)
        transport.answer(422)
        transport.answer(200, #"{"id":1}"#)
        XCTAssertEqual(words(nextFlushed()), ["1 dead 422", "2 delivered 200"])
        XCTAssertEqual(try states(client), ["1 dead"])
    }

    func testBackoffGrowsAndRetryAfterIsHonouredUnlessForced() throws {
        let client = try client()
        try queueOffline(client, put(1))
        try client.setReachability(.unknown)
        transport.answer(503, headers: [HeaderField(name: "Retry-After", value: "3600")])
        let outbox = try client.requireOutbox()
        while try outbox.find(1).attempts < 1 || outbox.find(1).state != .waiting { sched_yield() }
        // A flush by the program meanwhile would report that attempt, too.
        while outbox.flushing.state.withLock({ $0.machine.isActive }) { sched_yield() }
        // The program flushes: the server asked for an hour, which is kept.
        try flush(client)
        XCTAssertEqual(words(nextFlushed()), [])
        XCTAssertEqual(transport.waitingCount, 0)
        try flush(client, isForced: true)
        transport.answer(503)
        XCTAssertEqual(words(nextFlushed()), ["1 waiting 503"])
        // A flush by the program ends the outbox's own wait.
        try flush(client)
        transport.answer(200, #"{"id":1}"#)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200"])
    }

    func testWhatWaitsGoesOutByItselfWhenItsTimeHasCome() throws {
        let client = try client()
        let call = try client.send(put(1))
        transport.answer(503)
        XCTAssertEqual(failure(of: call)?.reason, .queued)
        advanceUntilSomethingIsSent()
        transport.answer(200, #"{"id":1}"#)
        while try !states(client).isEmpty { sched_yield() }
    }

    func testASuccessfulExchangeShowsThatTheNetworkIsBack() throws {
        let client = try client()
        let call = try client.send(put(1))
        transport.next().fail(.connect)
        XCTAssertEqual(failure(of: call)?.reason, .queued)
        XCTAssertEqual(client.reachability, .unreachable)
        let other = try client.send(.get("notes/1"))
        transport.answer(200)
        _ = try other.wait(milliseconds: 0)
        XCTAssertEqual(client.reachability, .reachable)
        XCTAssertEqual(text(transport.answer(200, #"{"id":1}"#)), #"PUT things/1 {"name":"a"}"#)
        while try !states(client).isEmpty { sched_yield() }
    }

    func testWhatIsStoredGoesOutAfterARestart() throws {
        let before = FakeTransport()
        let first = try client(transport: before)
        try queueOffline(first, put(1), put(2))
        first.close()
        let second = try client()
        advanceUntilSomethingIsSent()
        XCTAssertEqual(text(transport.answer(200, #"{"id":1}"#)), #"PUT things/1 {"name":"a"}"#)
        XCTAssertEqual(text(transport.answer(200, #"{"id":2}"#)), #"PUT things/2 {"name":"a"}"#)
        while try !states(second).isEmpty { sched_yield() }
    }

    func testClosingEndsAFlushAndLosesNothing() throws {
        let first = try client()
        try queueOffline(first, put(1))
        try flush(first)
        _ = transport.next()
        first.close()
        XCTAssertEqual(nextFlushed().failure?.reason, .closed)
        XCTAssertEqual(refusal { try self.flush(first) }?.reason, .closed)
        XCTAssertEqual(refusal { _ = try first.requireOutbox().list() }?.reason, .closed)
        let second = try client(transport: FakeTransport())
        XCTAssertEqual(try states(second), ["1 waiting"])
    }

    /// Moves the clock until the outbox has sent a request by itself.
    private func advanceUntilSomethingIsSent() {
        while transport.waitingCount == 0 {
            if let next = clock.nextMilliseconds { clock.advance(milliseconds: next) }
            sched_yield()
        }
    }
}
