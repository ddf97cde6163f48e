import RestwayHTTP
import XCTest

@testable import RestwayOutcome

final class RetryAfterTests: XCTestCase {
    /// Sun, 06 Nov 1994 08:49:37 GMT, the date of RFC 9110.
    private let noon: Int64 = 784_111_777

    private func milliseconds(_ value: String, secondsBefore: Int64 = 0) -> Int64? {
        RetryAfter.milliseconds(
            value, ServerTime(wallMicroseconds: (noon - secondsBefore) * 1_000_000))
    }

    func testSecondsAreRead() {
        XCTAssertEqual(milliseconds("120"), 120_000)
        XCTAssertEqual(milliseconds("0"), 0)
        XCTAssertEqual(milliseconds("99999999999999999999999"), .max)
    }

    func testAllThreeFormsOfADateAreRead() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ] {
            XCTAssertEqual(milliseconds(text, secondsBefore: 90), 90_000, text)
        }
    }

    func testADateThatHasPassedIsNow() {
        XCTAssertEqual(milliseconds("Sun, 06 Nov 1994 08:49:37 GMT", secondsBefore: -1), 0)
    }

    /// A year of two digits is in the past only if it seems to be more than 50 years in the future
    /// (RFC 9110, section 5.6.7).
    func testAYearOfTwoDigitsFollowsTheClockOfTheServer() {
        let time = ServerTime(wallMicroseconds: 1_767_744_000_000_000)  // January 2026
        XCTAssertEqual(
            RetryAfter.milliseconds("Friday, 06-Nov-71 08:49:37 GMT", time),
            (3_214_025_377 - 1_767_744_000) * 1_000)
        XCTAssertEqual(RetryAfter.milliseconds("Sunday, 06-Nov-94 08:49:37 GMT", time), 0)
    }

    func testAnythingElseIsNoTime() {
        for text in [
            "", "soon", "-1", "1.5", " 1", "12 s", "1994-11-06", "Sun, 06 Nov 1994 08:49:37 +0100",
            "Sun, 06 Nov 1994 08:49:37",
        ] {
            XCTAssertNil(milliseconds(text), text)
        }
    }
}
