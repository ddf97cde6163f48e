import RestwayHTTP
import XCTest

@testable import RestwayCache

final class DecisionTests: XCTestCase {
    func testWithoutEntriesTheServerIsAsked() {
        let request = CacheRequest(method: "GET", url: "http://127.0.0.1/")
        XCTAssertEqual(
            Reuse.decide(request, [], now: 0, usesHeuristics: false), .send(.uriMiss))
    }
}
