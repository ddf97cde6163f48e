import RestwayBodies
import RestwayHTTP
import RestwayObjects
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayBatch
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// Tests requests that are stored before they are sent.
final class StoredFirstTests: OutboxTestCase {
    private static let route = """
        , "first": {"method": ["POST", "PUT"], "path": "firsts/:id", "entity": "Thing",
                    "response": {"entity": "Thing"}, "offline": {"store": "first"}}
        """

    private func first(_ id: Int, _ body: String = #"{"name":"a"}"#) -> RequestSpec {
        var spec = put(id, body)
        spec.sending.storing = .first
        return spec
    }

    private func counts(_ client: Client) throws -> OutboxCounts {
        try client.requireOutbox().counts()
    }

    private func response(_ call: Call) throws -> Response { try call.wait(milliseconds: 0) }

    // MARK: The answer

    func testTheRequestIsInTheFileWhenItIsSentAndTheCallHasTheAnswer() throws {
        let client = try client(routes: Self.route)
        var byRoute = RequestSpec(target: .route("first", .put))
        byRoute.variables["id"] = .value(.string("1"))
        byRoute.given.body = .init(bytes: Array("{}".utf8), mediaType: "application/json")
        for spec in [first(1), byRoute] {
            let call = try client.send(spec)
            let started = transport.next()
            XCTAssertEqual(try counts(client).sending, 1)
            XCTAssertFalse(call.isComplete)
            started.answer(200, #"{"id": 1, "name": "b"}"#)
            let response = try response(call)
            XCTAssertEqual(response.status, 200)
            XCTAssertEqual(response.objects.first?.value(named: "name"), .string("b"))
            XCTAssertEqual(try counts(client), OutboxCounts())
        }
    }

    func testARefusalGoesToTheCallAndLeavesNoDeadLetter() throws {
        let client = try client()
        try observe(client)
        let call = try client.send(first(1))
        transport.answer(422, #"{"code": "no"}"#)
        let failure = failure(of: call)
        XCTAssertEqual(failure?.reason, .http)
        XCTAssertEqual(failure?.httpStatus, 422)
        XCTAssertEqual(failure?.attempts.count, 1)
        XCTAssertEqual(failure?.response?.status, 422)
        XCTAssertEqual(try counts(client), OutboxCounts())
    }

    func testARequestThatCannotBeDeliveredNowIsQueued() throws {
        let client = try client()
        let failures: [(FakeTransport.Started) -> Void] = [
            { $0.answer(503) }, { $0.fail(.connectionLost) }, { $0.fail(.connect) },
        ]
        for (index, fail) in failures.enumerated() {
            let call = try client.send(first(index))
            fail(transport.next())
            let failure = failure(of: call)
            XCTAssertEqual(failure?.reason, .queued)
            XCTAssertEqual(failure?.outboxID, Int64(index + 1))
            // The next call would be told that nothing goes out now.
            try flush(client, isForced: true)
            transport.answer(200, "{}")
            XCTAssertEqual(words(nextFlushed()), ["\(index + 1) delivered 200"])
        }
    }

    func testWithoutANetworkTheCallIsQueuedAtOnce() throws {
        let client = try client()
        XCTAssertEqual(try queueOffline(client, first(1), first(1), first(2)), [1, 2, 3])
        XCTAssertEqual(transport.waitingCount, 0)
        XCTAssertEqual(try states(client), ["1 waiting", "2 waiting", "3 waiting"])
    }

    func testTheRequestsOfALaneAreStoredAtOnceAndGoOutInOrder() throws {
        let client = try client()
        let calls = try (1...3).map { try client.send(first(1, "\($0)")) }
        for (index, call) in calls.enumerated() {
            let started = transport.next()
            XCTAssertEqual(text(started.exchange), "PUT things/1 \(index + 1)")
            while try counts(client).waiting + counts(client).sending < 3 - index {
                sched_yield()
            }
            XCTAssertEqual(transport.waitingCount, 0)
            started.answer(200, "{}")
            XCTAssertEqual(try response(call).status, 200)
        }
    }

    func testInterceptorsSeeTheAnswerOnce() throws {
        let client = try client()
        let seen = Monitor(0)
        _ = try client.addStage(.intercept, routes: []) { _ in
            seen.update { $0 += 1 }
            return nil
        }
        let call = try client.send(first(1))
        transport.answer(200, "{}")
        XCTAssertEqual(try response(call).status, 200)
        XCTAssertEqual(seen.withLock { $0 }, 1)
    }

    func testTheTimeLimitOfTheCallEndsItsWaitAndTheItemStays() throws {
        let client = try client()
        let slow = try client.send(put(1))
        let started = transport.next()
        // Another lane goes out, but only one call at a time.
        let sent = try client.send(first(2))
        let other = transport.next()
        var limited = first(3)
        limited.timeouts.totalMilliseconds = 5_000
        let waiting = try client.send(limited)
        while try counts(client).waiting < 1 { sched_yield() }
        while waiting.state.withLock({ $0.stageResources.timer == nil }) { sched_yield() }
        clock.advance(milliseconds: 5_000)
        let failure = failure(of: waiting)
        XCTAssertEqual(failure?.reason, .queued)
        XCTAssertTrue(failure?.message.contains("timed out") == true, failure?.message ?? "")
        other.answer(200, "{}")
        XCTAssertEqual(try response(sent).status, 200)
        started.answer(200, "{}")
        _ = try response(slow)
        transport.answer(200, "{}")
    }

    func testARequestOfABatchThatIsStoredFirstGoesOutByItself() throws {
        let client = try client("", #", "batch": {"path": "/batch", "limit": 5}"#)
        let session = try BatchSession(client.batches)
        let ended = Monitor<[Int]>([])
        for (index, spec) in [first(1), put(2)].enumerated() {
            try session.add(
                spec,
                completion: { _, outcome in
                    if case .success = outcome { ended.update { $0.append(index) } }
                }, end: {})
        }
        try session.send(completion: { _, _ in }, end: {})
        var bodies = Set<String>()
        for _ in 0..<2 {
            let started = transport.next()
            let body = text(started.exchange)
            bodies.insert(body.contains("things/1") ? "first" : "put")
            started.answer(200, #"[{"code": 200, "body": "{}"}]"#)
        }
        XCTAssertEqual(bodies, ["first", "put"])
        XCTAssertEqual(ended.wait { $0.count == 2 ? Set($0) : nil }, [0, 1])
    }

    // MARK: Objects

    private func withStores(_ body: (Client, FakeTransport) throws -> Void) throws {
        for isFile in [false, true] {
            let wire = FakeTransport()
            let client = try client(transport: wire) {
                if isFile { $0.files.store = directory + "/objects.db" }
            }
            try body(client, wire)
            client.close()
            removeFiles()
        }
    }

    func testADraftIsSettledByTheAnswerAsIfItWereSentAtOnce() throws {
        try withStores { client, wire in
            let draft = Draft(try client.api.entity(named: "Thing"))
            try draft.set(.string("new"), attribute: 1)
            var spec = RequestSpec(
                target: .subject(.post), subject: .draft(draft, client.store))
            spec.sending.storing = .first
            let call = try client.send(spec)
            wire.answer(201, #"{"id": 7, "name": "new"}"#)
            let object = try XCTUnwrap(response(call).objects.first)
            XCTAssertEqual(object.identity, .integer(7))
            XCTAssertEqual(draft.changedCells, [])
            let entity = object.entity
            XCTAssertEqual(try client.store.object(entity, .integer(7))?.storeKey, draft.storeKey)
            XCTAssertEqual(try client.store.count(entity), 1)
            XCTAssertEqual(try counts(client), OutboxCounts())
        }
    }

    func testARefusedDraftLeavesTheStoreAndTheDraftAsTheyWere() throws {
        try withStores { client, wire in
            let entity = try client.api.entity(named: "Thing")
            let draft = Draft(entity)
            try draft.set(.string("new"), attribute: 1)
            for expected in [422, 201] {
                var spec = RequestSpec(
                    target: .subject(.post), subject: .draft(draft, client.store))
                spec.sending.storing = .first
                let call = try client.send(spec)
                let started = wire.next()
                XCTAssertEqual(try client.store.count(entity), 1)
                started.answer(expected, expected == 201 ? #"{"id": 7}"# : "")
                guard expected == 422 else {
                    XCTAssertEqual(try response(call).status, 201)
                    continue
                }
                XCTAssertEqual(failure(of: call)?.httpStatus, 422)
                XCTAssertEqual(try client.store.count(entity), 0)
                XCTAssertEqual(draft.changedCells, [1])
                XCTAssertEqual(try counts(client), OutboxCounts())
            }
        }
    }

    func testARefusedRequestStaysIfOthersWaitForItsObject() throws {
        try withStores { client, wire in
            let draft = Draft(try client.api.entity(named: "Thing"))
            try draft.set(.string("new"), attribute: 1)
            var spec = RequestSpec(
                target: .subject(.post), subject: .draft(draft, client.store))
            spec.sending.storing = .first
            let call = try client.send(spec)
            let started = wire.next()
            try draft.set(.string("newer"), attribute: 1)
            var later = RequestSpec(
                target: .subject(.put), subject: .draft(draft, client.store))
            later.sending.storing = .failed
            try queue(client, later)
            started.answer(422)
            XCTAssertEqual(failure(of: call)?.httpStatus, 422)
            XCTAssertEqual(try states(client), ["1 dead", "2 blocked"])
        }
    }

    // MARK: Cancelling

    func testACancelDropsAnItemThatWasNeverSent() throws {
        let client = try client()
        let sent = try client.send(first(1))
        let started = transport.next()
        let waiting = try client.send(first(2))
        while try counts(client).waiting < 1 { sched_yield() }
        waiting.cancel()
        XCTAssertEqual(failure(of: waiting)?.reason, .cancelled)
        XCTAssertEqual(try states(client), ["1 sending"])
        started.answer(200, "{}")
        XCTAssertEqual(try response(sent).status, 200)
        XCTAssertEqual(try counts(client), OutboxCounts())
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testACancelLeavesAnItemThatMayHaveArrived() throws {
        let client = try client()
        try observe(client)
        let call = try client.send(first(1))
        let started = transport.next()
        call.cancel()
        let failure = failure(of: call)
        XCTAssertEqual(failure?.reason, .cancelled)
        XCTAssertTrue(failure?.message.contains("item 1") == true, failure?.message ?? "")
        XCTAssertEqual(try states(client), ["1 sending"])
        // The call has ended, so a refusal of its request becomes a dead letter.
        started.answer(422)
        XCTAssertEqual(words(nextFlushed()), ["1 dead 422"])
    }

    func testACallEndsWhenTheProgramDropsItsItem() throws {
        let client = try client()
        let sent = try client.send(first(1))
        let started = transport.next()
        let waiting = try client.send(first(2))
        while try counts(client).waiting < 1 { sched_yield() }
        XCTAssertEqual(try client.requireOutbox().drop(2), 1)
        let failure = failure(of: waiting)
        XCTAssertEqual(failure?.reason, .cancelled)
        XCTAssertEqual(failure?.domain, .outbox)
        started.answer(200, "{}")
        _ = try response(sent)
    }

    // MARK: Several clients

    func testACallOfAClientThatIsNotTheSenderIsQueued() throws {
        let sender = try client()
        let mine = try sender.send(first(1))
        let started = transport.next()
        let other = try client(transport: FakeTransport())
        let call = try other.send(first(2))
        XCTAssertEqual(failure(of: call)?.reason, .queued)
        started.answer(200, "{}")
        _ = try response(mine)
    }

    // MARK: What cannot be stored

    func testAGetIsNeverStoredFirst() throws {
        let client = try client()
        var spec = RequestSpec(target: .path(.get, "things/1"))
        spec.sending.storing = .first
        let failure = refusal { _ = try client.send(spec) }
        XCTAssertEqual(failure?.reason, .invalidArgument)
        XCTAssertEqual(failure?.field, "offline")
        XCTAssertTrue(failure?.message.contains("GET") == true, failure?.message ?? "")
    }

    func testABodyThatIsReadWhileItIsSentIsNotStored() throws {
        let client = try client(routes: Self.route)
        func spec(_ storing: StoringRule?) -> RequestSpec {
            var spec = RequestSpec(target: .route("first", .post))
            spec.variables["id"] = .value(.string("1"))
            let reader = BodyReader(
                length: nil, read: { _ in .success(0) }, rewind: { .success(()) })
            spec.given.body = .init(reader: reader, mediaType: "text/plain")
            spec.sending.storing = storing
            return spec
        }
        for storing in [StoringRule.first, .failed] {
            let failure = refusal { _ = try client.send(spec(storing)) }
            XCTAssertEqual(failure?.reason, .invalidArgument)
            XCTAssertEqual(failure?.field, "offline")
        }
        // The route speaks of the requests that can be stored.
        let call = try client.send(spec(nil))
        transport.answer(200, "{}")
        XCTAssertEqual(try response(call).status, 200)
    }

    func testAClientWithoutAnOutboxRefusesTheOption() throws {
        let client = try Client(
            api: try TestAPI.load(
                #"{"restway": 1, "environments": {"t": {"baseURL": "http://a.b"}}}"#),
            options: ClientOptions(), transport: transport, clock: clock)
        defer { client.close() }
        var spec = RequestSpec(target: .path(.post, "things"))
        spec.sending.storing = .first
        XCTAssertEqual(refusal { _ = try client.send(spec) }?.reason, .config)
    }

    func testARequestMayRefuseWhatItsRouteSays() throws {
        let client = try client(routes: Self.route)
        var spec = put(1)
        spec.sending.storing = .never
        let call = try client.send(spec)
        transport.next().fail(.connect)
        call.cancel()
        XCTAssertEqual(failure(of: call)?.reason, .cancelled)
        XCTAssertEqual(try counts(client), OutboxCounts())
    }
}
