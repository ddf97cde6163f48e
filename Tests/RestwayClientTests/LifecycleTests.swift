import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// The life of calls, as observers see it.
final class LifecycleTests: AuthTestCase {
    private let log = LifecycleLog()
    private static let list = #"{"list": [{"id": 1}]}"#

    func testACallIsToldFromItsBeginningToItsEnd() throws {
        let client = try client(auth: "{}")
        try client.observeCalls(log)
        let call = try client.send(.get("things?token=secret")) { [log] _, _ in log.note("done") }
        let started = transport.next()
        XCTAssertTrue(started.observer.wantsProgress)
        started.observer.progressed(
            uploaded: 0, uploadTotal: 0, downloaded: 5, downloadTotal: 20)
        log.wait(for: 3)
        started.answer(200, Self.list)
        XCTAssertEqual(
            log.words(of: call), ["willBegin", "didBegin", "downloaded", "willMap", "didSucceed"])
        XCTAssertEqual(log.words.suffix(2), ["done", "didSucceed"])
        let first = try XCTUnwrap(log.infos.first)
        XCTAssertEqual(first.id, call.id)
        XCTAssertNil(first.route)
        XCTAssertEqual(first.method, "GET")
        XCTAssertEqual(first.url, "http://api.test/v1/things?token=[redacted]")
        XCTAssertEqual(first.stage, "start")
        XCTAssertEqual(first.traits, [])
        XCTAssertEqual(
            log.infos.map(\.stage), ["start", "exchange", "exchange", "parse", "deliver"])
    }

    func testEachExchangeIsToldWithItsAttempt() throws {
        let client = try client(
            auth: "{}", retry: #"{"attempts": 2, "baseMilliseconds": 100}"#)
        try client.observeCalls(log)
        let call = try client.send(.get("things"))
        transport.answer(302, redirectURL: "http://api.test/v1/moved")
        transport.answer(503)
        _ = advanceToNext()
        transport.answer(404)
        _ = failure(of: call)
        XCTAssertEqual(
            log.words(of: call),
            ["willBegin", "didBegin", "didBegin", "didBegin 2", "didFail http"])
    }

    func testAReplayIsAnotherExchange() throws {
        let client = try client(refreshes: true)
        try client.observeCalls(log)
        let call = try client.send(.get("things"))
        transport.answer(401)
        nextRefresh().succeedOrFail(token("t2"))
        transport.answer(200, Self.list)
        XCTAssertEqual(
            log.words(of: call),
            ["willBegin", "didBegin", "didBegin 2", "willMap", "didSucceed"])
    }

    func testTheBodyOfAFailureThatBecomesObjectsIsTold() throws {
        let client = try client(auth: "{}")
        try client.observeCalls(log)
        let call = try client.send(.get("things"))
        transport.answer(404, #"{"seen": [{"id": 1}]}"#)
        XCTAssertEqual(
            log.words(of: call), ["willBegin", "didBegin", "willMap", "didFail http"])
    }

    func testACancelAndACloseEndACall() throws {
        let client = try client(auth: "{}")
        try client.observeCalls(log)
        let cancelled = try client.send(.get("things"))
        _ = transport.next()
        cancelled.cancel()
        XCTAssertEqual(log.words(of: cancelled), ["willBegin", "didBegin", "didCancel cancelled"])
        let closed = try client.send(.get("things"))
        _ = transport.next()
        client.close()
        XCTAssertEqual(log.words(of: closed), ["willBegin", "didBegin", "didFail closed"])
        log.waitUntilEnded()
        XCTAssertEqual(log.endCount, 1)
        XCTAssertEqual(try refused(client, log), .closed)
    }

    func testACallThatIsNeverSentDoesNotBeginAnExchange() throws {
        let client = try client(auth: "{}")
        try client.setModifier { _ in .failure(Failure(.invalidArgument, "no")) }
        try client.observeCalls(log)
        let call = try client.send(.get("things"))
        XCTAssertEqual(log.words(of: call), ["willBegin", "didFail invalidArgument"])
    }

    func testARequestThatCannotBeMadeIsNoCall() throws {
        let client = try client(auth: "{}")
        try client.observeCalls(log)
        XCTAssertNotNil(refusal { _ = try client.send(.route("nothing")) })
        XCTAssertEqual(log.words, [])
    }

    // MARK: Observers

    private func refused(
        _ client: Client, _ log: LifecycleLog, _ routes: [String]? = nil
    ) throws -> Failure.Reason? {
        refusal { try client.observeCalls(log) { $0.routes = routes } }?.reason
    }

    func testAnObserverReceivesTheKindsAndRoutesThatItWants() throws {
        let client = try client(auth: "{}")
        let ends = LifecycleLog()
        let pings = LifecycleLog()
        try client.observeCalls(ends) {
            $0.kinds = LifecycleKind.didSucceed.bit | LifecycleKind.didFail.bit
        }
        try client.observeCalls(pings) { $0.routes = ["ping"] }
        let ping = try client.send(.route("ping"))
        XCTAssertFalse(transport.waitingCount > 1)
        transport.answer(200)
        XCTAssertEqual(pings.words(of: ping), ["willBegin", "didBegin", "didSucceed"])
        XCTAssertEqual(pings.infos.map(\.route), ["ping", "ping", "ping"])
        let other = try client.send(.get("ping"))
        transport.answer(500)
        XCTAssertEqual(ends.words(of: other), ["didFail http"])
        XCTAssertEqual(ends.words, ["didSucceed", "didFail http"])
        XCTAssertEqual(pings.words.count, 3)
    }

    func testAnUnknownRouteIsRefusedWithASuggestion() throws {
        let client = try client(auth: "{}")
        let failure = refusal { try client.observeCalls(log) { $0.routes = ["pin"] } }
        XCTAssertEqual(failure?.reason, .unknownRoute)
        XCTAssertEqual(failure?.message, "there is no route \"pin\"; did you mean \"ping\"?")
    }

    func testARemovedObserverIsNotToldAnyMore() throws {
        let client = try client(auth: "{}")
        let other = LifecycleLog()
        let observer = try client.observeCalls(log)
        try client.observeCalls(other)
        let call = try client.send(.get("things"))
        let started = transport.next()
        other.wait(for: 2)
        client.calls.lifecycle.remove(observer)
        XCTAssertEqual(log.endCount, 1)
        started.answer(200)
        XCTAssertEqual(other.words(of: call), ["willBegin", "didBegin", "didSucceed"])
        XCTAssertEqual(log.words, ["willBegin", "didBegin"])
    }

    func testACallWithoutObserversHasNothingOfThem() throws {
        let client = try client(auth: "{}")
        let call = try client.send(.get("things"))
        let started = transport.next()
        XCTAssertFalse(started.observer.wantsProgress)
        XCTAssertNil(call.state.withLock { $0.lifecycle })
        // An observer learns only of calls that begin later.
        try client.observeCalls(log)
        started.answer(200)
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(log.words, [])
    }

    // MARK: Progress

    func testProgressIsJoinedAndItsEndIsTold() throws {
        let client = try client(auth: "{}")
        try client.observeCalls(log) { $0.progressIntervalMilliseconds = 10 }
        var spec = RequestSpec(target: .path(.put, "things"))
        spec.given.body = .init(
            bytes: Array(repeating: 0, count: 100), mediaType: "application/octet-stream")
        let call = try client.send(spec) { _, _ in }
        let started = transport.next()
        func upload(_ done: Int64) {
            started.observer.progressed(
                uploaded: done, uploadTotal: 100, downloaded: 0, downloadTotal: 0)
        }
        upload(10)
        log.wait(for: 3)
        // The interval has not passed.
        upload(20)
        upload(30)
        clock.advance(milliseconds: 10)
        upload(40)
        log.wait(for: 4)
        started.answer(200)
        XCTAssertEqual(
            log.words(of: call),
            ["willBegin", "didBegin", "uploaded", "uploaded", "uploaded", "didSucceed"])
        XCTAssertEqual(log.progress.map(\.upload.done), [10, 40, 100])
    }

    func testAnObserverWithoutProgressLeavesTheTransportAlone() throws {
        let client = try client(auth: "{}")
        try client.observeCalls(log) { $0.kinds = LifecycleKind.didSucceed.bit }
        let call = try client.send(.get("things"))
        let started = transport.next()
        XCTAssertFalse(started.observer.wantsProgress)
        started.answer(200)
        XCTAssertEqual(log.words(of: call), ["didSucceed"])
    }

    // MARK: Too slow

    private func slow(_ milliseconds: Int64?) -> RequestSpec {
        var spec = RequestSpec.get("things")
        spec.timeouts.tooSlowMilliseconds = milliseconds
        return spec
    }

    func testACallIsTooSlowOnceAfterItsAge() throws {
        let client = try client(auth: "{}")
        try client.observeCalls(log)
        let call = try client.send(slow(4_000))
        let started = transport.next()
        clock.advance(milliseconds: 3_999)
        XCTAssertEqual(clock.nextMilliseconds, 1)
        clock.advance(milliseconds: 1)
        log.wait(for: 3)
        clock.advance(milliseconds: 10_000)
        started.answer(200)
        XCTAssertEqual(log.words(of: call), ["willBegin", "didBegin", "tooSlow", "didSucceed"])
        XCTAssertEqual(log.infos[2].ageMicroseconds, 4_000_000)
    }

    func testACallThatEndsInTimeIsNotTooSlow() throws {
        let client = try client(auth: "{}")
        try client.observeCalls(log)
        let call = try client.send(slow(4_000))
        XCTAssertEqual(clock.nextMilliseconds, 4_000)
        transport.answer(200)
        XCTAssertEqual(log.words(of: call), ["willBegin", "didBegin", "didSucceed"])
        while clock.nextMilliseconds != nil { sched_yield() }
    }

    func testNoTimerIsSetForAnObserverThatDoesNotWantIt() throws {
        let client = try client(auth: "{}")
        try client.observeCalls(log) { $0.kinds = LifecycleKind.didSucceed.bit }
        _ = try client.send(slow(4_000))
        transport.answer(200)
        log.wait(for: 1)
        XCTAssertNil(clock.nextMilliseconds)
    }

    func testTheRequestBeatsTheRouteAndTheRouteTheClient() throws {
        let document = """
            {"restway": 1, "environments": {"test": {
                "baseURL": "http://api.test/v1", "tooSlowMilliseconds": 1}},
             "routes": {"slow": {"path": "slow", "tooSlowMilliseconds": 3},
                        "never": {"path": "never", "tooSlowMilliseconds": -1},
                        "plain": {"path": "plain"}}}
            """
        for (ofClient, ofEnvironment) in [(Int64?.none, Int64(1)), (2, 2)] {
            var options = ClientOptions()
            options.timeouts.tooSlowMilliseconds = ofClient
            let client = try Client(
                api: try TestAPI.load(document), options: options, transport: transport,
                clock: clock)
            func limit(_ spec: RequestSpec) throws -> Int64? {
                try client.calls.makeCall(spec).request?.exchange.timeouts.tooSlowMilliseconds
            }
            XCTAssertEqual(try limit(.route("plain")), ofEnvironment)
            XCTAssertEqual(try limit(.route("slow")), 3)
            XCTAssertEqual(try limit(.route("never")), 0)
            var spec = RequestSpec.route("slow")
            spec.timeouts.tooSlowMilliseconds = 4
            XCTAssertEqual(try limit(spec), 4)
            client.close()
        }
    }

    // MARK: Schedules

    func testRandomSchedulesOfRealCallsTellTheirEventsInOrder() throws {
        let client = try client(
            auth: "{}",
            retry: #"{"attempts": 3, "baseMilliseconds": 100, "budget": 1000000}"#)
        try client.observeCalls(log)
        var random = SystemRandomNumberGenerator()
        var calls: [Call] = []
        for _ in 0..<300 {
            let call = try client.send(.get("things"))
            calls.append(call)
            while !call.isComplete {
                let started = transport.next()
                switch Int.random(in: 0..<8, using: &random) {
                case 0: started.answer(302, redirectURL: "http://api.test/v1/things")
                case 1: started.answer(404)
                case 2: call.cancel()
                case 3:
                    started.observer.progressed(
                        uploaded: 0, uploadTotal: 0, downloaded: 3, downloadTotal: 9)
                    started.answer(200, Self.list)
                case 4: started.answer(200, "no JSON")
                case 5: started.fail(.connectionLost)
                default: started.answer(503)
                }
                endOfTurn(call, &random)
            }
        }
        let last = try client.send(.get("things"))
        _ = transport.next()
        client.close()
        XCTAssertEqual(log.words(of: last), ["willBegin", "didBegin", "didFail closed"])
        for call in calls { check(log.words(of: call)) }
    }

    /// Waits until a call has ended, waits for its next attempt or has sent its request again; lets
    /// a call that waits go on, or cancels it.
    private func endOfTurn(_ call: Call, _ random: inout SystemRandomNumberGenerator) {
        while !call.isComplete, transport.waitingCount == 0 {
            // A wait of 0 ms has no timer.
            guard call.state.withLock({ $0.journey.stage.name }) == "wait",
                let milliseconds = clock.nextMilliseconds
            else {
                sched_yield()
                continue
            }
            if Int.random(in: 0..<8, using: &random) == 0 {
                call.cancel()
            } else {
                clock.advance(milliseconds: milliseconds)
            }
        }
    }

    private func check(_ words: [String]) {
        let letters = words.map { word -> String in
            switch word.split(separator: " ").first {
            case "willBegin": "B"
            case "didBegin": "D"
            case "downloaded": "W"
            case "willMap": "M"
            case "didSucceed", "didFail", "didCancel": "E"
            default: "?"
            }
        }.joined()
        XCTAssertNotNil(letters.wholeMatch(of: /B(DW*)*M?E/), "\(words)")
    }
}
