import RestwayHTTP
import RestwayJSON
import RestwaySQLite
import RestwayThreads
import XCTest

@testable import RestwayBatch
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// Flushes through the batch path, and the program's own sessions with requests that may be stored.
final class OutboxBatchTests: OutboxTestCase {
    private let batch = #", "batch": {"path": "/batch", "limit": 2}"#

    private func uris(_ exchange: Exchange) throws -> [String] {
        guard case .bytes(let bytes) = exchange.body else { return [] }
        let tree = try JSONValue.parse(String(decoding: bytes, as: UTF8.self))
        return tree["batch"]?.elements?.map {
            "\($0["uri"]?.string ?? "") \($0["body"]?.string ?? "")"
        } ?? []
    }

    func testChunksHoldOneItemOfALaneEach() throws {
        let client = try client("", batch)
        try queueOffline(client, put(1, "1"), put(1, "2"), put(2, "3"), put(3, "4"))
        try flush(client)
        let first = transport.next()
        XCTAssertEqual(try uris(first.exchange), ["/things/1 1", "/things/2 3"])
        XCTAssertEqual(transport.waitingCount, 0)
        first.answer(200, #"[{"code": 200, "body": "{\"id\":1}"}, {"code": 503}]"#)
        let second = transport.next()
        XCTAssertEqual(try uris(second.exchange), ["/things/1 2", "/things/3 4"])
        second.answer(200, #"[{"code": 422}, {"code": 200}]"#)
        XCTAssertEqual(
            words(nextFlushed()),
            ["1 delivered 200", "2 dead 422", "3 waiting 503", "4 delivered 200"])
        XCTAssertEqual(try states(client), ["2 dead", "3 waiting"])
    }

    func testAWholeBatchOfOtherLanesGoesOutWhileTheFormerIsBeingSettled() throws {
        let client = try client("", batch)
        try queueOffline(
            client, put(1, "1"), put(2, "2"), put(1, "3"), put(3, "4"), put(4, "5"), put(5, "6"))
        try flush(client)
        let first = transport.next()
        XCTAssertEqual(try uris(first.exchange), ["/things/1 1", "/things/2 2"])
        // Nothing is settled as long as another connection writes.
        let other = try Connection(path)
        try other.begin()
        first.answer(200, #"[{"code": 200}, {"code": 200}]"#)
        let second = transport.next()
        XCTAssertEqual(try uris(second.exchange), ["/things/3 4", "/things/4 5"])
        XCTAssertEqual(try client.requireOutbox().list().all.count, 6)
        other.rollBack()
        // An incomplete batch waits for the lane that is being settled.
        second.answer(200, #"[{"code": 200}, {"code": 200}]"#)
        let third = transport.next()
        XCTAssertEqual(try uris(third.exchange), ["/things/1 3", "/things/5 6"])
        third.answer(200, #"[{"code": 200}, {"code": 200}]"#)
        XCTAssertEqual(words(nextFlushed()), (1...6).map { "\($0) delivered 200" })
        XCTAssertEqual(try states(client), [])
    }

    /// No notice reports it, so the test polls until it has happened.
    func testRowsOfWhatWasDeliveredGoWhenTheFlushIsOver() throws {
        let client = try client("", #", "batch": {"path": "/batch", "limit": 10}"#)
        try queueOffline(client)
        for id in 1...10 { try queue(client, put(id, "\(id)")) }
        try flush(client)
        let answers = (1...10).map { _ in #"{"code": 200}"# }.joined(separator: ", ")
        transport.next().answer(200, "[\(answers)]")
        XCTAssertEqual(words(nextFlushed()).count, 10)
        let other = try Connection(path)
        let limit = SystemClock().now().advanced(milliseconds: 10_000)
        var rows: Int64?
        repeat {
            rows = try other.integer("SELECT count(*) FROM item")
        } while rows != 0 && SystemClock().now() < limit
        XCTAssertEqual(rows, 0)
        XCTAssertEqual(try other.integer("SELECT count(*) FROM delivered"), 0)
    }

    func testALaneMayShareACallWhenTheServerStopsAtTheFirstFailure() throws {
        let client = try client(
            "", #", "batch": {"path": "/batch", "limit": 3, "stopsAtFailure": true}"#)
        try queueOffline(client, put(1, "1"), put(1, "2"), put(1, "3"))
        try flush(client)
        let first = transport.next()
        XCTAssertEqual(try uris(first.exchange), ["/things/1 1", "/things/1 2", "/things/1 3"])
        first.answer(200, #"[{"code": 200}, {"code": 503}, {"code": 503}]"#)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200", "2 waiting 503"])
        let attempts = try client.requireOutbox().list().all.map(\.attempts)
        XCTAssertEqual(attempts, [1, 0])
    }

    func testWhatAServerDidNotLookAtIsSentAgainWhateverItsLane() throws {
        let client = try client(
            "", #", "batch": {"path": "/batch", "limit": 4, "stopsAtFailure": true}"#)
        try queueOffline(client, put(1), put(2), put(2), put(3))
        try flush(client)
        transport.answer(200, #"[{"code": 200}, {"code": 422}, {"code": 424}, {"code": 424}]"#)
        // The third item is blocked by a dead letter; the fourth is not.
        XCTAssertEqual(
            try uris(transport.answer(200, #"[{"code": 200}]"#)), [#"/things/3 {"name":"a"}"#])
        XCTAssertEqual(
            words(nextFlushed()), ["1 delivered 200", "2 dead 422", "4 delivered 200"])
        XCTAssertEqual(try states(client), ["2 dead", "3 blocked"])
    }

    private let plain = #", "plain": {"method": "PUT", "path": "plain/:id", "offline": true}"#

    private func putPlain(_ id: Int, _ body: String) -> RequestSpec {
        var spec = RequestSpec(target: .route("plain", .put))
        spec.variables["id"] = .value(.string("\(id)"))
        spec.given.body = .init(bytes: Array(body.utf8), mediaType: "application/json")
        return spec
    }

    func testAnswersThatMapToNothingAreReportedAsTheyCame() throws {
        let client = try client(
            "", #", "batch": {"path": "/batch", "limit": 9}"#, routes: plain)
        try observe(client)
        try queueOffline(
            client, putPlain(1, "\"a\u{e9}\""), putPlain(2, "2"), put(3, "3"), putPlain(4, "4"))
        try flush(client)
        let call = transport.next()
        XCTAssertEqual(
            try uris(call.exchange),
            ["/plain/1 \"a\u{e9}\"", "/plain/2 2", "/things/3 3", "/plain/4 4"])
        call.answer(
            200,
            #"[{"code": 201, "body": "yes", "headers": {"X-A": "b"}}, {"code": 422}, "#
                + #"{"code": 200, "body": "{\"id\":3,\"name\":\"c\"}"}, {"code": 204}]"#)
        let list = nextFlushed()
        XCTAssertEqual(
            words(list),
            ["1 delivered 201", "2 dead 422", "3 delivered 200", "4 delivered 204"])
        let first = try XCTUnwrap(list.all[0].response)
        XCTAssertEqual(first.bodyWithNUL.dropLast(), Array("yes".utf8)[...])
        XCTAssertEqual(first.headers[first: "x-a"], "b")
        XCTAssertEqual(first.url, "http://api.test/v1/plain/1")
        XCTAssertFalse(first.isMapped)
        XCTAssertEqual(list.all[2].response?.objects.count, 1)
        XCTAssertEqual(try states(client), ["2 dead"])
        XCTAssertEqual(
            told.wait { $0.count < 4 ? nil : $0.sorted() },
            ["1 delivered 201", "2 dead 422", "3 delivered 200", "4 delivered 204"])
    }

    func testACallThatFailsLeavesEveryItemWaitingWithItsKey() throws {
        let client = try client("", batch, routes: plain)
        try queueOffline(client, putPlain(1, "1"), putPlain(2, "2"))
        try flush(client)
        let first = transport.next()
        first.fail(.timedOut)
        XCTAssertEqual(words(nextFlushed()), ["1 waiting 0", "2 waiting 0"])
        let list = try client.requireOutbox().list().all
        XCTAssertEqual(list.map(\.attempts), [1, 1])
        try flush(client)
        let second = transport.next()
        XCTAssertEqual(
            try JSONValue.parse(body(first.exchange))["batch"]?.text(),
            try JSONValue.parse(body(second.exchange))["batch"]?.text())
        second.answer(200, #"[{"code": 200}, {"code": 200}]"#)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200", "2 delivered 200"])
    }

    func testA401OfAnItemRefreshesAndTheItemGoesOutAgain() throws {
        let client = try client(
            "", batch + #", "auth": {"scheme": "bearer", "token": "old"}"#, routes: plain)
        try client.setAuthFunctions { functions in
            functions.refresh = { ticket in
                var credential = Credential()
                credential.token = Secret("new")
                _ = try? ticket.succeed(credential)
            }
        }
        try queueOffline(client, putPlain(1, "1"), putPlain(2, "2"))
        try flush(client)
        let first = transport.answer(200, #"[{"code": 401}, {"code": 200}]"#)
        XCTAssertEqual(Headers(first.headers)[first: "Authorization"], "Bearer old")
        let second = transport.next()
        XCTAssertEqual(try uris(second.exchange), ["/plain/1 1"])
        XCTAssertEqual(Headers(second.exchange.headers)[first: "Authorization"], "Bearer new")
        second.answer(200, #"[{"code": 200}]"#)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200", "2 delivered 200"])
    }

    private func body(_ exchange: Exchange) -> String {
        guard case .bytes(let bytes) = exchange.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    func testABrokenBatchPathLosesNothingAndIsPassedByWhenAllowed() throws {
        let client = try client(#", "singlyAfterFailures": 2"#, batch)
        try queueOffline(client, put(1, "1"), put(1, "2"), put(2, "3"))
        try flush(client)
        XCTAssertEqual(try uris(transport.answer(200, "no batch")), ["/things/1 1", "/things/2 3"])
        XCTAssertEqual(words(nextFlushed()), ["1 waiting 0", "3 waiting 0"])
        XCTAssertEqual(try states(client), ["1 waiting", "2 waiting", "3 waiting"])
        try flush(client)
        XCTAssertEqual(try uris(transport.answer(404)), ["/things/1 1", "/things/2 3"])
        for (id, body) in [(1, "1"), (1, "2"), (2, "3")] {
            XCTAssertEqual(text(transport.answer(200)), "PUT things/\(id) \(body)")
        }
        XCTAssertEqual(
            words(nextFlushed()), ["1 delivered 200", "2 delivered 200", "3 delivered 200"])
    }

    /// The path of the batch is that of an offline route, or a pattern of the outbox matches it.
    func testTheBatchCallIsNoItemOfTheOutbox() throws {
        let route = #", "lines": {"method": "POST", "path": "lines", "offline": true}"#
        for (outbox, path) in [("", "lines"), (#", "offline": [{"path": "{path}"}]"#, "batch")] {
            let wire = FakeTransport()
            let client = try client(
                outbox, #", "batch": {"path": "\#(path)", "limit": 9}"#, routes: plain + route,
                transport: wire)
            try queueOffline(client, putPlain(1, "1"), putPlain(2, "2"))
            try flush(client)
            wire.next().fail(.connect)
            XCTAssertEqual(words(nextFlushed()), ["1 waiting 0", "2 waiting 0"])
            XCTAssertEqual(try states(client), ["1 waiting", "2 waiting"])
            try flush(client)
            let call = wire.next()
            XCTAssertEqual(try uris(call.exchange), ["/plain/1 1", "/plain/2 2"])
            call.answer(200, #"[{"code": 200}, {"code": 200}]"#)
            XCTAssertEqual(words(nextFlushed()), ["1 delivered 200", "2 delivered 200"])
            client.close()
            removeFiles()
        }
    }

    func testAnItemWhoseAnswerCannotBeReadIsDelivered() throws {
        let client = try client("", batch, routes: plain)
        for answers in [#"[{"code": "?"}]"#, "[{}]", #"[{"code": 201, "body": "#] {
            try queueOffline(client, putPlain(1, "1"))
            try flush(client)
            transport.answer(200, answers)
            let item = nextFlushed().all[0]
            XCTAssertEqual(item.state, .delivered, answers)
            XCTAssertNotNil(item.lastError, answers)
        }
        XCTAssertEqual(try states(client), [])
        try queueOffline(client, put(1, "1"), putPlain(2, "2"))
        try flush(client)
        transport.answer(200, #"[{"code": 1}, null]"#)
        XCTAssertEqual(words(nextFlushed()), ["4 delivered 0", "5 waiting 0"])
    }

    func testABatchPathThatRefusesForGoodIsPassedByAtOnce() throws {
        for status in [400, 404, 405, 413, 501] {
            let wire = FakeTransport()
            let client = try client("", batch, routes: plain, transport: wire)
            try queueOffline(client, putPlain(1, "1"), putPlain(2, "2"), putPlain(1, "3"))
            try flush(client)
            XCTAssertEqual(try uris(wire.answer(status)), ["/plain/1 1", "/plain/2 2"])
            XCTAssertEqual(text(wire.answer(200)), "PUT plain/1 1")
            XCTAssertEqual(text(wire.answer(422)), "PUT plain/2 2")
            XCTAssertEqual(text(wire.answer(200)), "PUT plain/1 3")
            XCTAssertEqual(
                words(nextFlushed()), ["1 delivered 200", "2 dead 422", "3 delivered 200"])
            client.close()
            removeFiles()
        }
    }

    func testTheWaitThatTheAnswerToABatchStatesHoldsForItsItems() throws {
        let client = try client("", batch, routes: plain)
        try queueOffline(client, putPlain(1, "1"), putPlain(2, "2"))
        try flush(client)
        transport.next().answer(
            503, "", headers: [HeaderField(name: "Retry-After", value: "30")])
        let items = nextFlushed().all
        XCTAssertEqual(items.map(\.state), [.waiting, .waiting])
        let now = clock.wallMicroseconds()
        for item in items { XCTAssertGreaterThanOrEqual(item.nextAttempt, now + 30_000_000) }
        // A flush by hand does not cut that wait short.
        try flush(client)
        XCTAssertEqual(words(nextFlushed()), [])
        try flush(client, isForced: true)
        transport.answer(200, #"[{"code": 200}, {"code": 200}]"#)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200", "2 delivered 200"])
    }

    func testALimitOfOneIsABatchOfOne() throws {
        for (outbox, limit) in [("", 1), (#", "chunk": 1"#, 9)] {
            let wire = FakeTransport()
            let client = try client(
                outbox, #", "batch": {"path": "/batch", "limit": \#(limit)}"#, transport: wire)
            try queueOffline(client, put(1, "1"), put(2, "2"))
            try flush(client)
            for uri in ["/things/1 1", "/things/2 2"] {
                XCTAssertEqual(try uris(wire.answer(200, #"[{"code": 200}]"#)), [uri])
            }
            XCTAssertEqual(words(nextFlushed()), ["1 delivered 200", "2 delivered 200"])
            client.close()
            removeFiles()
        }
    }

    func testABatchOfOneThatFailsIsPassedBy() throws {
        let client = try client(
            #", "singlyAfterFailures": 1"#, #", "batch": {"path": "/batch", "limit": 1}"#)
        try queueOffline(client, put(1, "1"))
        try flush(client)
        XCTAssertEqual(try uris(transport.answer(404)), ["/things/1 1"])
        XCTAssertEqual(text(transport.answer(200)), "PUT things/1 1")
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200"])
    }

    func testASessionOfTheHostsStoresWhatItsCallCouldNotCarry() throws {
        let client = try client("", batch)
        let session = try BatchSession(client.batches)
        let calls = try [put(1, "1"), put(2, "2"), put(3, "3")].map { try session.add($0) }
        try session.send()
        transport.next().fail(.connect)
        XCTAssertEqual(calls.map { failure(of: $0)?.reason }, [.queued, .queued, .queued])
        XCTAssertEqual(refusal { try session.wait(milliseconds: 0) }?.reason, .connect)
        XCTAssertEqual(try client.requireOutbox().counts().waiting, 3)
    }

    func testASessionOfTheProgramFailsWithTheRefusalOfItsBatchPath() throws {
        for status in [400, 404, 405, 413, 501] {
            let wire = FakeTransport()
            let client = try client("", batch, transport: wire)
            let session = try BatchSession(client.batches)
            let calls = try [put(1, "1"), put(2, "2"), put(3, "3")].map { try session.add($0) }
            try session.send()
            XCTAssertEqual(try uris(wire.answer(status)), ["/things/1 1", "/things/2 2"])
            let failures = calls.map { failure(of: $0) }
            XCTAssertEqual(failures.map { $0?.reason }, [.http, .http, .batch])
            XCTAssertEqual(failures.map { $0?.httpStatus }, [status, status, 0])
            XCTAssertEqual(refusal { try session.wait(milliseconds: 0) }?.httpStatus, status)
            XCTAssertEqual(wire.waitingCount, 0, "nothing goes out by itself")
            XCTAssertEqual(try states(client), [], "nothing is stored")
            client.close()
            removeFiles()
        }
    }

    func testRequestsOfOneLaneInASessionGoInOneCallAfterTheOther() throws {
        let client = try client("", batch)
        let session = try BatchSession(client.batches)
        let calls = try [put(1, "1"), put(1, "2"), put(2, "3")].map { try session.add($0) }
        try session.send()
        let first = transport.next()
        XCTAssertEqual(try uris(first.exchange), ["/things/1 1", "/things/2 3"])
        first.answer(200, #"[{"code": 200}, {"code": 200}]"#)
        XCTAssertEqual(try uris(transport.answer(200, #"[{"code": 200}]"#)), ["/things/1 2"])
        try session.wait(milliseconds: 0)
        for call in calls { XCTAssertEqual(try call.wait(milliseconds: 0).status, 200) }
    }
}
