import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayAuth
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Answers of the cache on their way through a call.
final class CacheHitTests: CacheTestCase {
    func testAnAnswerIsKeptAndThenGivenWithoutAnExchange() throws {
        let client = try client()
        let first = try client.send(.get("things"))
        transport.answer(200, Self.list)
        let stored = try first.wait(milliseconds: 0)
        XCTAssertEqual(stored.cache.state, .stored)
        XCTAssertEqual(stored.objects.count, 1)
        let hit = try client.perform(.get("things"), milliseconds: 0)
        XCTAssertEqual(hit.cache, CacheNote(.hit, ageSeconds: 3, lifetimeSeconds: 9))
        XCTAssertTrue(hit.objects[0] === stored.objects[0])
        XCTAssertEqual(hit.status, 200)
        XCTAssertEqual(transport.waitingCount, 0)
        XCTAssertEqual(cache.lookups, ["GET \(Self.url)", "GET \(Self.url)"])
    }

    func testAHitIsDeliveredLikeAnyOtherAnswerAndTakesNoExchange() throws {
        let client = try client(retry: #"{"attempts": 3}"#)
        keep()
        let told = Monitor<[Int]>([])
        let call = try client.send(.get("things")) { _, outcome in
            if case .success(let response) = outcome {
                told.update { $0.append(response.objects.count) }
            }
        }
        let response = try call.wait(milliseconds: 0)
        XCTAssertNotNil(told.wait { $0.isEmpty ? nil : () })
        XCTAssertEqual(told.withLock { $0 }, [1])
        XCTAssertNil(response.timings.exchange)
        XCTAssertNil(response.timings.queued)
        XCTAssertNotNil(response.timings.total)
        XCTAssertNotNil(response.timings.map)
    }

    func testAHitReportsItsProgressOnce() throws {
        let client = try client()
        keep()
        let told = Monitor<[CallProgress]>([])
        let ended = Monitor(false)
        var spec = RequestSpec.get("things")
        spec.reception.progress = ProgressRequest(intervalMilliseconds: 0) { _, progress in
            told.update { $0.append(progress) }
        }
        _ = try client.send(spec) { _, _ in ended.update { $0 = true } }
        ended.wait { $0 ? () : nil }
        let all = told.withLock { $0 }
        XCTAssertEqual(all.count, 1)
        let count = Int64(Self.list.utf8.count)
        XCTAssertEqual(all.first?.download, .init(done: count, total: count))
        XCTAssertEqual(all.first?.mapping, .init(done: 1, total: 1))
        XCTAssertEqual(all.first?.fraction, 1)
    }

    func testAHitAsksNoAuthorizeFunctionAndWaitsForNoCredential() throws {
        let client = try client(auth: #"{"scheme": "bearer"}"#)
        let asked = Monitor(0)
        try client.setAuthFunctions { functions in
            functions.authorize = { _ in
                asked.update { $0 += 1 }
                return nil
            }
            functions.refresh = { _ in asked.update { $0 += 1 } }
        }
        keep()
        cache.state.withLock { $0.discriminator = "ann" }
        let response = try client.perform(.get("things"), milliseconds: 0)
        XCTAssertEqual(response.cache.state, .hit)
        XCTAssertEqual(asked.withLock { $0 }, 0)
    }

    func testTheFileIsReadOnAWorkerOrOnTheThreadThatWaits() throws {
        let client = try client()
        keep()
        cache.state.withLock { $0.isInFile = true }
        let call = try client.send(.get("things"))
        XCTAssertEqual(try call.wait(milliseconds: 0).cache.state, .hit)
        XCTAssertEqual(
            try client.perform(.get("things"), milliseconds: 0).cache.state, .hit)
        let threads = cache.state.withLock { $0.threadsInFile }
        XCTAssertEqual(threads.count, 2)
        XCTAssertEqual(pthread_equal(threads[1], pthread_self()), 1)
    }

    func testWhatIsNotThereIsNoErrorAndTheNetworkIsNotUsed() throws {
        let with = try client()
        var spec = RequestSpec.get("things")
        spec.reception.caching.mode = .only
        let without = try Client(api: with.api, options: ClientOptions(), transport: transport)
        for client in [with, without] {
            for target in [RequestSpec.Target.path(.get, "things"), .path(.post, "things")] {
                spec.target = target
                let response = try client.perform(spec, milliseconds: 0)
                XCTAssertEqual(response.status, 0)
                XCTAssertEqual(response.cache.state, .missing)
                XCTAssertEqual(response.objects.count, 0)
                XCTAssertEqual(response.bodyCount, 0)
                XCTAssertNil(response.httpVersion)
            }
        }
        XCTAssertEqual(transport.waitingCount, 0)
        XCTAssertEqual(cache.lookups, ["GET \(Self.url)"])
        without.close()
    }

    func testAKeptFailureIsTheFailureOfTheCallAndIsNotTriedAgain() throws {
        let client = try client(
            auth: #"{"scheme": "bearer", "token": "t1"}"#, retry: #"{"attempts": 3}"#)
        for status in [401, 404, 503] {
            keep(#"{"error": "as kept"}"#, status)
            let failure = failure(of: try client.send(.get("things")))
            XCTAssertEqual(failure?.httpStatus, status)
            XCTAssertEqual(failure?.apiMessage, "as kept")
            XCTAssertEqual(failure?.response?.cache.state, .hit)
        }
        XCTAssertEqual(transport.waitingCount, 0)
        XCTAssertNil(clock.nextMilliseconds)
    }

    func testAKeptRedirectIsFollowedAndEachHopAsksTheCache() throws {
        let client = try client()
        keep("", 301, headers: [HeaderField(name: "Location", value: "others?a=1#part")])
        let call = try client.send(.get("things"))
        let exchange = transport.answer(200, "[]")
        XCTAssertEqual(exchange.url, "http://api.test/v1/others?a=1")
        XCTAssertEqual(try call.wait(milliseconds: 0).url, "http://api.test/v1/others?a=1")
        XCTAssertEqual(
            cache.lookups, ["GET \(Self.url)", "GET http://api.test/v1/others?a=1"])
        let again = try client.perform(.get("things"), milliseconds: 0)
        XCTAssertEqual(again.cache.state, .hit)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testKeptRedirectsInACircleEnd() throws {
        let client = try client()
        keep("", 301, headers: [HeaderField(name: "Location", value: "things")])
        XCTAssertEqual(failure(of: try client.send(.get("things")))?.reason, .tooManyRedirects)
    }

    func testARequestKeepsTheDiscriminatorAndTheHolderWithWhichItStarted() throws {
        let client = try client(auth: #"{"scheme": "bearer", "token": "t1"}"#)
        cache.state.withLock { $0.discriminator = "ann" }
        let plan = try client.calls.makeCall(.get("things")).request?.sending.caching
        cache.state.withLock { state in
            state.discriminator = "bob"
            state.holder = 2
        }
        XCTAssertEqual(plan?.discriminator, "ann")
        XCTAssertEqual(plan?.holder, 1)
        XCTAssertNil(plan?.redirected(isTrusted: false).holder)
        XCTAssertEqual(
            plan?.redirected(isTrusted: false).redirected(isTrusted: true).holder, 1)
        var spec = RequestSpec.get("things")
        spec.sending.authMode = AuthMode.none
        spec.reception.caching.lifetimeSeconds = 7
        let other = try client.calls.makeCall(spec).request?.sending.caching
        XCTAssertEqual(other?.discriminator, "bob")
        XCTAssertNil(other?.holder)
        XCTAssertEqual(other?.rules.lifetimeSeconds, 7)
    }

    func testACredentialThatTheCallerGivesIsAHolderOfItsOwn() throws {
        for auth in ["{}", #"{"scheme": "bearer", "token": "t1"}"#] {
            let client = try client(auth: auth)
            let holders = try ["Bearer a", "Bearer b", "Bearer a"].map { value in
                var spec = RequestSpec.get("things")
                spec.headers = [("authorization", value), ("X-Other", value)]
                return try XCTUnwrap(
                    client.calls.makeCall(spec).request?.sending.caching?.holder)
            }
            XCTAssertEqual(holders[0], holders[2])
            XCTAssertEqual(Set(holders + [cache.owner.holder]).count, 3)
        }
    }

    func testRequestsThatPassByAreObserved() throws {
        let client = try client()
        keep()
        var get = RequestSpec.get("things")
        get.reception.caching.mode = .bypass
        let bypass = try client.send(get)
        transport.answer(200, Self.list)
        XCTAssertEqual(try bypass.wait(milliseconds: 0).cache.state, .none)
        let post = try client.send(RequestSpec(target: .path(.post, "things")))
        transport.answer(303, "", headers: [], redirectURL: Self.url)
        transport.answer(200, Self.list)
        _ = try post.wait(milliseconds: 0)
        XCTAssertEqual(cache.state.withLock { $0.observed }, ["POST 303", "GET 200"])
        XCTAssertEqual(cache.lookups, [])
    }

    func testOfflineTheCacheIsAskedForWhatItHasBeforeAnExchangeIsTried() throws {
        var rules = CacheRules()
        rules.isReadOffline = true
        let client = try client()
        try client.setReachability(.unreachable)
        let plan = CachePlan(
            rules: rules, mode: .standard, route: nil, discriminator: nil, holder: nil)
        let request = try client.calls.makeCall(.get("things")).request!.planned(plan)
        cache.state.withLock { state in
            state.decide = { _, isOffline in
                isOffline ? .answer(FakeCache.answer(Self.url, 200, Self.list, .stale)) : nil
            }
        }
        let call = Call(
            context: client.calls, api: client.api.loaded, request: request, token: 0,
            question: nil, interception: nil, receiver: nil)
        try client.calls.register(call)
        call.start()
        let response = try call.wait(milliseconds: 0)
        XCTAssertEqual(response.cache.state, .stale)
        XCTAssertEqual(response.objects.count, 1)
        XCTAssertEqual(cache.lookups, ["GET \(Self.url) offline"])
        XCTAssertEqual(transport.waitingCount, 0)
    }
}

extension PreparedRequest {
    fileprivate func planned(_ plan: CachePlan) -> PreparedRequest {
        var sending = sending
        sending.caching = plan
        return PreparedRequest(
            exchange: exchange, destination: destination, sending: sending, answers: answers,
            dataMapper: dataMapper, submission: submission, deletions: deletions)
    }
}
