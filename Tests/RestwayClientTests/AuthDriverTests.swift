import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayAuth
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

final class AuthDriverTests: AuthTestCase {
    func testConcurrent401sShareOneRefreshAndReplayInArrivalOrder() throws {
        let client = try client(refreshes: true)
        let calls = try (0..<50).map { try client.send(.get("things/\($0)")) }
        let sent = calls.map { _ in transport.next() }
        for started in sent.reversed() {
            XCTAssertEqual(authorization(started.exchange), "Bearer t1")
            started.answer(401)
        }
        let refresh = nextRefresh()
        let late = try client.send(.get("things/50"))
        // All calls have got their 401 before the refresh ends.
        while client.auth.waitingCount < 51 { sched_yield() }
        XCTAssertEqual(transport.waitingCount, 0)
        XCTAssertTrue(try refresh.succeed(token("t2")))
        for number in 0...50 {
            let exchange = transport.answer(200)
            XCTAssertEqual(exchange.url, "http://api.test/v1/things/\(number)")
            XCTAssertEqual(authorization(exchange), "Bearer t2")
        }
        for call in calls {
            let response = try call.wait(milliseconds: 0)
            XCTAssertEqual(response.attempts.map(\.reason), [.first, .replay])
            XCTAssertEqual(response.attempts.map(\.httpStatus), [401, 200])
        }
        XCTAssertEqual(try late.wait(milliseconds: 0).attempts.map(\.reason), [.first])
        XCTAssertTrue(refreshes.withLock(\.isEmpty), "one refresh")
        XCTAssertEqual(persisted.withLock { $0.map(\.token) }, [Secret("t2")])
    }

    func testAReplayStartsBeforeTheRedirects() throws {
        let client = try client(refreshes: true)
        let call = try client.send(.get("things/1"))
        let first = transport.answer(307, redirectURL: "http://api.test/v1/blob?1").url
        transport.answer(401)
        XCTAssertTrue(try nextRefresh().succeed(token("t2")))
        let again = transport.answer(307, redirectURL: "http://api.test/v1/blob?2")
        XCTAssertEqual(again.url, first)
        XCTAssertEqual(authorization(again), "Bearer t2")
        XCTAssertEqual(transport.answer(200).url, "http://api.test/v1/blob?2")
        _ = try call.wait(milliseconds: 0)
    }

    func testAFinalFailureOfARefreshTellsEveryoneItsReasonAndIsRemembered() throws {
        let client = try client(refreshes: true)
        let calls = try (0..<3).map { _ in try client.send(.get("things")) }
        for _ in calls { transport.answer(401) }
        XCTAssertTrue(nextRefresh().fail("the user has logged out", isFinal: true))
        for call in calls {
            let failure = failure(of: call)
            XCTAssertEqual(failure?.reason, .auth)
            XCTAssertEqual(failure?.domain, .auth)
            XCTAssertTrue(failure?.message.contains("the user has logged out") == true)
            XCTAssertEqual(failure?.attempts.map(\.httpStatus), [401, 0])
        }
        XCTAssertEqual(failure(of: try client.send(.get("things")))?.reason, .auth)
        XCTAssertEqual(transport.waitingCount, 0)
        try client.setCredential(token("t9"))
        let call = try client.send(.get("things"))
        XCTAssertEqual(authorization(transport.answer(200)), "Bearer t9")
        _ = try call.wait(milliseconds: 0)
    }

    func testAfterAFailureForTheTimeBeingTheNextCallRefreshesAgainInASecond() throws {
        let client = try client(refreshes: true)
        let cause = Cause()
        let calls = try (0..<3).map { _ in try client.send(.get("things")) }
        for _ in calls { transport.answer(401) }
        let refresh = nextRefresh()
        while client.auth.waitingCount < calls.count { sched_yield() }
        XCTAssertTrue(refresh.fail("no network", isFinal: false, cause: cause))
        let late = try client.send(.get("things"))
        for call in calls + [late] {
            let failure = failure(of: call)
            XCTAssertEqual(failure?.reason, .auth)
            XCTAssertEqual(failure?.isRetryable, true)
            XCTAssertTrue(failure?.message.contains("no network") == true)
            XCTAssertTrue(failure?.cause === cause)
        }
        clock.advance(milliseconds: 999)
        XCTAssertEqual(failure(of: try client.send(.get("things")))?.reason, .auth)
        XCTAssertTrue(refreshes.withLock(\.isEmpty), "no refresh is asked for within a second")
        clock.advance(milliseconds: 1)
        let call = try client.send(.get("things"))
        nextRefresh().succeedOrFail(token("t2"))
        XCTAssertEqual(authorization(transport.answer(200)), "Bearer t2")
        _ = try call.wait(milliseconds: 0)
    }

    func testACredentialIsCheckedWhereverItEnters() throws {
        let basic = try client(auth: #"{"scheme": "basic", "user": "ann", "password": "x"}"#)
        let bearer = try client(refreshes: true)
        var named = Credential()
        named.user = "a:b"
        named.token = Secret("t1")
        let refused = refusal { try basic.setCredential(named) }
        XCTAssertEqual(refused?.reason, .invalidArgument)
        XCTAssertEqual(refused?.field, "credential.user")
        XCTAssertNoThrow(try bearer.setCredential(named), "no scheme of it joins the two")
        named.user = "ann"
        named.password = Secret("a\u{7}b")
        XCTAssertEqual(
            refusal { try basic.setCredential(named) }?.field, "credential.password")
        let bad = token("t\r\nX-Evil: 1")
        let message = refusal { try bearer.setCredential(bad) }?.message
        XCTAssertEqual(
            message, "credential.token holds a character that a header value may not have")
        let call = try bearer.send(.get("things"))
        XCTAssertEqual(authorization(transport.answer(401)), "Bearer t1")
        let refresh = nextRefresh()
        XCTAssertEqual(refusal { _ = try refresh.succeed(bad) }?.field, "credential.token")
        XCTAssertTrue(try refresh.succeed(token("t2")), "the refresh has gone on")
        XCTAssertEqual(authorization(transport.answer(200)), "Bearer t2")
        _ = try call.wait(milliseconds: 0)
    }

    func testA401AfterTheReplayIsTheAnswerAndItsBodyIsMapped() throws {
        let client = try client(refreshes: true)
        let call = try client.send(.get("things"))
        let body = #"{"error": {"code": 7, "text": "no"}, "seen": [{"id": 4}]}"#
        transport.answer(401, body)
        nextRefresh().succeedOrFail(token("t2"))
        transport.answer(401, body)
        let failure = failure(of: call)
        XCTAssertEqual(failure?.reason, .http)
        XCTAssertEqual(failure?.apiCode, "7")
        XCTAssertEqual(failure?.response?.objects.count, 1)
        XCTAssertEqual(failure?.response?.attempts.map(\.apiCode), ["7", "7"])
        XCTAssertEqual(try client.store.count(nil), 1)
    }

    func testAnswersThatLeadToAReplayLeaveTheStoreAsItIs() throws {
        let client = try client(refreshes: true)
        let call = try client.send(.get("things"))
        transport.answer(401, #"{"seen": [{"id": 4}]}"#)
        nextRefresh().succeedOrFail(token("t2"))
        transport.answer(200, #"{"list": []}"#)
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(try client.store.count(nil), 0)
    }

    func testTheHostRecognisesADeadCredentialByTheAPIsOwnCode() throws {
        let client = try client(refreshes: true)
        try client.setAuthFunctions { functions in
            functions.shouldReplay = { $0.httpStatus == 400 && $0.apiCode == "4" }
        }
        let other = try client.send(.get("things"))
        transport.answer(400, #"{"error": {"code": 5}}"#)
        XCTAssertEqual(failure(of: other)?.apiCode, "5")
        let call = try client.send(.get("things"))
        transport.answer(400, #"{"error": {"code": 4}}"#)
        nextRefresh().succeedOrFail(nil)
        transport.answer(200)
        _ = try call.wait(milliseconds: 0)
    }

    func testTheDocumentRecognisesADeadCredentialToo() throws {
        let client = try client(
            auth: """
                {"scheme": "bearer", "token": "t1", "replay": {"status": [419], "codes": ["4"]}}
                """, refreshes: true)
        for body in [(419, "{}"), (400, #"{"error": {"code": 4}}"#)] {
            let call = try client.send(.get("things"))
            transport.answer(body.0, body.1)
            nextRefresh().succeedOrFail(token("t2"))
            transport.answer(200)
            _ = try call.wait(milliseconds: 0)
        }
        let call = try client.send(.get("things"))
        transport.answer(401)
        XCTAssertEqual(failure(of: call)?.httpStatus, 401)
    }

    func testAWaitingCallCanBeCancelledAndIsNeverSent() throws {
        let client = try client(refreshes: true)
        let first = try client.send(.get("things/1"))
        transport.answer(401)
        let refresh = nextRefresh()
        let second = try client.send(.get("things/2"))
        first.cancel()
        XCTAssertEqual(failure(of: first)?.reason, .cancelled)
        XCTAssertTrue(try refresh.succeed(token("t2")))
        XCTAssertEqual(transport.answer(200).url, "http://api.test/v1/things/2")
        _ = try second.wait(milliseconds: 0)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testARefreshThatNeverEndsRunsIntoItsTimeOut() throws {
        let client = try client(
            auth: """
                {"scheme": "bearer", "token": "t1", "refresh": {"timeoutMilliseconds": 2000}}
                """, refreshes: true)
        let call = try client.send(.get("things"))
        transport.answer(401)
        let refresh = nextRefresh()
        clock.advance(milliseconds: 1_999)
        XCTAssertFalse(call.isComplete)
        clock.advance(milliseconds: 1)
        XCTAssertTrue(failure(of: call)?.message.contains("within 2000 ms") == true)
        XCTAssertFalse(try refresh.succeed(token("t2")), "it is over")
    }

    func testTheTimeOutOfACallHoldsWhileItWaits() throws {
        let client = try client(refreshes: true)
        var spec = RequestSpec.get("things")
        spec.timeouts.totalMilliseconds = 500
        let call = try client.send(spec)
        transport.answer(401)
        let refresh = nextRefresh()
        while client.auth.waitingCount < 1 { sched_yield() }
        clock.advance(milliseconds: 500)
        let failure = failure(of: call)
        XCTAssertEqual(failure?.reason, .timedOut)
        XCTAssertEqual(failure?.isRetryable, true)
        XCTAssertTrue(try refresh.succeed(token("t2")))
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testClosingCompletesWhoWaitsAndARefreshThatIsUnderWayIsOver() throws {
        let client = try client(refreshes: true)
        let calls = try (0..<5).map { _ in try client.send(.get("things")) }
        for _ in calls { transport.answer(401) }
        let refresh = nextRefresh()
        client.close()
        for call in calls { XCTAssertEqual(failure(of: call)?.reason, .closed) }
        XCTAssertFalse(try refresh.succeed(token("t2")))
        XCTAssertFalse(refresh.fail("late", isFinal: false))
        XCTAssertEqual(persisted.withLock(\.count), 0)
    }

    func testADroppedRefreshHasFailed() throws {
        let client = try client(refreshes: true)
        let call = try client.send(.get("things"))
        transport.answer(401)
        _ = refreshes.wait { $0.isEmpty ? nil : $0.removeFirst() }
        XCTAssertTrue(failure(of: call)?.message.contains("dropped") == true)
    }

    func testACredentialThatIsSetMeanwhileOvertakesTheRefresh() throws {
        let client = try client(refreshes: true)
        let call = try client.send(.get("things"))
        transport.answer(401)
        let refresh = nextRefresh()
        try client.setCredential(token("t9"))
        XCTAssertEqual(authorization(transport.answer(200)), "Bearer t9")
        _ = try call.wait(milliseconds: 0)
        XCTAssertFalse(try refresh.succeed(token("t2")))
        let next = try client.send(.get("things"))
        XCTAssertEqual(authorization(transport.answer(200)), "Bearer t9")
        _ = try next.wait(milliseconds: 0)
    }

    func testRequestsOfTheRefreshItselfNeitherWaitNorReplay() throws {
        let client = try client(refreshes: true)
        let call = try client.send(.get("things"))
        transport.answer(401)
        let refresh = nextRefresh()
        let login = try client.send(.route("login"))
        XCTAssertNil(authorization(transport.answer(401)))
        XCTAssertEqual(failure(of: login)?.httpStatus, 401)
        let ping = try client.send(.route("ping"))
        XCTAssertEqual(authorization(transport.answer(200)), "Bearer t1")
        _ = try ping.wait(milliseconds: 0)
        var spec = RequestSpec.get("things")
        spec.sending.authMode = AuthMode.none
        let bare = try client.send(spec)
        XCTAssertNil(authorization(transport.answer(200)))
        _ = try bare.wait(milliseconds: 0)
        XCTAssertTrue(try refresh.succeed(token("t2")))
        transport.answer(200)
        _ = try call.wait(milliseconds: 0)
    }

    func testAuthorizeIsAskedForEverySendAfterAllOtherHeaders() throws {
        let client = try client(auth: #"{"scheme": "apiKey", "header": "X-Key", "token": "k"}"#)
        let asked = Lock<[Int]>([])
        try client.setAuthFunctions { functions in
            functions.authorize = { exchange in
                asked.withLock { $0.append(exchange.attempt) }
                XCTAssertEqual(Headers(exchange.headers)[first: "X-Key"], "k")
                exchange.headers.set("X-Signature", "\(exchange.attempt)")
                exchange.addParameter("n", "\(exchange.attempt)")
                return nil
            }
            functions.refresh = { $0.succeedOrFail(nil) }
        }
        let call = try client.send(.get("things?a=1"))
        XCTAssertEqual(transport.answer(401).url, "http://api.test/v1/things?a=1&n=1")
        let second = transport.answer(200)
        XCTAssertEqual(second.url, "http://api.test/v1/things?a=1&n=2")
        XCTAssertEqual(Headers(second.headers)[first: "X-Signature"], "2")
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(asked.withLock { $0 }, [1, 2])
    }

    func testAnAuthorizeFunctionThatRefusesEndsTheCall() throws {
        let client = try client(auth: "{}")
        try client.setAuthFunctions { functions in
            functions.authorize = { _ in Failure(.cancelled, "not now") }
        }
        XCTAssertEqual(failure(of: try client.send(.get("things")))?.message, "not now")
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testCredentialsGoToTrustedOriginsOnlyAlsoAfterRedirects() throws {
        let client = try client()
        let call = try client.send(.get("things"))
        let first = transport.answer(302, redirectURL: "http://friend.test/a")
        XCTAssertEqual(authorization(first), "Bearer t1")
        let second = transport.answer(302, redirectURL: "http://evil.test/b")
        XCTAssertEqual(authorization(second), "Bearer t1")
        XCTAssertNil(authorization(transport.answer(200)))
        _ = try call.wait(milliseconds: 0)
        var spec = RequestSpec.route("elsewhere")
        spec.variables = ["baseURL": .value(.string("http://evil.test"))]
        let other = try client.send(spec)
        XCTAssertNil(authorization(transport.answer(200)))
        _ = try other.wait(milliseconds: 0)
    }

    func testAHeaderThatTheRequestSetsItselfStands() throws {
        let client = try client()
        var spec = RequestSpec.get("things")
        spec.headers = [("authorization", "Mine")]
        let call = try client.send(spec)
        XCTAssertEqual(authorization(transport.answer(401)), "Mine")
        XCTAssertEqual(failure(of: call)?.httpStatus, 401)
    }

    func testWithoutAnyoneToRefreshA401IsAnAnswerLikeAnyOther() throws {
        let client = try client()
        let call = try client.send(.get("things"))
        transport.answer(401)
        XCTAssertEqual(failure(of: call)?.reason, .http)
        XCTAssertEqual(transport.waitingCount, 0)
    }
}

/// A cause that a program attaches to the failure of a refresh.
private final class Cause: HostCause {
    var pointer: UnsafeMutableRawPointer? { nil }
}

extension RefreshTicket {
    func succeedOrFail(_ credential: Credential?) {
        XCTAssertTrue(try succeed(credential))
    }
}
