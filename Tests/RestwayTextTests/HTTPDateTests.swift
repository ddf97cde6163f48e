import XCTest

@testable import RestwayText

final class HTTPDateTests: XCTestCase {
    private let now: Int64 = 1_767_744_000

    /// RFC 9110, section 5.6.7.
    func testTheThreeForms() {
        let moment: Int64 = 784_111_777
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994", "SUN, 06 nov 1994 08:49:37 gmt",
        ] {
            XCTAssertEqual(HTTPDate.seconds(text, now: now), moment, text)
        }
        for (text, seconds) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Fri Dec 31 23:59:59 9999", 253_402_300_799),
            ("Thursday, 18-Aug-50 02:01:18 GMT", 2_544_400_878),
            ("Wednesday, 07-Jan-77 00:00:00 GMT", 221_443_200),
            ("Tuesday, 07-Jan-75 00:00:00 GMT", 3_314_044_800),
        ] as [(String, Int64)] {
            XCTAssertEqual(HTTPDate.seconds(text, now: now), seconds, text)
        }
    }

    func testWhatIsNoDate() {
        for text in [
            "", "0", "-1", "now", "Sun", "Sun, ", "06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
            "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06  Nov 1994 08:49:37 GMT",
            "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
            "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
            "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Tue, 29 Feb 2023 00:00:00 GMT", "Sun, 06 Nox 1994 08:49:37 GMT",
            "Xyz, 06 Nov 1994 08:49:37 GMT", "Sonday, 06-Nov-94 08:49:37 GMT",
            "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
            "Sun Nov  6 08:49:37 94", "Sun, 06 Nov 1994 08:49:37 GMT, x",
        ] {
            XCTAssertNil(HTTPDate.seconds(text, now: now), text)
        }
    }

    func testEachDayFollowsTheOneBefore() {
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        var expected: Int64?
        for year in 1899...2101 {
            for month in months {
                for day in 1...31 {
                    let text = "Sun, \(day < 10 ? "0" : "")\(day) \(month) \(year) 00:00:00 GMT"
                    guard let seconds = HTTPDate.seconds(text, now: now) else {
                        XCTAssertGreaterThan(day, 28)
                        continue
                    }
                    XCTAssertEqual(seconds, expected ?? seconds)
                    expected = seconds + 86_400
                }
            }
        }
    }
}
