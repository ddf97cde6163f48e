import Restway
import RestwayOutcome
import XCTest

final class ErrorTests: XCTestCase {
    func testEveryReasonOfTheCoreHasAKind() {
        XCTAssertEqual(
            Failure.Reason.allCases.map(\.rawValue), RestwayError.Kind.allCases.map(\.rawValue))
    }
}
