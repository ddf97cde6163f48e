import Foundation
import Restway
import XCTest

/// Modifiers and interceptors of a client and of an API.
final class StageTests: DemoTestCase {
    struct Refusal: Error {}

    /// An event that a test waits for: a flag that is raised once.
    actor Flag {
        private var isRaised = false
        private var waiter: CheckedContinuation<Void, Never>?

        func raise() {
            isRaised = true
            waiter?.resume()
            waiter = nil
        }

        func wait() async {
            if !isRaised { await withCheckedContinuation { waiter = $0 } }
        }
    }

    private func echo(
        _ client: Client, _ body: RequestBody? = nil
    ) async throws(RestwayError) -> JSON {
        try await client.post("echo/stage", body: body)
    }

    // MARK: Modifiers

    func testAModifierChangesTheRequestUntilItIsRemoved() async throws {
        let client = try client()
        let stage = try client.stages.addModifier { turn in
            XCTAssertEqual(turn.method, .post)
            XCTAssertNil(turn.response)
            try turn.setHeader("X-Signature", "\(turn.body?.count ?? 0)")
            try turn.setParameter("p", 1)
        }
        let seen = try await echo(client, .text("12345"))
        XCTAssertEqual(seen["headers"]?["X-Signature"], "5")
        XCTAssertTrue(stage.remove())
        XCTAssertFalse(stage.remove())
        let later = try await echo(client, .text("12345"))
        XCTAssertNil(later["headers"]?["X-Signature"])
    }

    func testAModifierThatWaitsIsAwaited() async throws {
        let client = try client()
        let stage = try client.stages.addModifier(routes: ["status"]) { turn in
            await Task.yield()
            try turn.setHeader("X-Token", "t")
            try turn.answer(status: 200, body: try .json(["token": "t"]))
        }
        let answer: JSON = try await client.get(.route("status"))
        XCTAssertEqual(answer, ["token": "t"])
        stage.remove()
        let server: JSON = try await client.get(.route("status"))
        XCTAssertNotEqual(server, ["token": "t"])
    }

    func testAModifierReplacesHeadersBodyAndVariables() async throws {
        let client = try client()
        try client.stages.addModifier { turn in
            XCTAssertEqual(turn.headers["X-Old"], "1")
            try turn.setHeader("X-Old", nil)
            try turn.setHeader("X-New", "2")
            XCTAssertThrowsError(try turn.setHeader("X-Bad", "a\nb"))
            XCTAssertEqual(turn.headers, ["X-New": "2"])
            try turn.setBody(try .json(["a": 1]))
            turn.setTimeout(.seconds(9))
            try turn.setVariable("name", "x y")
        }
        let seen: JSON = try await client.post(
            "echo/:name", body: .text("old"), variables: ["name": "z"], headers: ["X-Old": "1"])
        XCTAssertNil(seen["headers"]?["X-Old"])
        XCTAssertEqual(seen["headers"]?["X-New"], "2")
        XCTAssertEqual(seen["body"], #"{"a":1}"#)
        XCTAssertEqual(seen["path"]?.string?.hasSuffix("/x%20y"), true)
    }

    func testAModifierThatThrowsLetsTheCallFailWithItsError() async throws {
        let client = try client()
        let stage = try client.stages.addModifier { _ in throw Refusal() }
        let error = try await failure { () throws(RestwayError) in try await echo(client) }
        XCTAssertEqual(error.kind, .cancelled)
        XCTAssertTrue(error.underlyingError is Refusal)
        stage.remove()

        try client.stages.addModifier { _ in
            await Task.yield()
            throw Refusal()
        }
        let later = try await failure { () throws(RestwayError) in try await echo(client) }
        XCTAssertTrue(later.underlyingError is Refusal)
    }

    func testAnUnknownRouteIsRefused() throws {
        let client = try client()
        XCTAssertThrowsError(try client.stages.addModifier(routes: ["nothing"]) { _ in }) {
            XCTAssertEqual(($0 as? RestwayError)?.kind, .unknownRoute)
        }
    }

    // MARK: Cancelling

    func testACancelledCallCancelsTheTaskOfAModifier() async throws {
        let client = try client()
        let (began, ended) = (Flag(), Flag())
        try client.stages.addModifier { _ in
            await began.raise()
            let cancelled = Flag()
            await withTaskCancellationHandler {
                await cancelled.wait()
            } onCancel: {
                Task { await cancelled.raise() }
            }
            await ended.raise()
        }
        let task = CallTask { () throws(RestwayError) in try await client.get("status") }
        await began.wait()
        task.cancel()
        let kind = await task.kind
        XCTAssertEqual(kind, .cancelled)
        await ended.wait()
    }

    // MARK: Interceptors

    func testAnInterceptorSeesTheAnswerAndChangesIt() async throws {
        let client = try client()
        try client.stages.addInterceptor { turn in
            XCTAssertEqual(turn.response?.status, 200)
            XCTAssertNil(turn.error)
            try turn.setResponseHeader("X-Seen", "1")
            try turn.setResponseBody(Data(#"{"changed": true}"#.utf8))
            try turn.setResponseStatus(203)
        }
        let response = try await client.get("status")
        XCTAssertEqual(response.status, 203)
        XCTAssertEqual(response.headers["X-Seen"], "1")
        XCTAssertEqual(try response.json(), ["changed": true])
    }

    func testAnInterceptorAnswersAnError() async throws {
        let client = try client()
        try client.stages.addInterceptor { turn in
            guard turn.error?.httpStatus == 404 else { return }
            await Task.yield()
            try turn.answer(body: .json(["found": false]))
        }
        let answer: JSON = try await client.get("bad/status/404")
        XCTAssertEqual(answer, ["found": false])
    }

    func testAnInterceptorHasTheRequestSentAgain() async throws {
        let client = try client()
        try client.stages.addInterceptor { turn in
            guard turn.error != nil, turn.sends < 2 else { return }
            try turn.setHeader("X-Again", "\(turn.sends + 1)")
            try turn.sendAgain()
        }
        let error = try await failure { () throws(RestwayError) in
            try await client.get("bad/status/503")
        }
        XCTAssertEqual(error.request?.headers["X-Again"], "2")
        XCTAssertEqual(error.attempts.map(\.reason), [.first, .retry, .retry])
        XCTAssertEqual(error.attempts.map(\.httpStatus), [503, 503, 503])
    }

    func testATurnIsOverWhenItsFunctionHasEnded() async throws {
        let client = try client()
        let (turns, turn) = AsyncStream.makeStream(of: Turn.self)
        try client.stages.addInterceptor { turn.yield($0) }
        try await client.get("status")
        var kept = turns.makeAsyncIterator()
        let late = await kept.next()
        XCTAssertThrowsError(try late?.answer()) {
            XCTAssertEqual(($0 as? RestwayError)?.kind, .closed)
        }
        XCTAssertThrowsError(try late?.answer(status: 99)) {
            XCTAssertEqual(($0 as? RestwayError)?.field, "status")
        }
    }

    // MARK: Functions of an API

    func testTheFunctionsThatADocumentNamesAreCalled() async throws {
        let api = try API(document: [
            "restway": 1, "environments": ["local": ["baseURL": "http://127.0.0.1:1/v2"]],
            "modifiers": ["sign", "fetch"],
            "routes": ["status": ["path": "status", "interceptors": ["count", "wait"]]],
        ])
        try api.addModifier("sign") { turn in try turn.setHeader("X-Sign", "1") }
        try api.addModifier("fetch") { turn in
            await Task.yield()
            try turn.setHeader("X-Fetch", "2")
        }
        try api.addInterceptor("count") { turn in
            try turn.setResponseHeader("X-Status", "\(turn.response?.status ?? 0)")
        }
        XCTAssertThrowsError(try Client(api)) {
            XCTAssertEqual(($0 as? RestwayError)?.kind, .config)
        }
        try api.addInterceptor("wait") { turn in
            await Task.yield()
            try turn.setResponseHeader("X-Wait", "1")
        }
        XCTAssertThrowsError(try api.addInterceptor("wait") { _ in }) {
            XCTAssertEqual(($0 as? RestwayError)?.kind, .duplicate)
        }
        let client = try ending(Client(api, options: .init(baseURL: url())))
        let response = try await client.get(.route("status"))
        XCTAssertEqual(response.request?.headers["X-Sign"], "1")
        XCTAssertEqual(response.request?.headers["X-Fetch"], "2")
        XCTAssertEqual(response.headers["X-Status"], "200")
        XCTAssertEqual(response.headers["X-Wait"], "1")
    }

    func testAClientWithStagesEndsWithItsLastReference() async throws {
        weak var ended: Client?
        do {
            let client = try client()
            ended = client
            try client.stages.addModifier { _ in }
            try await client.get("status")
        }
        XCTAssertNil(ended)
    }
}
