@testable import RestwayCurl
import RestwayThreads
import XCTest

final class AnswerWaitTests: XCTestCase {
    func testTheTimeBeginsWithEachPartOfTheRequest() {
        let start = ManualClock().now()
        var wait = AnswerWait()
        XCTAssertEqual(wait.left(of: 300, at: start.advanced(milliseconds: 900)), 300)
        wait.begin(at: start)
        XCTAssertEqual(wait.left(of: 300, at: start.advanced(milliseconds: 200)), 100)
        wait.begin(at: start.advanced(milliseconds: 200))
        XCTAssertEqual(wait.left(of: 300, at: start.advanced(milliseconds: 400)), 100)
        XCTAssertEqual(wait.left(of: 300, at: start.advanced(milliseconds: 500)), 0)
        XCTAssertLessThan(wait.left(of: 300, at: start.advanced(milliseconds: 501)), 0)
    }
}
