import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayBatch
@testable import RestwayBodies
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// What functions of the pipeline have seen, as text.
final class PipelineLog: Sendable {
    private let lines = Monitor<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func note(_ line: String) { lines.update { $0.append(line) } }

    /// Waits until this many lines were noted, and returns them.
    func wait(for count: Int) -> [String] { lines.wait { $0.count >= count ? $0 : nil }! }
}

extension Client {
    /// Adds a modifier and an interceptor that note what they see.
    ///
    /// - Parameters:
    ///   - modify: What the modifier does then.
    ///   - intercept: What the interceptor does then.
    func note(
        in log: PipelineLog, modify: @escaping StageFunction.Ask = { _ in nil },
        intercept: @escaping StageFunction.Ask = { _ in nil }
    ) throws {
        _ = try addStage(.modify, routes: []) { context in
            log.note("modify \(context.name)")
            return modify(context)
        }
        _ = try addStage(.intercept, routes: []) { context in
            let seen =
                context.response.map { "\($0.status)" } ?? context.failure.map { "\($0.reason)" }
            log.note("intercept \(context.name) \(seen ?? "nothing")")
            return intercept(context)
        }
    }
}

extension PipelineContext {
    /// The route of the request or, without a route, its path.
    fileprivate var name: String {
        if let route { return route }
        guard case .path(_, let path) = request.withLock({ $0.target }) else { return "-" }
        return path
    }
}

/// Modifiers and interceptors of calls that the response cache answers, shares or makes.
final class PipelineCacheTests: CacheTestCase {
    private let log = PipelineLog()

    func testAHitIsSeenByAllOfThemAndItsChangesAreNotKept() throws {
        let client = try client()
        keep()
        try client.note(
            in: log,
            intercept: { context in
                try? context.changeAnswer(body: Array(#"{"list": []}"#.utf8))
                return nil
            })
        for _ in 0..<2 {
            let response = try client.perform(.get("things"), milliseconds: 0)
            XCTAssertEqual(response.objects.count, 0)
        }
        XCTAssertEqual(
            log.all,
            ["modify things", "intercept things 200", "modify things", "intercept things 200"])
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testEachCallThatSharesAnExchangeHasInterceptorsOfItsOwn() throws {
        let client = try client()
        try client.note(in: log)
        let leader = try client.send(.get("things"))
        let started = transport.next()
        wait(for: leader, at: "exchange")
        let waiting = try sendWaiting(client)
        started.answer(200, Self.list)
        XCTAssertEqual(try leader.wait(milliseconds: 0).status, 200)
        XCTAssertEqual(try waiting.wait(milliseconds: 0).status, 200)
        XCTAssertEqual(
            log.all.sorted(),
            ["intercept things 200", "intercept things 200", "modify things", "modify things"])
    }

    func testARefreshInTheBackgroundIsSeenByInterceptorsAlone() throws {
        let client = try client()
        let ticket = FakeTicket(cache, Self.url)
        cache.decide { _ in
            .staleAnswer(FakeCache.answer(Self.url, 200, Self.list, .stale), refresh: ticket)
        }
        try client.note(in: log)
        let response = try client.perform(.get("things"), milliseconds: 0)
        XCTAssertEqual(response.cache.state, .stale)
        XCTAssertEqual(log.all, ["modify things", "intercept things 200"])
        transport.answer(203, Self.list)
        XCTAssertEqual(log.wait(for: 3).last, "intercept things 203")
        XCTAssertEqual(log.all.count, 3)
    }
}

/// Modifiers and interceptors of downloads.
final class PipelineDownloadTests: XCTestCase {
    private let transport = FakeTransport()
    private let log = PipelineLog()

    func testADownloadIsSeenWithoutItsBodyAndCannotBeReplacedOrSentAgain() throws {
        var template = Array("/tmp/restway-pipeline-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        let folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        let path = folder + "/report"
        defer {
            unlink(path)
            rmdir(folder)
        }
        let client = try Client(
            api: try TestAPI.load(), options: ClientOptions(), transport: transport,
            clock: ManualClock())
        try client.note(
            in: log,
            modify: { [log] context in
                log.note(refused { try context.answer(status: 200, headers: Headers(), body: []) })
                return nil
            },
            intercept: { [log] context in
                log.note("body \(context.response?.bodyWithNUL.count ?? -1)")
                log.note(refused { try context.changeAnswer(body: [65]) })
                log.note(refused { try context.sendAgain() })
                log.note(refused { try context.changeAnswer { $0.set("X-Seen", "yes") } })
                return nil
            })
        var spec = RequestSpec.get("reports/7")
        spec.reception.bodyDestination = .file(
            SavePlan(path: path, keepsPart: false, computesDigest: false))
        let call = try client.send(spec)
        transport.answer(200, "the report")
        let response = try call.wait(milliseconds: 0)
        XCTAssertEqual(response.headers[first: "X-Seen"], "yes")
        XCTAssertEqual(try FileText.read(path), Array("the report".utf8))
        XCTAssertEqual(
            log.all,
            [
                "modify reports/7", "invalidArgument", "intercept reports/7 200", "body 1",
                "invalidArgument", "invalidArgument", "done",
            ])
        client.close()
    }
}

/// Modifiers and interceptors of the requests of a batch.
final class PipelineBatchTests: BatchTestCase {
    private let log = PipelineLog()

    func testTheRequestsAreSeenOneByOneAndTheBatchCallIsNot() throws {
        let client = try client()
        try client.note(
            in: log,
            intercept: { [log] context in
                log.note(refused { try context.sendAgain() })
                return nil
            })
        let session = try session(client, [get("things/1"), get("things/2")])
        try send(session)
        _ = answer(Self.answer(200, #"{"id": 1}"#), Self.answer(404))
        _ = everythingTold()
        XCTAssertEqual(
            log.all.filter { $0.hasPrefix("modify") }.sorted(),
            ["modify things/1", "modify things/2"])
        XCTAssertEqual(
            log.all.filter { $0.hasPrefix("intercept") }.sorted(),
            ["intercept things/1 200", "intercept things/2 404"])
        XCTAssertEqual(log.all.filter { $0 == "invalidArgument" }.count, 2)
        XCTAssertEqual(log.all.count, 6)
    }
}

/// Modifiers and interceptors of requests that the outbox stores and delivers.
final class PipelineOutboxTests: OutboxTestCase {
    private let log = PipelineLog()

    func testTheOutboxStoresWhatModifiersHaveLeft() throws {
        let client = try client()
        try client.note(
            in: log,
            modify: { context in
                context.request.withLock { $0.headers.append(("X-Signed", "yes")) }
                return nil
            })
        try queueOffline(client, put(1))
        XCTAssertEqual(log.all, ["modify thing"])
        try flush(client)
        let sent = transport.answer(200, #"{"id": 1}"#)
        XCTAssertEqual(Headers(sent.headers)[first: "X-Signed"], "yes")
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200"])
        XCTAssertEqual(log.all, ["modify thing", "intercept thing 200"])
    }

    func testARequestThatIsStoredAfterItsExchangeIsNotSeenByInterceptors() throws {
        let client = try client()
        try client.note(in: log)
        let call = try client.send(put(1))
        transport.next().fail(.connect)
        XCTAssertEqual(failure(of: call)?.reason, .queued)
        XCTAssertEqual(log.all, ["modify thing"])
    }

    func testAFailureThatAnInterceptorAnswersIsDelivered() throws {
        let client = try client()
        try client.note(
            in: log,
            intercept: { context in
                try? context.answer(status: 200, headers: Headers(), body: [])
                return nil
            })
        try queueOffline(client, put(1))
        try flush(client)
        transport.answer(422)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200"])
        XCTAssertEqual(try states(client), [])
    }

    func testASuccessThatAnInterceptorRefusesIsNotDelivered() throws {
        let client = try client()
        let refuses = Lock(true)
        try client.note(
            in: log,
            intercept: { context in
                XCTAssertEqual(refused { try context.sendAgain() }, "invalidArgument")
                return refuses.withLock { $0 } ? Failure(.io, "not this one") : nil
            })
        try queueOffline(client, put(1))
        try flush(client)
        transport.answer(200, #"{"id": 1}"#)
        XCTAssertEqual(words(nextFlushed()), ["1 waiting 200"])
        XCTAssertEqual(try states(client), ["1 waiting"])
        refuses.withLock { $0 = false }
        try flush(client, isForced: true)
        transport.answer(200, #"{"id": 1}"#)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200"])
    }
}

/// Random interceptors of requests that the outbox delivers, against a naive model.
final class PipelineDeliveryModelTests: OutboxTestCase {
    /// What the server does with the delivered request.
    private enum Reply: CaseIterable {
        case success, refused, busy, failure
    }

    /// What becomes of the stored request.
    private enum Fate: String {
        case delivered, dead, waiting
    }

    /// A request that the outbox delivers cannot be sent again, so that `sendAgain` does nothing.
    private func fate(_ reply: Reply, _ interceptors: [PipelineAct]) -> Fate {
        var fate: Fate =
            switch reply {
            case .success: .delivered
            case .refused: .dead
            case .busy, .failure: .waiting
            }
        for act in interceptors {
            switch act {
            case .pass, .passLater, .sendAgain: break
            case .answer: fate = .delivered
            case .answerMissing: fate = .dead
            // The program has refused the answer, and the server may get the request again.
            case .refuse, .refuseLater: fate = .waiting
            }
        }
        return fate
    }

    func testRandomDeliveriesDoWhatTheModelSays() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<40 {
            let acts = PipelineAct.random(Int.random(in: 0...3, using: &random), using: &random)
            let reply = Reply.allCases.randomElement(using: &random)!
            let log = PipelineLog()
            let transport = FakeTransport()
            let client = try client(transport: transport)
            for (index, act) in acts.enumerated() {
                _ = try client.addStage(.intercept, routes: ["thing"]) { context in
                    log.note("i\(index)")
                    return act.perform(context)
                }
            }
            try queueOffline(client, put(1))
            XCTAssertEqual(log.all, [])
            try flush(client)
            switch reply {
            case .success: transport.answer(200, #"{"id": 1}"#)
            case .refused: transport.answer(422)
            case .busy: transport.answer(503)
            case .failure: transport.next().fail(.connect)
            }
            let expected = fate(reply, acts)
            XCTAssertEqual(
                nextFlushed().all.map { "\($0.state)" }, [expected.rawValue],
                "\(reply), \(acts)")
            XCTAssertEqual(log.all, acts.indices.map { "i\($0)" })
            XCTAssertEqual(
                try states(client), expected == .delivered ? [] : ["1 \(expected.rawValue)"])
            client.close()
            removeFiles()
        }
    }
}

/// Returns "done", or the reason for which `body` fails.
private func refused(_ body: () throws -> Void) -> String {
    do {
        try body()
        return "done"
    } catch {
        return (error as? Failure).map { "\($0.reason)" } ?? "\(error)"
    }
}
