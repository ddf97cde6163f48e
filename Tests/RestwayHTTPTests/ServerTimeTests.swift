import XCTest

@testable import RestwayHTTP

/// Tests how times of day from elsewhere are compared with the local clock.
final class ServerTimeTests: XCTestCase {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private let date: Int64 = 784_111_777_000
    private let field = HeaderField(name: "Date", value: "Sun, 06 Nov 1994 08:49:37 GMT")

    func testTheDateOfTheAnswerIsTheReference() {
        for hours: Int64 in [-1, 0, 1, 24 * 365] {
            let wall = (date + hours * 3_600_000) * 1_000
            let time = ServerTime(Headers([field]), wallMicroseconds: wall)
            XCTAssertEqual(time.milliseconds(until: date + 2_000), 2_000, "\(hours)")
            XCTAssertEqual(time.milliseconds(until: date - 1), 0)
        }
    }

    func testWithoutADateTheLocalClockCounts() {
        let wrong = HeaderField(name: "Date", value: "today")
        for headers in [Headers(), Headers([wrong]), Headers([field, wrong])] {
            let time = ServerTime(headers, wallMicroseconds: 5_000_000)
            XCTAssertEqual(time.milliseconds(until: 7_000), 2_000)
        }
    }

    func testNoTimeOverflows() {
        let time = ServerTime(wallMicroseconds: -5_000)
        XCTAssertEqual(time.milliseconds(until: .max), .max)
        XCTAssertEqual(ServerTime(wallMicroseconds: .max).milliseconds(until: .min), 0)
    }

    // MARK: Times that this machine noted

    func testAnAgeIsUnknownIfTheClockWentBack() {
        let noted = NotedTime(1_000)
        XCTAssertEqual(noted.age(now: 1_500), 500)
        XCTAssertEqual(noted.age(now: 1_000), 0)
        XCTAssertNil(noted.age(now: 999))
        XCTAssertEqual(noted.age(now: 999, tolerated: 1), 0)
        XCTAssertNil(noted.age(now: 998, tolerated: 1))
        XCTAssertNil(NotedTime(.max).age(now: .min))
        XCTAssertEqual(NotedTime(.min).age(now: .max), .max)
    }

    func testAWaitKeepsItsLengthIfTheClockWentBack() {
        let noted = NotedTime(3_600_000)
        XCTAssertEqual(noted.end(ofWaitUntil: 3_602_000, now: 3_601_000, longest: 9_000), 3_602_000)
        XCTAssertEqual(noted.end(ofWaitUntil: 3_602_000, now: 100, longest: 9_000), 2_100)
        XCTAssertEqual(noted.end(ofWaitUntil: 3_602_000, now: 100, longest: 500), 600)
        XCTAssertEqual(noted.end(ofWaitUntil: 9_000_000, now: 3_600_000, longest: 9_000), 3_609_000)
        XCTAssertEqual(noted.end(ofWaitUntil: 1, now: 100, longest: 500), 100)
        XCTAssertEqual(noted.end(ofWaitUntil: .max, now: 4_000_000, longest: .max), .max)
        XCTAssertEqual(NotedTime(10).end(ofWaitUntil: .max, now: 9, longest: 5), 14)
    }
}
