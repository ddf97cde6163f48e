import Foundation
import LoopbackServer
import Restway
import class RestwayThreads.Log
import struct RestwayThreads.Lock
import XCTest

/// Observers of calls, batches, default headers, metrics, spans, the log and plugins.
final class ObservingTests: DemoTestCase {
    // MARK: Calls

    func testTheEventsOfACallComeInTheirOrder() async throws {
        let client = try client()
        let events = try client.calls.events([.willBegin, .didBegin, .willMap, .didSucceed])
        try await client.get(.route("enterprise"), variables: ["itemID": 3])
        var kinds: [CallEvent.Kind] = []
        for await event in events {
            kinds.append(event.kind)
            XCTAssertEqual(event.call.route, "enterprise")
            XCTAssertEqual(event.call.method, .get)
            XCTAssertEqual(event.response?.object?["itemID"], event.kind == .didSucceed ? 3 : nil)
            if event.kind == .didSucceed { break }
        }
        XCTAssertEqual(kinds, [.willBegin, .didBegin, .willMap, .didSucceed])
    }

    func testAnObserverChoosesRoutesAndIsRemoved() async throws {
        let client = try client()
        let (told, tell) = AsyncStream.makeStream(of: CallEvent.self)
        let observer = try client.calls.observe([.didFail, .didSucceed], routes: ["status"]) {
            tell.yield($0)
        }
        try await client.get("enterprises/3")
        try await client.get(.route("status"))
        var iterator = told.makeAsyncIterator()
        let first = await iterator.next()
        XCTAssertEqual(first?.kind, .didSucceed)
        XCTAssertEqual(first?.call.route, "status")
        observer.remove()
        try await client.get(.route("status"))
        tell.finish()
        let second = await iterator.next()
        XCTAssertNil(second)
    }

    /// Both observers are told one after the other, the one with the interval first. The server
    /// sends the next piece when the one without has been told of the piece before.
    func testProgressIsToldAfterItsInterval() async throws {
        let isTold = Signal()
        let piece = String(repeating: "x", count: 10)
        let clock = TestClock()
        let server = try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n")
            for number in 1...4 {
                if number == 3 { try? clock.advance(by: .milliseconds(10)) }
                connection.write(piece)
                guard isTold.wait() else { return }
            }
            connection.readToEnd()
        }
        let client = try client {
            $0.baseURL = server.url("/v2")
            $0.testing.clock = clock
        }
        let told = Lock<(seldom: [Int64], often: [Int64])>(([], []))
        try client.calls.observe([.downloaded], progressInterval: .milliseconds(10)) { event in
            told.withLock { $0.seldom.append(event.progress?.download.done ?? -1) }
        }
        try client.calls.observe(
            [.didBegin, .downloaded, .didSucceed], progressInterval: .zero
        ) { event in
            guard event.kind == .downloaded else { return XCTAssertNil(event.progress) }
            XCTAssertEqual(event.progress?.download.total, 40)
            told.withLock { $0.often.append(event.progress?.download.done ?? -1) }
            isTold.give()
        }
        let text = try await client.get(.path("anything")).text()
        XCTAssertEqual(text.utf8.count, 40)
        let counts = told.withLock { $0 }
        XCTAssertEqual(counts.seldom, [10, 30, 40])
        XCTAssertEqual(counts.often, [10, 20, 30, 40])
        XCTAssertThrowsError(
            try client.calls.observe(progressInterval: .milliseconds(-1)) { _ in }
        ) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .invalidArgument)
            XCTAssertEqual((error as? RestwayError)?.field, "progressInterval")
        }
    }

    func testACallInFlightIsListedAndCancelled() async throws {
        let server = try TestServer.silent()
        let client = try client { $0.baseURL = server.url("/v2") }
        let events = try client.calls.events([.didBegin, .didCancel])
        let task = CallTask { () throws(RestwayError) in try await client.get("anything") }
        var iterator = events.makeAsyncIterator()
        _ = await iterator.next()
        let active = client.calls.active
        XCTAssertEqual(active.map(\.info.stage), ["exchange"])
        XCTAssertEqual(active.first?.info.attempt, 1)
        XCTAssertEqual(active.first?.progress.download.done, 0)
        active.first?.cancel()
        let kind = await task.kind
        XCTAssertEqual(kind, .cancelled)
        let last = await iterator.next()
        XCTAssertEqual(last?.kind, .didCancel)
        XCTAssertEqual(last?.error?.kind, .cancelled)
        XCTAssertEqual(last?.call.id, active.first?.id)
        XCTAssertTrue(client.calls.active.isEmpty)
    }

    func testEventsEndWithTheirClient() async throws {
        let client = try client()
        let events = try client.calls.events()
        client.close()
        for await event in events { XCTFail("a closed client has told \(event.kind)") }
    }

    // MARK: Batches

    func testTheRequestsOfABatchHaveAnswersOfTheirOwn() async throws {
        struct Enterprise: Decodable { let itemID: Int }
        let client = try client()
        let batch = try client.batch()
        let first = try batch.add(Request(.get, "enterprises/1"))
        let missing = try batch.add(Route("enterprises/999999"))
        XCTAssertEqual(batch.count, 2)
        XCTAssertThrowsError(try first.response()) {
            XCTAssertEqual(($0 as? RestwayError)?.kind, .invalidArgument)
        }
        try await batch.send()
        let enterprise: Enterprise = try first.decode()
        XCTAssertEqual(enterprise.itemID, 1)
        XCTAssertTrue(missing.isComplete)
        XCTAssertThrowsError(try missing.response()) {
            XCTAssertEqual(($0 as? RestwayError)?.httpStatus, 404)
        }
        XCTAssertThrowsError(try batch.add(Request(.get, "status")))
        let again = try await failure { () throws(RestwayError) in try await batch.send() }
        XCTAssertEqual(again.kind, .invalidArgument)
    }

    func testACancelledTaskCancelsItsBatch() async throws {
        let server = try TestServer.silent()
        let client = try client { $0.baseURL = server.url("/v2") }
        let batch = try client.batch()
        let item = try batch.add(Request(.get, "enterprises/1"))
        let task = CallTask { () throws(RestwayError) in try await batch.send() }
        task.cancel()
        let kind = await task.kind
        XCTAssertEqual(kind, .cancelled)
        XCTAssertThrowsError(try item.response()) {
            XCTAssertEqual(($0 as? RestwayError)?.kind, .cancelled)
        }
    }

    func testABatchThatIsDroppedCancelsItsRequests() throws {
        let client = try client()
        let item = try client.batch().add(Request(.get, "enterprises/1"))
        XCTAssertTrue(item.isComplete)
        XCTAssertThrowsError(try item.response()) {
            XCTAssertEqual(($0 as? RestwayError)?.kind, .cancelled)
        }
    }

    func testABatchFormatOfTheProgramIsUsed() async throws {
        struct Lines: BatchFormat {
            func body(of requests: [BatchRequest]) -> RequestBody {
                .text(requests.map { "\($0.method.rawValue) \($0.uri)" }.joined(separator: "\n"))
            }

            func answers(
                in body: Data, mediaType: String?, count: Int
            ) throws -> [BatchAnswer] {
                let echo = try JSON(parsing: String(decoding: body, as: UTF8.self))
                let lines = echo["body"]?.string?.split(separator: "\n") ?? []
                return lines.map {
                    BatchAnswer(status: 200, headers: ["X-Line": String($0)])
                }
            }
        }
        let api = try API(document: [
            "restway": 1, "environments": ["local": ["baseURL": "http://127.0.0.1:1/v2"]],
            "batch": ["path": "echo"],
        ])
        let client = try ending(Client(api, options: .init(baseURL: url())))
        try client.calls.setBatchFormat(Lines())
        let batch = try client.batch()
        let items = [
            try batch.add(Request(.get, "a")), try batch.add(Request(.delete, "b")),
        ]
        try await batch.send()
        XCTAssertEqual(
            try items.map { try $0.response().headers["X-Line"] }, ["GET /a", "DELETE /b"])
        try client.calls.setBatchFormat(nil)
    }

    // MARK: Headers

    func testDefaultHeadersAndLanguages() async throws {
        var options = Client.Options(baseURL: try url())
        options.headers = ["X-App": "tests"]
        try options.setLanguages(["de-CH", "it"])
        XCTAssertThrowsError(try options.setLanguages(["not a language"])) {
            XCTAssertEqual(($0 as? RestwayError)?.field, "languages")
        }
        let client = try client { $0 = options }
        XCTAssertEqual(client.headers["X-App"], "tests")
        XCTAssertEqual(client.headers["Accept-Language"], "de-CH, it;q=0.9")
        try client.setHeader("X-App", nil)
        try client.setHeader("X-Run", "7")
        let seen: JSON = try await client.get("echo", headers: ["Accept-Language": "fr"])
        XCTAssertNil(seen["headers"]?["X-App"])
        XCTAssertEqual(seen["headers"]?["X-Run"], "7")
        XCTAssertEqual(seen["headers"]?["Accept-Language"], "fr")
        XCTAssertThrowsError(try client.setHeader("X-Bad", "a\nb")) {
            XCTAssertEqual(($0 as? RestwayError)?.field, "X-Bad")
        }
    }

    // MARK: Numbers, spans and the log

    func testMetricsCountCallsByTheirEnd() async throws {
        let client = try client()
        try await client.get("status")
        _ = try await failure { () throws(RestwayError) in
            try await client.get("bad/status/404")
        }
        let metrics = try client.metrics()
        XCTAssertEqual(metrics.startedCalls, 2)
        XCTAssertEqual(metrics.succeededCalls, 1)
        XCTAssertEqual(metrics.failedCalls, [.http: 1])
        XCTAssertEqual(metrics.answers[2], 1)
        XCTAssertEqual(metrics.answers[4], 1)
        XCTAssertEqual(metrics.callsInFlight, 0)
        XCTAssertGreaterThan(metrics.receivedBytes, 0)
        XCTAssertNil(metrics.outbox)
    }

    func testASpanHasItsStartAndItsEnd() async throws {
        let client = try client()
        let (spans, told) = AsyncStream.makeStream(of: CallSpan.self)
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        try client.calls.setTracing(
            CallTracing { span, proposal in
                told.yield(span)
                return proposal.map { _ in parent }
            })
        let seen: JSON = try await client.get("echo")
        XCTAssertEqual(seen["headers"]?["traceparent"]?.string, parent)
        var iterator = spans.makeAsyncIterator()
        let (start, end) = (await iterator.next(), await iterator.next())
        XCTAssertNil(start?.end)
        XCTAssertNotNil(end?.end)
        XCTAssertEqual(start?.call, end?.call)
        XCTAssertEqual(end?.attributes["http.response.status_code"], .number(200))
        XCTAssertNil(end?.failure)
        try client.calls.setTracing(nil)
        let untraced: JSON = try await client.get("echo")
        XCTAssertNil(untraced["headers"]?["traceparent"])
    }

    func testTheLogIsReceivedUntilItIsRemoved() async throws {
        let (records, told) = AsyncStream.makeStream(of: LogRecord.self)
        try RestwayLog.setHandler("debug") { told.yield($0) }
        let client = try client()
        _ = try await failure { () throws(RestwayError) in
            try await client.get("bad/status/410?secret=x")
        }
        RestwayLog.removeHandler()
        told.finish()
        var ends: [LogRecord] = []
        for await record in records where record.url?.contains("/bad/status/410") == true {
            XCTAssertFalse(record.message.contains("secret=x"), record.message)
            if record.took != nil { ends.append(record) }
        }
        XCTAssertEqual(ends.map(\.httpStatus), [410])
        XCTAssertEqual(ends.first?.method, .get)
        XCTAssertThrowsError(try RestwayLog.setHandler("loud") { _ in }) {
            XCTAssertEqual(($0 as? RestwayError)?.field, "levels")
        }
    }

    func testARecordSaysHowManyWereDroppedBeforeIt() async throws {
        let (hasBegun, mayGoOn) = (Signal(), Signal())
        let (counts, told) = AsyncStream.makeStream(of: Int.self)
        try RestwayLog.setHandler("info") { record in
            guard record.message == "a flood" else { return }
            hasBegun.give()
            XCTAssertTrue(mayGoOn.wait())
            mayGoOn.give()
            told.yield(record.dropped)
        }
        Log.shared.write(.info, .client, "a flood")
        let isWaiting = await hasBegun.given()
        XCTAssertTrue(isWaiting)
        // More than the 4,096 records that may wait.
        for _ in 0..<5_000 { Log.shared.write(.info, .client, "a flood") }
        mayGoOn.give()
        Log.shared.write(.info, .client, "a flood")
        RestwayLog.flush()
        Log.shared.write(.info, .client, "a flood")
        RestwayLog.flush()
        RestwayLog.removeHandler()
        told.finish()
        var dropped: [Int] = []
        for await count in counts { dropped.append(count) }
        XCTAssertEqual(dropped.first, 0)
        let sum = dropped.reduce(0, +)
        XCTAssertGreaterThan(sum, 0)
        XCTAssertEqual(dropped.count + sum, 5_003, "each record is told or counted")
    }

    // MARK: Plugins

    func testAPluginThatIsMissingIsNamed() throws {
        XCTAssertThrowsError(try Plugin.load("/nowhere/mapper.so")) { error in
            let error = error as? RestwayError
            XCTAssertEqual(error?.kind, .plugin)
            XCTAssertEqual(error?.message.contains("/nowhere/mapper.so"), true)
        }
        XCTAssertThrowsError(try Plugin.load("mapper", options: [1])) { error in
            XCTAssertEqual((error as? RestwayError)?.field, "options")
        }
        XCTAssertThrowsError(try client { $0.plugins.transport = "carrier-pigeon" }) { error in
            XCTAssertEqual(
                (error as? RestwayError)?.message.contains("carrier-pigeon"), true, "\(error)")
        }
    }
}
