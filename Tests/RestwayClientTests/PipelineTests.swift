import RestwayHTTP
import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Tests what modifiers and interceptors can do to a call.
final class PipelineTests: XCTestCase {
    private let transport = FakeTransport()
    private let clock = ManualClock()
    private static let json = [HeaderField(name: "Content-Type", value: "application/json")]

    private func client(_ document: String = TestAPI.document) throws -> Client {
        try Client(
            api: try TestAPI.load(document), options: ClientOptions(), transport: transport,
            clock: clock)
    }

    private func company(_ number: String) -> RequestSpec {
        var spec = RequestSpec.route("company")
        spec.variables["itemID"] = .value(.string(number))
        return spec
    }

    /// Keeps what functions on workers have noted.
    private final class Notes: Sendable {
        private let lines = Lock<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    func testAllAreAskedInOrderFunctionsForAllRequestsFirst() throws {
        let client = try client()
        let notes = Notes()
        for (name, routes) in [("a", ["company"]), ("b", []), ("c", ["companies"]), ("d", [])] {
            for stage in [Pipeline.Stage.modify, .intercept] {
                _ = try client.addStage(stage, routes: routes) { context in
                    XCTAssertTrue(CallbackScope.isActive)
                    notes.add("\(name) \(stage) \(context.route ?? "-")")
                    return nil
                }
            }
        }
        let call = try client.send(company("1"))
        transport.answer(200, #"{"id": 1, "name": "One"}"#, headers: Self.json)
        XCTAssertEqual(try call.wait(milliseconds: 0).objects.count, 1)
        XCTAssertEqual(
            notes.all,
            [
                "b modify company", "d modify company", "a modify company",
                "b intercept company", "d intercept company", "a intercept company",
            ])
        client.close()
    }

    func testFunctionsThatTheDocumentNamesAreAskedBeforeAddedOnes() throws {
        let notes = Notes()
        let api = try TestAPI.load(
            #"""
            {"restway": 1, "modifiers": "all", "environments": {"a": {"baseURL": "http://h"}},
             "routes": {"one": {"path": "one", "modifiers": ["second", "first"],
                                "interceptors": ["seen", "later"]}}}
            """#)
        for name in ["first", "second", "all"] {
            try api.addModifier(name) { context in
                notes.add("\(name) of \(context.noun)")
                return nil
            }
        }
        try api.addInterceptor("seen") { _ in
            notes.add("seen")
            return Failure(.io, "refused")
        }
        let missing = failure { _ = try api.freeze() }
        XCTAssertEqual(
            missing?.details.map(\.path), ["$.routes.one.interceptors[1]"], "\(missing as Any)")
        try api.addInterceptor("later") { _ in
            notes.add("later")
            return nil
        }
        let client = try Client(
            api: api, options: ClientOptions(), transport: transport, clock: clock)
        _ = try client.addStage(.modify, routes: ["one"]) { _ in
            notes.add("added for the route")
            return nil
        }
        _ = try client.addStage(.modify, routes: []) { _ in
            notes.add("added for all")
            return nil
        }
        let call = try client.send(.route("one"))
        transport.answer(200, "{}", headers: Self.json)
        XCTAssertEqual(failure { _ = try call.wait(milliseconds: 0) }?.reason, .io)
        XCTAssertEqual(
            notes.all,
            [
                "all of the modifier", "added for all", "second of the modifier",
                "first of the modifier", "added for the route", "seen", "later",
            ])
        XCTAssertEqual(
            failure {
                try api.add(route: "two", #"{"path": "two", "interceptors": "never"}"#)
            }?.reason, .config)
        client.close()
    }

    func testAnAnswerOfAModifierIsJudgedInterceptedAndMappedWithoutAnExchange() throws {
        let client = try client()
        let notes = Notes()
        _ = try client.addStage(.modify, routes: []) { context in
            let isMissing = context.request.withLock { "\($0.target)".hasSuffix("9\")") }
            try? context.answer(
                status: isMissing ? 404 : 200, headers: Headers(Self.json),
                body: Array(#"{"id": 4, "name": "made", "error": {"code": "none"}}"#.utf8))
            return nil
        }
        _ = try client.addStage(.modify, routes: []) { _ in
            notes.add("not asked")
            return nil
        }
        _ = try client.addStage(.intercept, routes: []) { context in
            notes.add("\(context.response?.status ?? 0) \(context.failure?.apiCode ?? "-")")
            return nil
        }
        let response = try client.send(.get("companies/4")).wait(milliseconds: 0)
        XCTAssertEqual(response.objects.first?.value(named: "name"), .string("made"))
        XCTAssertEqual(response.url, "http://api.test/v2/companies/4")
        let missing = try client.send(.get("companies/9"))
        XCTAssertEqual(failure { _ = try missing.wait(milliseconds: 0) }?.httpStatus, 404)
        XCTAssertEqual(notes.all, ["200 -", "404 none"])
        XCTAssertEqual(transport.waitingCount, 0)
        client.close()
    }

    func testAnInterceptorChangesTheAnswerBeforeItIsMapped() throws {
        let client = try client()
        _ = try client.addStage(.intercept, routes: []) { context in
            try? context.changeAnswer(status: 200, body: Array(#"{"id": 1, "name": "New"}"#.utf8)) {
                $0.set("X-Seen", "yes")
            }
            return nil
        }
        let call = try client.send(.get("companies/1"))
        transport.answer(500, "gone", headers: Self.json)
        let response = try call.wait(milliseconds: 0)
        XCTAssertEqual(response.objects.first?.value(named: "name"), .string("New"))
        XCTAssertEqual(response.headers[first: "X-Seen"], "yes")
        client.close()
    }

    func testAnInterceptorMakesFailuresOfSuccessesAndAnswersOfFailures() throws {
        let client = try client()
        _ = try client.addStage(.intercept, routes: ["companies"]) { context in
            Failure(.auth, "status \(context.response?.status ?? 0) is refused")
        }
        _ = try client.addStage(.intercept, routes: ["company"]) { context in
            XCTAssertEqual(context.failure?.reason, .connect)
            XCTAssertNil(context.response)
            try? context.answer(
                status: 200, headers: Headers(Self.json), body: Array(#"{"id": 1}"#.utf8))
            return nil
        }
        let list = try client.send(.route("companies"))
        transport.answer(200, #"{"list": [{"id": 8}]}"#, headers: Self.json)
        let refusal = try XCTUnwrap(failure { _ = try list.wait(milliseconds: 0) })
        XCTAssertEqual(refusal.reason, .auth)
        XCTAssertEqual(refusal.httpStatus, 200)
        XCTAssertEqual(try client.store.count(nil), 0)
        let one = try client.send(company("1"))
        transport.next().fail(.connect)
        XCTAssertEqual(try one.wait(milliseconds: 0).objects.count, 1)
        client.close()
    }

    func testARequestIsSentAgainAsItWasChangedAndAtMostTenTimes() throws {
        let client = try client()
        let notes = Notes()
        _ = try client.addStage(.modify, routes: []) { _ in
            notes.add("modify")
            return nil
        }
        _ = try client.addStage(.intercept, routes: []) { context in
            context.request.withLock { $0.headers.append(("X-Send", "\(context.sends + 1)")) }
            do throws(Failure) {
                try context.sendAgain()
            } catch {
                notes.add(error.message)
            }
            return nil
        }
        let call = try client.send(.get("companies/1"))
        for number in 0...10 {
            let exchange = transport.answer(500 + number, "{}", headers: Self.json)
            let sent = exchange.headers.last { $0.isNamed("X-Send") }?.value
            XCTAssertEqual(sent, number == 0 ? nil : "\(number)")
        }
        let ended = try XCTUnwrap(failure { _ = try call.wait(milliseconds: 0) })
        XCTAssertEqual(ended.httpStatus, 510)
        XCTAssertEqual(ended.attempts.count, 11)
        XCTAssertEqual(
            notes.all,
            ["modify", "the request cannot be sent again: it was sent again 10 times"])
        client.close()
    }

    /// A DELETE that an interceptor sends again finds nothing, because its first attempt may have
    /// arrived, whatever became of the answer.
    func testADeleteThatIsSentAgainAndFindsNothingIsDone() throws {
        let kinds: [(TransportError.Kind, Bool)] = [
            (.timedOut, true), (.connectionLost, true), (.protocolViolation, true),
            (.tooLarge, true), (.plugin, true), (.internal, true),
            (.connect, false), (.resolve, false), (.tls, false), (.noResources, false),
        ]
        let client = try client()
        _ = try client.addStage(.intercept, routes: []) { context in
            if context.sends == 0 { try? context.sendAgain() }
            return nil
        }
        for (kind, isGone) in kinds {
            let call = try client.send(RequestSpec(target: .path(.delete, "companies/1")))
            transport.next().fail(kind)
            transport.answer(404, "{}", headers: Self.json)
            if isGone {
                XCTAssertEqual(try call.wait(milliseconds: 0).status, 404, "\(kind)")
            } else {
                let ended = failure { _ = try call.wait(milliseconds: 0) }
                XCTAssertEqual(ended?.httpStatus, 404, "\(kind)")
            }
        }
        client.close()
    }

    func testAnInterceptorSeesThatTheAnswerCannotBeMappedOnce() throws {
        let client = try client()
        let notes = Notes()
        _ = try client.addStage(.intercept, routes: []) { context in
            notes.add(context.failure.map { "\($0.reason)" } ?? "\(context.response?.status ?? 0)")
            try? context.answer(status: 200, headers: Headers(Self.json), body: Array("{".utf8))
            return nil
        }
        let call = try client.send(.get("companies/1"))
        transport.answer(200, "{}", headers: Self.json)
        XCTAssertEqual(failure { _ = try call.wait(milliseconds: 0) }?.reason, .mapping)
        XCTAssertEqual(notes.all, ["200", "mapping"])
        client.close()
    }

    func testATurnThatIsHeldGoesOnWhenItEndsAndFailsWhenItIsDropped() throws {
        let client = try client()
        let held = Monitor<PipelineContext?>(nil)
        let notes = Notes()
        _ = try client.addStage(.modify, routes: []) { context in
            XCTAssertTrue(context.hold())
            XCTAssertFalse(context.hold())
            held.update { $0 = context }
            return Failure(.internal, "this is ignored")
        }
        _ = try client.addStage(.modify, routes: []) { context in
            notes.add("next")
            return nil
        }
        func takeHeld() -> PipelineContext? { held.wait { $0 } }
        let call = try client.send(.get("companies/1"))
        var context = takeHeld()
        XCTAssertEqual(context?.end(nil), true)
        XCTAssertEqual(context?.end(nil), false)
        transport.answer(200, "{}", headers: Self.json)
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(notes.all, ["next"])
        held.update { $0 = nil }

        let dropped = try client.send(.get("companies/2"))
        context = takeHeld()
        held.update { $0 = nil }
        context = nil
        XCTAssertEqual(failure { _ = try dropped.wait(milliseconds: 0) }?.reason, .cancelled)

        let cancelled = try client.send(.get("companies/3"))
        context = takeHeld()
        cancelled.cancel()
        XCTAssertEqual(context?.end(nil), false)
        XCTAssertEqual(failure { try context?.sendAgain() }?.reason, .closed)
        XCTAssertEqual(transport.waitingCount, 0)
        held.update { $0 = nil }
        context = nil
        client.close()
    }

    func testTheTimeLimitOfTheAttemptHoldsWhileATurnIsHeld() throws {
        let client = try client()
        let held = Monitor<PipelineContext?>(nil)
        _ = try client.addStage(.intercept, routes: []) { context in
            _ = context.hold()
            held.update { $0 = context }
            return nil
        }
        var spec = RequestSpec.get("companies/1")
        spec.timeouts.totalMilliseconds = 500
        let call = try client.send(spec)
        transport.answer(200, "{}", headers: Self.json)
        let context: PipelineContext? = held.wait { $0 }
        // The timer is set when the function has returned.
        while !call.isComplete { clock.advance(milliseconds: 501) }
        XCTAssertEqual(failure { _ = try call.wait(milliseconds: 0) }?.reason, .timedOut)
        XCTAssertEqual(context?.end(nil), false)
        held.update { $0 = nil }
        client.close()
    }

    func testARemovedFunctionIsAskedNoMoreAndRoutesAreKnown() throws {
        let client = try client()
        let number = try client.addStage(.modify, routes: []) { _ in Failure(.io, "no") }
        XCTAssertTrue(try client.removeStage(number))
        XCTAssertFalse(try client.removeStage(number))
        let call = try client.send(.get("companies/1"))
        transport.answer(200, "{}", headers: Self.json)
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(
            failure { _ = try client.addStage(.modify, routes: ["nobody"]) { _ in nil } }?.reason,
            .unknownRoute)
        client.close()
        XCTAssertEqual(failure { _ = try client.removeStage(1) }?.reason, .closed)
    }
}
