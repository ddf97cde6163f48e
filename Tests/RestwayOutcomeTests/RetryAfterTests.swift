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

    func testAnythingElseIsNoTime() {
        for text in ["", "soon", "-1", "1.5", " 1", "12 s", "1994-11-06"] {
            XCTAssertNil(milliseconds(text), text)
        }
    }
}
