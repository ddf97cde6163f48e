import RestwayHTTP
import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

final class CallTests: XCTestCase {
    private let transport = FakeTransport()
    private let clock = FakeClock()

    private func client(_ change: (inout ClientOptions) -> Void = { _ in }) throws -> Client {
        var options = ClientOptions()
        change(&options)
        return try Client(
            api: try TestAPI.load(), options: options, transport: transport, clock: clock)
    }

    private static let json = [HeaderField(name: "Content-Type", value: "application/json")]

    func testAListBecomesObjectsInTheStore() throws {
        let client = try client()
        let call = try client.send(.route("companies"))
        transport.answer(
            200,
            """
            {"list": [{"id": 1, "name": "One", "address": {"city": "Rome"}},
                      {"id": 2, "name": null}, {"id": 1, "since": "2001-05-17"}]}
            """, headers: Self.json)
        let response = try call.wait(milliseconds: 0)
        XCTAssertTrue(response.isMapped)
        XCTAssertEqual(response.objects.count, 3)
        XCTAssertTrue(response.objects[0] === response.objects[2])
        XCTAssertEqual(response.objects[0].value(named: "city"), .string("Rome"))
        XCTAssertEqual(response.objects[0].value(named: "since"), .date(990_057_600_000_000))
        XCTAssertEqual(response.objects[1].value(named: "name"), .null)
        XCTAssertEqual(response.objects[1].value(named: "city"), .absent)
        XCTAssertEqual(try client.store.count(nil), 2)
        client.close()
    }

    func testALaterResponseLeavesTheOldSnapshotAsItWas() throws {
        let client = try client()
        let first = try client.send(.get("companies/1"))
        transport.answer(200, #"{"id": 1, "name": "Old", "address": {"city": "Rome"}}"#)
        let old = try XCTUnwrap(first.wait(milliseconds: 0).objects.first)
        let second = try client.send(.get("companies/1"))
        transport.answer(200, #"{"id": 1, "name": "New"}"#)
        let new = try XCTUnwrap(second.wait(milliseconds: 0).objects.first)
        XCTAssertEqual(old.value(named: "name"), .string("Old"))
        XCTAssertEqual(new.value(named: "name"), .string("New"))
        XCTAssertEqual(new.value(named: "city"), .string("Rome"))
        XCTAssertEqual(old.storeKey, new.storeKey)
        client.close()
    }

    func testARequestByObjectTakesItsPathFromTheObject() throws {
        let client = try client()
        let first = try client.send(.get("companies/7"))
        transport.answer(200, #"{"id": 7}"#)
        let object = try XCTUnwrap(first.wait(milliseconds: 0).objects.first)
        let second = try client.send(
            RequestSpec(target: .subject(.delete), subject: .object(object)))
        let exchange = transport.answer(204)
        XCTAssertEqual(exchange.method, "DELETE")
        XCTAssertEqual(exchange.url, "http://api.test/v2/companies/7")
        let response = try second.wait(milliseconds: 0)
        XCTAssertEqual(response.status, 204)
        XCTAssertTrue(response.isMapped)
        XCTAssertEqual(response.objects.count, 0)
        client.close()
    }

    func testNothingMatchedIsNotTheSameAsNothingThere() throws {
        let client = try client()
        let unmatched = try client.send(.get("unknown/path"))
        transport.answer(200, #"{"list": []}"#)
        XCTAssertFalse(try unmatched.wait(milliseconds: 0).isMapped)
        let empty = try client.send(.get("companies"))
        transport.answer(200, #"{"list": []}"#)
        let response = try empty.wait(milliseconds: 0)
        XCTAssertTrue(response.isMapped)
        XCTAssertEqual(response.objects.count, 0)
        XCTAssertEqual(response.results, [0..<0])
        client.close()
    }

    func testAFailedStatusCarriesTheAPIsErrorAndAReadableResponse() throws {
        let client = try client()
        let call = try client.send(.get("companies/9?token=abc"))
        transport.answer(404, #"{"error": {"code": 17, "text": "no company 9"}}"#)
        let failure = failure { _ = try call.wait(milliseconds: 0) }
        XCTAssertEqual(failure?.reason, .http)
        XCTAssertEqual(failure?.domain, .api)
        XCTAssertEqual(failure?.httpStatus, 404)
        XCTAssertEqual(failure?.apiCode, "17")
        XCTAssertEqual(failure?.apiMessage, "no company 9")
        XCTAssertEqual(
            failure?.message,
            "GET http://api.test/v2/companies/9 answered 404 Not Found: no company 9 (API code 17)")
        XCTAssertEqual(failure?.response?.status, 404)
        XCTAssertEqual(failure?.response?.bodyIsJSON, true)
        XCTAssertEqual(failure?.isRetryable, false)
        client.close()
    }

    func testAFailedStatusWithAnyBodyIsStillThatFailure() throws {
        let client = try client()
        for body in ["", "<html>", "null", "[]", "{\"error\": 3}", "{\"error\": {\"code\": {}}}"] {
            let call = try client.send(.get("companies/9"))
            transport.answer(503, body)
            let failure = failure { _ = try call.wait(milliseconds: 0) }
            XCTAssertEqual(failure?.reason, .http, body)
            XCTAssertEqual(failure?.isRetryable, true)
            XCTAssertNil(failure?.apiCode)
        }
        client.close()
    }

    func testHTMLForJSONIsAMappingErrorThatNamesTheType() throws {
        let client = try client()
        let call = try client.send(.get("companies/1"))
        transport.answer(
            200, "<html>token=hidden</html>",
            headers: [HeaderField(name: "Content-Type", value: "text/html")])
        let failure = failure { _ = try call.wait(milliseconds: 0) }
        XCTAssertEqual(failure?.reason, .mapping)
        XCTAssertEqual(failure?.httpStatus, 200)
        XCTAssertTrue(failure?.message.contains("text/html") ?? false, failure?.message ?? "")
        XCTAssertTrue(failure?.message.contains("<html>token=") ?? false, failure?.message ?? "")
        XCTAssertFalse(failure?.message.contains("hidden") ?? true)
        XCTAssertEqual(try client.store.count(nil), 0)
        client.close()
    }

    func testStrictMappingFailsWithEveryIssueAndStoresNothing() throws {
        let body = #"{"list": [{"id": 1}, {"id": "x", "since": "never", "name": "n"}, 7]}"#
        let lenient = try client()
        let first = try lenient.send(.get("companies"))
        transport.answer(200, body)
        let response = try first.wait(milliseconds: 0)
        XCTAssertEqual(response.issueCount, 3, "\(response.issues)")
        XCTAssertEqual(response.issues.map(\.keyPath).first, "list[1].id")
        let strict = try client { $0.calls.isMappingStrict = true }
        let second = try strict.send(.get("companies"))
        transport.answer(200, body)
        let failure = failure { _ = try second.wait(milliseconds: 0) }
        XCTAssertEqual(failure?.reason, .mapping)
        XCTAssertEqual(failure?.details.count, 3)
        XCTAssertEqual(try strict.store.count(nil), 0)
        lenient.close()
        strict.close()
    }

    func testCancelCompletesAtOnceAndALateAnswerChangesNothing() throws {
        let client = try client()
        let notices = Monitor<[Failure.Reason?]>([])
        let call = try client.send(.get("companies/1")) { _, outcome in
            notices.update { notices in
                switch outcome {
                case .success: notices.append(nil)
                case .failure(let failure): notices.append(failure.reason)
                }
            }
        }
        let started = transport.next()
        call.cancel()
        call.cancel()
        XCTAssertTrue(call.isComplete)
        XCTAssertEqual(failure { _ = try call.wait(milliseconds: 0) }?.reason, .cancelled)
        XCTAssertEqual(transport.cancelledCount, 1)
        started.answer(200, #"{"id": 1}"#)
        let next = try client.send(.get("unknown"))
        transport.answer(200)
        _ = try next.wait(milliseconds: 0)
        let seen: [Failure.Reason?]? = notices.wait { $0.isEmpty ? nil : $0 }
        XCTAssertEqual(seen, [.cancelled])
        XCTAssertEqual(try client.store.count(nil), 0)
        client.close()
    }

    func testWaitingGivesUpAfterItsTimeAndCancelsTheCall() throws {
        let client = try client()
        let call = try client.send(.get("companies/1"))
        // The clock does not run, so the end of the wait is already past for the system's clock.
        let failure = failure { _ = try call.wait(milliseconds: 1) }
        XCTAssertEqual(failure?.reason, .timedOut)
        XCTAssertTrue(call.isComplete)
        XCTAssertEqual(transport.cancelledCount, 1)
        client.close()
    }

    func testAThreadThatWaitsMapsItsAnswerWithoutAWorker() throws {
        let pool = WorkerPool(threadsMax: 1)
        let isHeld = Monitor(true)
        pool.submit { _ = isHeld.wait { $0 ? nil : () } }
        let client = try Client(
            api: try TestAPI.load(), options: ClientOptions(), transport: transport, pool: pool,
            clock: clock)
        let count = Monitor<Int?>(nil)
        XCTAssertTrue(Thread.start("test-waiter") {
            let response = try? client.perform(.get("companies/1"), milliseconds: 0)
            count.update { $0 = response?.objects.count ?? 0 }
        })
        transport.answer(200, #"{"id": 1, "name": "One"}"#, headers: Self.json)
        let limit = SystemClock().now().advanced(milliseconds: 30_000)
        XCTAssertEqual(count.wait(until: limit) { $0 }, 1)
        XCTAssertEqual(try client.store.count(nil), 1)
        isHeld.update { $0 = false }
        client.close()
    }

    func testWaitingInsideANoticeIsRefusedUnlessTheCallIsComplete() throws {
        let client = try client()
        let reasons = Monitor<[Failure.Reason?]>([])
        let other = try client.send(.get("unknown/1"))
        let held = transport.next()
        let call = try client.send(.get("unknown/2")) { call, _ in
            let seen = [other, call].map { call in
                switch Result(catching: { try call.wait(milliseconds: 0) }) {
                case .success: Failure.Reason?.none
                case .failure(let error): (error as? Failure)?.reason
                }
            }
            reasons.update { $0 = seen }
        }
        transport.answer(200)
        _ = try call.wait(milliseconds: 0)
        let seen: [Failure.Reason?]? = reasons.wait { $0.isEmpty ? nil : $0 }
        XCTAssertEqual(seen, [.wouldBlock, nil])
        held.answer(200)
        _ = try other.wait(milliseconds: 0)
        client.close()
    }

    func testCloseCompletesEverythingOnceAndRefusesWhatComesAfter() throws {
        let client = try client()
        let count = Monitor(0)
        let calls = try (0..<50).map { number in
            try client.send(.get("companies/\(number)")) { _, outcome in
                if case .failure(let failure) = outcome, failure.reason == .closed {
                    count.update { $0 += 1 }
                }
            }
        }
        client.close()
        client.close()
        for call in calls {
            XCTAssertEqual(failure { _ = try call.wait(milliseconds: 0) }?.reason, .closed)
        }
        XCTAssertEqual(count.wait { $0 == 50 ? $0 : nil }, 50)
        XCTAssertEqual(failure { _ = try client.send(.get("x")) }?.reason, .closed)
        XCTAssertTrue(transport.isClosed)
    }

    func testNoticesOfAClientKeepTheOrderOfCompletionAndNeverOverlap() throws {
        struct Seen {
            var isRunning = false
            var overlapped = false
            var order: [Int] = []
        }
        let client = try client()
        let seen = Monitor(Seen())
        for number in 0..<200 {
            let call = try client.send(.get("unknown/\(number)")) { _, _ in
                seen.withLock { seen in
                    seen.overlapped = seen.overlapped || seen.isRunning
                    seen.isRunning = true
                }
                seen.update { seen in
                    seen.isRunning = false
                    seen.order.append(number)
                }
            }
            transport.answer(200)
            _ = try call.wait(milliseconds: 0)
        }
        let result: Seen? = seen.wait { $0.order.count == 200 ? $0 : nil }
        XCTAssertEqual(result?.order, Array(0..<200))
        XCTAssertEqual(result?.overlapped, false)
        client.close()
    }

    func testTransportErrorsBecomeFailuresWithTheirCode() throws {
        let client = try client()
        let expected: [(TransportError.Kind, Failure.Reason, Bool)] = [
            (.resolve, .resolve, true), (.connect, .connect, true), (.tls, .tls, false),
            (.timedOut, .timedOut, true), (.connectionLost, .connectionLost, true),
            (.protocolViolation, .protocolViolation, false), (.tooLarge, .tooLarge, false),
        ]
        for (kind, reason, isRetryable) in expected {
            let call = try client.send(.get("companies/1"))
            transport.next().fail(kind)
            let failure = failure { _ = try call.wait(milliseconds: 0) }
            XCTAssertEqual(failure?.reason, reason)
            XCTAssertEqual(failure?.domain, .transport)
            XCTAssertEqual(failure?.transportCode, 7)
            XCTAssertEqual(failure?.isRetryable, isRetryable)
        }
        client.close()
    }

    func testTruncatedGzipIsAnError() throws {
        let client = try client()
        let call = try client.send(.get("companies/1"))
        transport.answer(
            200, "\u{1F}", headers: [HeaderField(name: "Content-Encoding", value: "gzip")])
        let failure = failure { _ = try call.wait(milliseconds: 0) }
        XCTAssertEqual(failure?.reason, .connectionLost)
        client.close()
    }

    func testNothingKeepsACallAliveOnceItIsOver() throws {
        let client = try client()
        weak var forgotten: Call?
        for ending in 0..<3 {
            let call = try client.send(.get("companies/1"))
            forgotten = call
            let isWaiting = Monitor(false)
            let hasWaited = Monitor(false)
            WorkerPool(threadsMax: 1).submit { [weak call] in
                isWaiting.update { $0 = true }
                _ = try? call?.wait(milliseconds: 0)
                hasWaited.update { $0 = true }
            }
            isWaiting.wait { $0 ? () : nil }
            let started = transport.next()
            switch ending {
            case 0: started.answer(200, #"{"id": 1}"#)
            case 1: call.cancel()
            default: started.fail(.connect)
            }
            _ = try? call.wait(milliseconds: 0)
            hasWaited.wait { $0 ? () : nil }
            if ending == 1 { started.answer(200, #"{"id": 1}"#) }
        }
        client.close()
        // The thread that ended the last call may still hold a reference.
        let deadline = SystemClock().now().advanced(milliseconds: 10_000)
        while forgotten != nil, SystemClock().now() < deadline {}
        XCTAssertNil(forgotten)
    }
}
