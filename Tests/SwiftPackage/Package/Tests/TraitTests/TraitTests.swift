import CoreMetrics
import Foundation
import InMemoryLogging
import Logging
import MetricsTestKit
import Restway
import XCTest

/// A user as the tracker has it.
@Entity
struct User {
    @Named("id") let number: Int
    let login: String
}

/// An issue whose properties have other names than the attributes.
@Entity("Issue")
public struct Report: Encodable {
    @Named("number") let id: Int
    var title: String
    var state: String?
    @Named("created") let date: Date
    let user: User
    @Unmapped var isSelected = false
}

extension User: Encodable {}

/// The traits of the package against the demo API, which RESTWAY_DEMO_URL names.
final class TraitTests: XCTestCase {
    private func client(_ document: String = "tracker.restway.json") throws -> Client {
        let environment = ProcessInfo.processInfo.environment
        let url = try XCTUnwrap(environment["RESTWAY_DEMO_URL"], "there is no demo API")
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<6 { folder.deleteLastPathComponent() }
        let path = folder.appendingPathComponent("examples/\(document)").path
        return try Client(API(file: path), options: Client.Options(baseURL: url))
    }

    // MARK: Macros

    func testAnswersQueriesAndDraftsTakeTheEntityThatTheMacroMakes() async throws {
        let client = try client()
        let reports: [Report] = try await client.get(.route("issues"), parameters: ["per_page": 3])
        XCTAssertEqual(reports.map(\.id), [1, 2, 3])
        XCTAssertFalse(reports[0].isSelected)
        XCTAssertFalse(reports[0].user.login.isEmpty)
        XCTAssertGreaterThan(reports[0].user.number, 0)

        let query = try client.store.query(Report.self).filter(\.id, .greater, 1)
        XCTAssertEqual(try query.order(by: \.id, descending: true).all().map(\.id), [3, 2])

        let draft = try client.draft(of: XCTUnwrap(client.store.find("Issue", 3)))
        try draft.set(\Report.title, to: "Renamed by a key path")
        XCTAssertEqual(draft.changed, ["title"])
        let changed: Report = try await client.patch(.draft(draft))
        XCTAssertEqual(changed.title, "Renamed by a key path")
        try draft.relate(\Report.user, to: [client.store.query("User").first()!])
        XCTAssertTrue(draft.changed.contains("user"))
    }

    func testAnEntityIsEncodedUnderTheNamesOfTheAttributes() throws {
        let user = User(number: 7, login: "octo")
        XCTAssertEqual(try JSON(encoding: user), ["id": 7, "login": "octo"])
        XCTAssertEqual(User.entity, "User")
        XCTAssertEqual(User.names, [\.number: "id", \.login: "login"])
    }

    // MARK: Logging

    func testTheLogHasALoggerForEachPartAndTheFactsOfACallAsMetadata() async throws {
        let handler = InMemoryLogHandler()
        RestwayLog.setLoggers { part in
            var logger = Logger(label: "restway.\(part.rawValue)") { _ in handler }
            logger.logLevel = part == .client ? .info : .critical
            return logger
        }
        defer { RestwayLog.removeHandler() }
        let client = try client()
        try await client.get("repos/octo/hello/issues/1", parameters: ["access_token": "hidden"])
        client.close()
        RestwayLog.flush()
        let end = try XCTUnwrap(handler.entries.last { $0.metadata["milliseconds"] != nil })
        XCTAssertEqual(end.level, .info)
        XCTAssertEqual(end.metadata["status"], "200")
        XCTAssertEqual(end.metadata["method"], "GET")
        let call = try XCTUnwrap(end.metadata["call"])
        XCTAssertTrue("\(end.message)".hasPrefix("#\(call) GET "), "\(end.message)")
        XCTAssertFalse(handler.entries.contains { "\($0)".contains("hidden") })
    }

    func testALoggerReceivesNoLineBelowItsLevelAndNoneAfterTheStop() async throws {
        let handler = InMemoryLogHandler()
        RestwayLog.setLoggers { part in
            var logger = Logger(label: part.rawValue) { _ in handler }
            logger.logLevel = part == .transport ? .debug : .error
            return logger
        }
        let client = try client()
        try await client.get("repos/octo/hello/issues/1", headers: ["Authorization": "hidden"])
        RestwayLog.removeHandler()
        let count = handler.entries.count
        XCTAssertGreaterThan(count, 0)
        XCTAssertTrue(handler.entries.allSatisfy { $0.level == .debug })
        XCTAssertFalse(handler.entries.contains { "\($0)".contains("hidden") })
        try await client.get("repos/octo/hello/issues/2")
        RestwayLog.flush()
        XCTAssertEqual(handler.entries.count, count)
    }

    // MARK: Metrics

    func testCallsAreMeasuredUnderTheNamesOfOpenTelemetry() async throws {
        let metrics = WaitingMetrics()
        let client = try client()
        try client.startMeasuring(with: metrics)
        try await client.get("repos/octo/hello/issues/1")
        await metrics.waitForTimers(1)
        _ = try? await client.get("repos/octo/hello/nothing")
        await metrics.waitForTimers(1)
        try client.calls.setTracing(nil)
        try await client.get("repos/octo/hello/issues/2")

        let timers = metrics.test.timers(label: "http.client.request.duration")
        let dimensions = timers.map { Dictionary(uniqueKeysWithValues: $0.dimensions) }
        let found = try XCTUnwrap(dimensions.first { $0["http.response.status_code"] == "200" })
        let port = URL(string: ProcessInfo.processInfo.environment["RESTWAY_DEMO_URL"]!)!.port!
        XCTAssertEqual(
            found,
            [
                "http.request.method": "GET", "server.address": "127.0.0.1",
                "server.port": String(port), "http.response.status_code": "200",
                "network.protocol.version": "1.1",
            ])
        let missing = try XCTUnwrap(dimensions.first { $0["error.type"] != nil })
        XCTAssertEqual(missing["error.type"], "404")
        XCTAssertEqual(timers.reduce(0) { $0 + $1.values.count }, 2)
        XCTAssertTrue(timers.allSatisfy { $0.values.allSatisfy { $0 > 0 } })
        let active = try XCTUnwrap(metrics.test.meters(label: "http.client.active_requests").first)
        XCTAssertEqual(active.values, [1, 0, 1, 0])
    }

    func testACallWithoutAnAnswerIsMeasuredWithTheKindOfItsError() async throws {
        let metrics = WaitingMetrics()
        let client = try Client(
            API(document: [
                "restway": 1, "environments": ["none": ["baseURL": "http://127.0.0.1:1/"]],
            ]))
        try client.startMeasuring(with: metrics)
        _ = try? await client.get("things")
        await metrics.waitForTimers(1)
        let timer = try XCTUnwrap(metrics.test.timers.first)
        XCTAssertEqual(timer.dimensions.first { $0.0 == "error.type" }?.1, "connect")
    }
}

/// Metrics of the test kit that say when a timer is made: the end of a call is measured after the
/// call has completed.
private final class WaitingMetrics: MetricsFactory {
    let test = TestMetrics()
    private let (made, continuation) = AsyncStream.makeStream(of: Void.self)

    func waitForTimers(_ count: Int) async {
        var iterator = made.makeAsyncIterator()
        for _ in 0..<count { await iterator.next() }
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Signalling(handler: test.makeTimer(label: label, dimensions: dimensions)) {
            [continuation] in
            continuation.yield()
        }
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        test.makeMeter(label: label, dimensions: dimensions)
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        test.makeCounter(label: label, dimensions: dimensions)
    }

    func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        test.makeRecorder(label: label, dimensions: dimensions, aggregate: aggregate)
    }

    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}

    private final class Signalling: TimerHandler {
        let handler: any TimerHandler
        let signal: @Sendable () -> Void

        init(handler: any TimerHandler, signal: @escaping @Sendable () -> Void) {
            self.handler = handler
            self.signal = signal
        }

        func recordNanoseconds(_ duration: Int64) {
            handler.recordNanoseconds(duration)
            signal()
        }
    }
}
