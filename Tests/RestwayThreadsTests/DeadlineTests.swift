import RestwayThreads
import XCTest

final class DeadlineTests: XCTestCase {
    func testAdvancingNeverOverflows() {
        XCTAssertEqual(Deadline.never.advanced(milliseconds: 1), .never)
        XCTAssertEqual(Deadline(nanoseconds: 5).advanced(milliseconds: .max), .never)
        XCTAssertEqual(Deadline(nanoseconds: 5).advanced(milliseconds: -3).nanoseconds, 5)
        XCTAssertEqual(Deadline(nanoseconds: 5).advanced(milliseconds: 2).nanoseconds, 2_000_005)
    }

    func testMillisecondsRoundUpAndAreNeverNegative() {
        let start = Deadline(nanoseconds: 1_000_000)
        XCTAssertEqual(Deadline(nanoseconds: 1_000_001).milliseconds(since: start), 1)
        XCTAssertEqual(Deadline(nanoseconds: 3_000_000).milliseconds(since: start), 2)
        XCTAssertEqual(Deadline(nanoseconds: 0).milliseconds(since: start), 0)
    }
}
