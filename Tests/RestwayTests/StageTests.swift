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
        let stage = try client.stages.addModifier { context in
            XCTAssertEqual(context.method, .post)
            XCTAssertNil(context.response)
            try context.setHeader("X-Signature", "\(context.body?.count ?? 0)")
            try context.setParameter("p", 1)
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
        let stage = try client.stages.addModifier(routes: ["status"]) { context in
            await Task.yield()
            try context.setHeader("X-Token", "t")
            try context.answer(status: 200, body: try .json(["token": "t"]))
        }
        let answer: JSON = try await client.get(.route("status"))
        XCTAssertEqual(answer, ["token": "t"])
        stage.remove()
        let server: JSON = try await client.get(.route("status"))
        XCTAssertNotEqual(server, ["token": "t"])
    }

    func testAModifierReplacesHeadersBodyAndVariables() async throws {
        let client = try client()
        try client.stages.addModifier { context in
            XCTAssertEqual(context.headers["X-Old"], "1")
            try context.setHeader("X-Old", nil)
            try context.setHeader("X-New", "2")
            XCTAssertThrowsError(try context.setHeader("X-Bad", "a\nb"))
            XCTAssertEqual(context.headers, ["X-New": "2"])
            try context.setBody(try .json(["a": 1]))
            context.setTimeout(.seconds(9))
            try context.setVariable("name", "x y")
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
        try client.stages.addInterceptor { context in
            XCTAssertEqual(context.response?.status, 200)
            XCTAssertNil(context.error)
            try context.setResponseHeader("X-Seen", "1")
            try context.setResponseBody(Data(#"{"changed": true}"#.utf8))
            try context.setResponseStatus(203)
        }
        let response = try await client.get("status")
        XCTAssertEqual(response.status, 203)
        XCTAssertEqual(response.headers["X-Seen"], "1")
        XCTAssertEqual(try response.json(), ["changed": true])
    }

    func testAnInterceptorAnswersAnError() async throws {
        let client = try client()
        try client.stages.addInterceptor { context in
            guard context.error?.httpStatus == 404 else { return }
            await Task.yield()
            try context.answer(body: .json(["found": false]))
        }
        let answer: JSON = try await client.get("bad/status/404")
        XCTAssertEqual(answer, ["found": false])
    }

    func testAnInterceptorHasTheRequestSentAgain() async throws {
        let client = try client()
        try client.stages.addInterceptor { context in
            guard context.error != nil, context.sends < 2 else { return }
            try context.setHeader("X-Again", "\(context.sends + 1)")
            try context.sendAgain()
        }
        let error = try await failure { () throws(RestwayError) in
            try await client.get("bad/status/503")
        }
        XCTAssertEqual(error.request?.headers["X-Again"], "2")
        XCTAssertEqual(error.attempts.map(\.reason), [.first, .retry, .retry])
        XCTAssertEqual(error.attempts.map(\.httpStatus), [503, 503, 503])
    }

    func testAContextIsOverWhenItsFunctionHasEnded() async throws {
        let client = try client()
        let (contexts, context) = AsyncStream.makeStream(of: PipelineContext.self)
        try client.stages.addInterceptor { context.yield($0) }
        try await client.get("status")
        var kept = contexts.makeAsyncIterator()
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
        try api.addModifier("sign") { context in try context.setHeader("X-Sign", "1") }
        try api.addModifier("fetch") { context in
            await Task.yield()
            try context.setHeader("X-Fetch", "2")
        }
        try api.addInterceptor("count") { context in
            try context.setResponseHeader("X-Status", "\(context.response?.status ?? 0)")
        }
        XCTAssertThrowsError(try Client(api)) {
            XCTAssertEqual(($0 as? RestwayError)?.kind, .config)
        }
        try api.addInterceptor("wait") { context in
            await Task.yield()
            try context.setResponseHeader("X-Wait", "1")
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
