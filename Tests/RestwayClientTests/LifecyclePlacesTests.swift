import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayBatch
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayOutbox
@testable import RestwayOutcome

/// The life of calls that the response cache answers, shares or makes.
final class LifecycleCacheTests: CacheTestCase {
    private let log = LifecycleLog()

    func testAnAnswerOfTheCacheHasNoExchange() throws {
        let client = try client()
        keep()
        try client.observeCalls(log)
        let call = try client.send(.get("things"))
        XCTAssertEqual(log.words(of: call), ["willBegin", "willMap", "didSucceed"])
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testACallThatWaitsForAnEqualOneHasNoExchangeOfItsOwn() throws {
        let client = try client()
        try client.observeCalls(log)
        let leader = try client.send(.get("things"))
        let started = transport.next()
        wait(for: leader, at: "exchange")
        let waiting = try sendWaiting(client)
        started.answer(200, Self.list)
        XCTAssertEqual(
            log.words(of: leader), ["willBegin", "didBegin", "willMap", "didSucceed"])
        XCTAssertEqual(log.words(of: waiting).first, "willBegin")
        XCTAssertFalse(log.words(of: waiting).contains("didBegin"))
    }

    func testACallThatSendsInPlaceOfACancelledOneBeginsAnExchange() throws {
        let client = try client()
        try client.observeCalls(log)
        let leader = try client.send(.get("things"))
        let started = transport.next()
        wait(for: leader, at: "exchange")
        let waiting = try sendWaiting(client)
        leader.cancel()
        transport.answer(200, Self.list)
        started.answer(200, Self.list)
        XCTAssertEqual(log.words(of: leader), ["willBegin", "didBegin", "didCancel cancelled"])
        XCTAssertEqual(
            log.words(of: waiting), ["willBegin", "didBegin", "willMap", "didSucceed"])
    }

    func testARefreshInTheBackgroundIsACallOfItsOwn() throws {
        let client = try client()
        let ticket = FakeTicket(cache, Self.url)
        cache.decide { _ in
            .staleAnswer(FakeCache.answer(Self.url, 200, Self.list, .stale), refresh: ticket)
        }
        try client.observeCalls(log)
        _ = try client.perform(.get("things"), milliseconds: 0)
        let started = transport.next()
        let active = client.calls.activeCalls
        XCTAssertEqual(active.map(\.info.traits), [.isInBackground])
        started.answer(200, Self.list)
        let calls = log.wordsOfCalls(2)
        XCTAssertEqual(calls[0].first, "willBegin")
        XCTAssertFalse(calls[0].contains("didBegin"))
        XCTAssertEqual(calls[1].prefix(2), ["willBegin", "didBegin"])
        XCTAssertEqual(calls[1].last, "didSucceed")
        XCTAssertEqual(Set(log.infos.map(\.traits.rawValue)), [0, 1])
    }
}

/// The life of the requests of a batch.
final class LifecycleBatchTests: BatchTestCase {
    private let log = LifecycleLog()

    func testTheRequestsOfABatchAreCallsAndSoIsTheirBatchCall() throws {
        let client = try client()
        try client.observeCalls(log)
        let session = try session(client, [get("things/1"), get("things/2")])
        log.wait(for: 2)
        XCTAssertEqual(log.words, ["willBegin", "willBegin"])
        XCTAssertEqual(client.calls.activeCalls.map(\.info.stage), ["start", "start"])
        try send(session)
        transport.answer(200, #"[{"code": 200, "body": "{\"id\": 1}"}, {"code": 404}]"#)
        let calls = log.wordsOfCalls(3)
        XCTAssertEqual(calls[0], ["willBegin", "didBegin", "willMap", "didSucceed"])
        XCTAssertEqual(calls[1], ["willBegin", "didBegin", "didFail http"])
        XCTAssertEqual(calls[2].filter { $0 != "downloaded" && $0 != "uploaded" },
            ["willBegin", "didBegin", "didSucceed"])
        func traits(_ url: String) -> Set<UInt32> {
            Set(log.infos.filter { $0.url == "http://api.test/v1/\(url)" }.map(\.traits.rawValue))
        }
        XCTAssertEqual(traits("things/1"), [CallInfo.Traits.isInBatch.rawValue])
        XCTAssertEqual(traits("batch"), [0])
    }
}

/// The life of requests that the outbox stores.
final class LifecycleOutboxTests: OutboxTestCase {
    private let log = LifecycleLog()

    func testAStoredRequestFailsAndIsSentByAnotherCall() throws {
        let client = try client()
        try client.observeCalls(log)
        try queueOffline(client, put(1))
        XCTAssertEqual(log.wordsOfCalls(1), [["willBegin", "didFail queued"]])
        XCTAssertEqual(log.infos.map(\.route), ["thing", "thing"])
        try flush(client)
        let started = transport.next()
        let active = try XCTUnwrap(client.calls.activeCalls.first)
        XCTAssertEqual(active.info.traits, [.isInBackground, .isFromOutbox])
        XCTAssertEqual(active.info.route, "thing")
        started.answer(200, #"{"id": 1}"#)
        _ = nextFlushed()
        XCTAssertEqual(
            log.wordsOfCalls(2)[1].filter { $0 != "uploaded" },
            ["willBegin", "didBegin", "willMap", "didSucceed"])
    }

    func testARequestThatCouldNotBeSentIsStoredAfterItsExchange() throws {
        let client = try client()
        try client.observeCalls(log)
        let call = try client.send(put(1))
        transport.next().fail(.connect)
        XCTAssertEqual(failure(of: call)?.reason, .queued)
        XCTAssertEqual(log.words(of: call), ["willBegin", "didBegin", "didFail queued"])
    }
}
