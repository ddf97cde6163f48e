import RestwayHTTP
import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Which answers a route accepts.
final class ValidationTests: CacheTestCase {
    private static let type = HeaderField(name: "Content-Type", value: "application/json")
    private static let page = HeaderField(name: "Content-Type", value: "text/html; charset=utf-8")

    private func route(_ validate: String, _ more: String = "") -> String {
        #", "checked": {"path": "things", "validate": \#(validate)\#(more)}"#
    }

    private func checked(
        _ validate: String, retry: String = "null", rest: String = ""
    ) throws -> (Client, Call) {
        let client = try client(retry: retry, routes: route(validate), rest: rest)
        return (client, try client.send(.route("checked")))
    }

    func testAStatusOfTheSetIsASuccess() throws {
        let (client, call) = try checked(
            #"{"status": ["2xx", 404, "500-503"]}"#, retry: #"{"attempts": 3}"#)
        transport.answer(503, #"{"error": "away"}"#, headers: [Self.type])
        let response = try call.wait(milliseconds: 0)
        XCTAssertEqual(response.status, 503)
        XCTAssertEqual(response.attempts.count, 1, "a success is not tried again")
        client.close()
    }

    func testAStatusOutsideOfTheSetFailsLikeAnyOther() throws {
        let (_, call) = try checked(#"{"status": 200}"#)
        transport.answer(202, #"{"error": "later"}"#, headers: [Self.type])
        let failure = try XCTUnwrap(failure(of: call))
        XCTAssertEqual(failure.reason, .http)
        XCTAssertEqual(failure.domain, .api)
        XCTAssertEqual(failure.httpStatus, 202)
        XCTAssertEqual(failure.apiMessage, "later")
        XCTAssertEqual(
            failure.message,
            "GET \(Self.url) answered 202, which its route does not take as a success: later")
    }

    func testATemporaryStatusOutsideOfTheSetIsTriedAgain() throws {
        let (_, call) = try checked(
            #"{"status": 204}"#, retry: #"{"attempts": 2, "baseMilliseconds": 10}"#)
        transport.answer(503)
        while clock.nextMilliseconds == nil { sched_yield() }
        clock.advance(milliseconds: 1_000)
        transport.answer(204)
        XCTAssertEqual(try call.wait(milliseconds: 0).attempts.count, 2)
    }

    func testAMissingHeaderRefusesTheAnswer() throws {
        let (client, call) = try checked(
            #"{"headers": ["X-Request-Id", "content-type"]}"#, retry: #"{"attempts": 3}"#)
        transport.answer(
            200, #"{"list": [{"id": 1}], "error": "odd"}"#, headers: [Self.type])
        let failure = try XCTUnwrap(failure(of: call))
        XCTAssertEqual(failure.reason, .mapping)
        XCTAssertEqual(failure.domain, .validation)
        XCTAssertEqual(failure.field, "X-Request-Id")
        XCTAssertEqual(failure.httpStatus, 200)
        XCTAssertEqual(failure.apiMessage, "odd", "the body may say why")
        XCTAssertEqual(failure.response?.bodyCount, 37)
        XCTAssertEqual(
            failure.message,
            "GET \(Self.url): the answer is refused: the header X-Request-Id is missing")
        let entity = try client.api.entity(named: "Thing")
        XCTAssertNil(try client.store.object(entity, .integer(1)), "nothing is stored")
    }

    func testAnotherMediaTypeRefusesTheAnswer() throws {
        let (client, call) = try checked(#"{"mediaTypes": ["application/*"]}"#)
        transport.answer(200, "<html>", headers: [Self.page])
        let failure = try XCTUnwrap(failure(of: call))
        XCTAssertEqual(failure.domain, .validation)
        XCTAssertEqual(failure.field, "Content-Type")
        XCTAssertEqual(
            failure.message,
            "GET \(Self.url): the answer is refused: expected application/*, the server sent "
                + "text/html; charset=utf-8")
        let second = try client.send(.route("checked"))
        transport.answer(200, "{}")
        XCTAssertEqual(
            try XCTUnwrap(self.failure(of: second)).message.hasSuffix("the server sent no type"),
            true)
        let third = try client.send(.route("checked"))
        transport.answer(204)
        XCTAssertEqual(try third.wait(milliseconds: 0).status, 204, "no body has no type")
    }

    func testTheRulesOfTheDocumentHoldForAllRoutesThatSayNothingElse() throws {
        let client = try client(
            routes: route(#"{"status": [200, 418]}"#),
            rest: #", "validate": {"status": 200, "headers": "ETag"}"#)
        let own = try client.send(.route("checked"))
        transport.answer(418, headers: [HeaderField(name: "ETag", value: "1")])
        XCTAssertEqual(try own.wait(milliseconds: 0).status, 418)
        let kept = try client.send(.route("checked"))
        transport.answer(200)
        XCTAssertEqual(failure(of: kept)?.field, "ETag", "the key that the route does not replace")
        let plain = try client.send(.get("others"))
        transport.answer(201)
        XCTAssertEqual(failure(of: plain)?.reason, .http, "a request without a route, too")
    }

    // MARK: The program's function

    func testAMissingFunctionIsAMistakeOfTheDocument() throws {
        let problem = try XCTUnwrap(
            RestwayClientTests.failure {
                _ = try self.client(
                    routes: route(
                        #"{"function": "v"}"#, #", "parse": "csv", "encode": "e""#),
                    rest: #", "validate": {"function": "w"}"#)
            })
        XCTAssertEqual(problem.reason, .config)
        XCTAssertEqual(
            problem.details.map { "\($0.path): \($0.message)" },
            [
                #"$.validate.function: validator "w" has not been added"#,
                #"$.routes.checked.validate.function: validator "v" has not been added"#,
                #"$.routes.checked.parse: parser "csv" is neither built in nor added"#,
                #"$.routes.checked.encode: encoder "e" has not been added"#,
            ])
    }

    // MARK: The cache

    func testARefusedAnswerIsNotKept() throws {
        let client = try client(routes: route(#"{"headers": "ETag"}"#))
        let call = try client.send(.route("checked"))
        transport.answer(200, Self.list, headers: [Self.type])
        XCTAssertEqual(failure(of: call)?.domain, .validation)
        XCTAssertEqual(cache.state.withLock { $0.refused }, [Self.url])
        // An answer that was kept under other rules is refused, too, and leaves the cache.
        keep()
        let hit = try client.send(.route("checked"))
        XCTAssertEqual(failure(of: hit)?.field, "ETag")
        XCTAssertEqual(cache.state.withLock { $0.refused.count }, 2)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testTheAbsenceOfAnAnswerIsNotRefused() throws {
        let client = try client(routes: route(#"{"headers": "ETag"}"#))
        var spec = RequestSpec.route("checked")
        spec.reception.caching.mode = .only
        let response = try client.perform(spec, milliseconds: 0)
        XCTAssertEqual(response.cache.state, .missing)
    }
}
