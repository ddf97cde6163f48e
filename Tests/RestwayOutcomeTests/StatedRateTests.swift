import RestwayHTTP
import XCTest

@testable import RestwayOutcome

/// Reads the rate limits that servers state in their headers.
final class StatedRateTests: XCTestCase {
    private let wall: Int64 = 1_700_000_000_000_000

    private func read(_ fields: [(String, String)], status: Int = 200) -> StatedRate? {
        let headers = Headers(fields.map { HeaderField(name: $0.0, value: $0.1) })
        return StatedRate(
            ResponseHead(status: status, headers: headers, url: "http://127.0.0.1/"),
            wallMicroseconds: wall)
    }

    private func expect(
        _ fields: [(String, String)], _ limit: Int64?, _ remaining: Int64, _ reset: Int64,
        line: UInt = #line
    ) {
        let stated = read(fields)
        XCTAssertEqual(stated?.limit, limit, line: line)
        XCTAssertEqual(stated?.remaining, remaining, line: line)
        XCTAssertEqual(stated?.resetMilliseconds, reset, line: line)
    }

    func testTheListOfTheDraftIsRead() {
        expect([("RateLimit", "\"default\";r=50;t=30")], nil, 50, 30_000)
        expect(
            [("RateLimit", "default;r=0;t=7"), ("RateLimit-Policy", "default;q=100;w=60")],
            100, 0, 7_000)
    }

    func testTheLimitWithTheFewestRequestsLeftCounts() {
        let policy = ("RateLimit-Policy", "\"burst\";q=100;w=60, \"day\";q=1000;w=86400")
        expect([("RateLimit", "\"day\";r=9;t=100, \"burst\";r=3;t=20"), policy], 100, 3, 20_000)
        expect([("RateLimit", "\"burst\";r=0;t=20, \"day\";r=0;t=100"), policy], 1_000, 0, 100_000)
    }

    func testSeparatorsInsideOfAQuotedNameSplitNothing() {
        expect([("RateLimit", "\"a,b;c=\\\"\";r=2;t=3")], nil, 2, 3_000)
    }

    func testOlderFormsOfTheDraftAreRead() {
        expect([("RateLimit", "limit=100, remaining=50, reset=30")], 100, 50, 30_000)
        expect(
            [("RateLimit-Limit", "10"), ("RateLimit-Remaining", "1"), ("RateLimit-Reset", "5")],
            10, 1, 5_000)
    }

    func testXFieldsMayGiveSecondsOrATimeOfDay() {
        expect([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "12")], nil, 0, 12_000)
        expect(
            [
                ("x-ratelimit-limit", "60"), ("x-ratelimit-remaining", "59"),
                ("x-ratelimit-reset", "1700000030"),
            ], 60, 59, 30_000)
        expect(
            [("X-Rate-Limit-Remaining", "1"), ("X-Rate-Limit-Reset", "1700000000500")], nil, 1, 500)
        // A reset that has passed, and a fraction of a second.
        expect([("X-RateLimit-Remaining", "1"), ("X-RateLimit-Reset", "1600000000")], nil, 1, 0)
        expect([("X-RateLimit-Remaining", "1"), ("X-RateLimit-Reset", "0.25")], nil, 1, 1_000)
    }

    func testRetryAfterCountsOnlyInRefusals() {
        let field = [("Retry-After", "3")]
        XCTAssertEqual(read(field, status: 429)?.resetMilliseconds, 3_000)
        XCTAssertEqual(read(field, status: 503)?.remaining, 0)
        XCTAssertNil(read(field, status: 200))
        XCTAssertNil(read(field, status: 301))
    }

    func testWhatIsIncompleteOrNoNumberIsLeftOut() {
        for fields in [
            [], [("RateLimit", "")], [("RateLimit", "\"a\";r=1")], [("RateLimit", "\"a\";t=1")],
            [("RateLimit", "\"a\";r=x;t=1")], [("RateLimit", "\"a;r=1;t=1")],
            [("X-RateLimit-Remaining", "0")], [("X-RateLimit-Reset", "5")],
            [("X-RateLimit-Remaining", "few"), ("X-RateLimit-Reset", "5")],
            [("X-RateLimit-Remaining", ""), ("X-RateLimit-Reset", "")],
        ] as [[(String, String)]] {
            XCTAssertNil(read(fields), "\(fields)")
        }
    }

    func testNumbersAtTheirExtremesDoNotTrap() {
        let largest = String(Int64.max)
        let stated = read([("X-RateLimit-Remaining", largest), ("X-RateLimit-Reset", largest)])
        XCTAssertEqual(stated?.remaining, .max)
        XCTAssertGreaterThan(stated?.resetMilliseconds ?? 0, 0)
        XCTAssertEqual(read([("RateLimit", "a;r=-5;t=\(largest)")])?.remaining, 0)
        XCTAssertEqual(read([("RateLimit", "a;r=1;t=\(largest)")])?.resetMilliseconds, .max)
        XCTAssertNil(read([("RateLimit", "a;r=\(largest)0;t=1")]))
    }
}
