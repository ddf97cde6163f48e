import RestwayThreads
import XCTest

final class MonitorTests: XCTestCase {
    func testWaitingEndsWhenTheStateBecomesWhatIsWaitedFor() {
        let monitor = Monitor(0)
        XCTAssertTrue(Thread.start("test") { monitor.update { $0 = 7 } })
        let seen: Int? = monitor.wait { $0 == 7 ? $0 : nil }
        XCTAssertEqual(seen, 7)
    }

    func testWaitingGivesUpAtItsDeadline() {
        let monitor = Monitor(0)
        let deadline = SystemClock().now().advanced(milliseconds: 1)
        let seen: Int? = monitor.wait(until: deadline) { $0 == 7 ? $0 : nil }
        XCTAssertNil(seen)
        XCTAssertGreaterThanOrEqual(SystemClock().now(), deadline)
    }

    func testADeadlineInThePastStillLooksOnce() {
        let seen: Int? = Monitor(7).wait(until: Deadline(nanoseconds: 0)) { $0 == 7 ? $0 : nil }
        XCTAssertEqual(seen, 7)
    }

    private typealias Thread = RestwayThreads.Thread
}
