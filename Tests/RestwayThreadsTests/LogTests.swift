import RestwayThreads
import XCTest

final class LogTests: XCTestCase {
    func testOnlyMessagesUpToTheLevelAreMadeAndGiven() {
        let log = Log()
        let seen = Lock<[String]>([])
        log.write(.error, .client, { XCTFail("nobody listens"); return "" }())
        log.set(.info) { level, category, message in
            seen.withLock { $0.append("\(level) \(category.rawValue) \(message)") }
        }
        log.write(.error, .transport, "one")
        log.write(.info, .client, "two")
        log.write(.debug, .client, { XCTFail("too quiet to be made"); return "" }())
        XCTAssertEqual(seen.withLock { $0 }, ["error transport one", "info client two"])
    }

    func testForeignTextForgesNoLine() {
        let log = Log()
        let seen = Lock<[String]>([])
        log.set(.info) { _, _, message in seen.withLock { $0.append(message) } }
        log.write(.info, .client, "GET /a\r\n#1 forged", details: ["A: 1\n#2 forged", "B: 2"])
        XCTAssertEqual(
            seen.withLock { $0 }, [#"GET /a\r\n#1 forged"# + "\n    A: 1\\n#2 forged\n    B: 2"])
    }

    func testTheSinkBeforeRunsNoMoreOnceItIsReplaced() {
        final class Sink: Sendable {}
        let log = Log()
        weak var before: Sink?
        do {
            let sink = Sink()
            before = sink
            log.set(.debug) { _, _, _ in _ = sink }
        }
        log.write(.debug, .store, "kept")
        XCTAssertNotNil(before)
        log.set(.off, nil)
        XCTAssertNil(before)
    }

    func testASinkMayReplaceItself() {
        let log = Log()
        let seen = Lock(0)
        log.set(.debug) { _, _, _ in
            seen.withLock { $0 += 1 }
            log.set(.off, nil)
        }
        log.write(.error, .client, "first")
        log.write(.error, .client, "second")
        XCTAssertEqual(seen.withLock { $0 }, 1)
    }
}
