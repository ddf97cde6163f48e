import RestwayThreads
import XCTest

final class LogTests: XCTestCase {
    /// Collects the records of a log as texts.
    private final class Seen: Sendable {
        private let texts = Lock<[String]>([])

        func add(_ record: LogRecord) {
            let text = "\(record.level.name) \(record.target.name) \(record.message)"
            texts.withLock { $0.append(text) }
        }

        /// The texts, when the log has given all of them.
        func all(of log: Log) -> [String] {
            log.set(LogLevels(), nil)
            return texts.withLock { $0 }
        }
    }

    func testOnlyMessagesUpToTheLevelAreMadeAndGiven() {
        let log = Log()
        let seen = Seen()
        log.write(.error, .client, { XCTFail("nobody listens"); return "" }())
        log.set(LogLevels(all: .info)) { seen.add($0) }
        log.write(.error, .transport, "one")
        log.write(.info, .client, "two")
        log.write(.debug, .client, { XCTFail("too quiet to be made"); return "" }())
        XCTAssertEqual(seen.all(of: log), ["error transport one", "info client two"])
    }

    func testEachTargetHasItsLevel() {
        let log = Log()
        let seen = Seen()
        log.set(LogLevels.reading("warning, transport=debug,outbox=off").levels) { seen.add($0) }
        log.write(.debug, .transport, "one")
        log.write(.info, .client, { XCTFail("too quiet to be made"); return "" }())
        log.write(.error, .outbox, { XCTFail("off"); return "" }())
        log.write(.warning, .mapping, "two")
        log.setLevels(LogLevels(all: .error))
        log.write(.debug, .transport, { XCTFail("now off"); return "" }())
        XCTAssertEqual(seen.all(of: log), ["debug transport one", "warning mapping two"])
    }

    func testTheFirstWrongPartOfLevelsIsNamedAndTheOthersCount() {
        XCTAssertEqual(LogLevels.reading("").levels, LogLevels())
        XCTAssertNil(LogLevels.reading("").problem)
        XCTAssertNil(LogLevels.reading("transport=debug,info").problem)
        let wrong = LogLevels.reading("transprot=debug,outbox=loud,error,retry=info")
        XCTAssertEqual(wrong.levels[.client], .error)
        XCTAssertEqual(wrong.levels[.retry], .info)
        XCTAssertEqual(
            wrong.problem,
            #""transprot" is no target of the log (auth, cache, client, mapping, outbox, plugin, "#
                + "retry, routing, store, transport)")
        for text in ["loud", "outbox=loud", "loud=loud,info"] {
            XCTAssertEqual(
                LogLevels.reading(text).problem,
                #""loud" is no level of the log (off, error, warning, info, debug)"#)
        }
        XCTAssertNotNil(LogLevels.reading("outbox=").problem)
        XCTAssertNotNil(LogLevels.reading("=info").problem)
    }

    func testForeignTextForgesNoLine() {
        let log = Log()
        let seen = Seen()
        log.set(LogLevels(all: .info)) { seen.add($0) }
        log.write(.info, .client, "GET /a\r\n#1 forged", details: ["A: 1\n#2 forged", "B: 2"])
        XCTAssertEqual(
            seen.all(of: log),
            [#"info client GET /a\r\n#1 forged"# + "\n    A: 1\\n#2 forged\n    B: 2"])
    }

    func testFieldsComeWithTheMessage() {
        let log = Log()
        let found = Lock<LogRecord?>(nil)
        log.set(LogLevels(all: .info)) { record in found.withLock { $0 = record } }
        log.write(.info, .client, "done", LogFields(call: 7, method: "GET", url: "http://a/b"))
        log.set(LogLevels(), nil)
        let record = found.withLock { $0 }
        XCTAssertEqual(record?.fields.call, 7)
        XCTAssertEqual(record?.fields.method, "GET")
        XCTAssertEqual(record?.fields.url, "http://a/b")
        XCTAssertEqual(record?.fields.milliseconds, -1)
    }

    func testTheSinkBeforeRunsNoMoreOnceItIsReplaced() {
        final class Sink: Sendable {}
        let log = Log()
        weak var before: Sink?
        do {
            let sink = Sink()
            before = sink
            log.set(LogLevels(all: .debug)) { _ in _ = sink }
        }
        log.write(.debug, .store, "kept")
        XCTAssertNotNil(before)
        log.set(LogLevels(), nil)
        XCTAssertNil(before)
    }

    func testASinkMayReplaceItself() {
        let log = Log()
        let seen = Lock(0)
        let isOver = Monitor(false)
        let mayRun = Monitor(false)
        log.set(LogLevels(all: .debug)) { _ in
            _ = mayRun.wait { $0 ? () : nil }
            seen.withLock { $0 += 1 }
            log.set(LogLevels(), nil)
            isOver.update { $0 = true }
        }
        log.write(.error, .client, "first")
        log.write(.error, .client, "second, which waits")
        mayRun.update { $0 = true }
        _ = isOver.wait { $0 ? () : nil }
        log.write(.error, .client, "third")
        XCTAssertEqual(seen.withLock { $0 }, 1)
    }

    func testASlowSinkHoldsNobodyUpAndLearnsHowManyRecordsWereDropped() {
        let log = Log()
        let isInside = Monitor(false)
        let mayGoOn = Monitor(false)
        let counts = Lock((seen: 0, dropped: UInt64(0)))
        log.set(LogLevels(all: .debug)) { record in
            isInside.update { $0 = true }
            _ = mayGoOn.wait { $0 ? () : nil }
            counts.withLock { counts in
                counts.seen += 1
                counts.dropped += record.dropped
            }
        }
        for number in 0..<5000 { log.write(.debug, .client, "\(number)") }
        _ = isInside.wait { $0 ? () : nil }
        mayGoOn.update { $0 = true }
        log.set(LogLevels(all: .debug)) { record in
            counts.withLock { $0.dropped += record.dropped }
        }
        log.write(.debug, .client, "the next record tells of those that were dropped")
        log.set(LogLevels(), nil)
        XCTAssertEqual(counts.withLock { $0.seen }, 4096)
        XCTAssertEqual(counts.withLock { $0.dropped }, 904)
    }
}
