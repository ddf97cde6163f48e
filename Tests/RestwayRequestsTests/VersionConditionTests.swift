import RestwayHTTP
import XCTest

@testable import RestwayObjects
@testable import RestwayRequests

/// Versions as conditions of requests.
final class VersionConditionTests: XCTestCase {
    private func condition(_ rule: VersionRule, _ text: String?) -> String? {
        rule.condition(text.map { ObjectVersion($0) }).map { "\($0.name): \($0.value)" }
    }

    func testATagIsSentAsItIsAndAWeakTagIsNotSent() {
        let rule = VersionRule(.entityTag)
        XCTAssertEqual(condition(rule, #""a""#), #"If-Match: "a""#)
        XCTAssertEqual(condition(rule, "a"), "If-Match: a", "a server that leaves the quotes out")
        XCTAssertNil(condition(rule, #"W/"a""#))
        XCTAssertNil(condition(rule, nil))
    }

    func testATimeIsSentAsIfUnmodifiedSince() {
        XCTAssertEqual(
            condition(VersionRule(.lastModified), "Sat, 28 Nov 2026 10:00:00 GMT"),
            "If-Unmodified-Since: Sat, 28 Nov 2026 10:00:00 GMT")
    }

    func testAnAttributeIsQuotedUnlessItHasQuotes() {
        let rule = VersionRule(.attribute(0))
        XCTAssertEqual(condition(rule, "7"), #"If-Match: "7""#)
        XCTAssertEqual(condition(rule, #""7""#), #"If-Match: "7""#)
        XCTAssertNil(condition(rule, #"W/"7""#))
    }

    func testAVersionInTheBodyIsNoHeader() {
        XCTAssertNil(condition(VersionRule(.attribute(0), bodyKeyPath: ["rev"]), "7"))
    }

    func testPreconditionsAreKnownByTheirNames() {
        for name in ["If-Match", "if-none-match", "If-Unmodified-Since"] {
            XCTAssertTrue(HeaderField(name: name, value: "").isPrecondition, name)
        }
        XCTAssertFalse(HeaderField(name: "If-Modified-Since", value: "").isPrecondition)
    }
}
