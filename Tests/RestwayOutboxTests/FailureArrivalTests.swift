import RestwayOutcome
import XCTest

@testable import RestwayOutbox

/// Whether the outbox takes a failed request for one that the server may know.
final class FailureArrivalTests: XCTestCase {
    private func failure(
        _ reason: Failure.Reason, status: Int = 0, isOfProgram: Bool = false
    ) -> Failure {
        var failure = Failure(reason, "failed")
        failure.httpStatus = status
        failure.isOfProgram = isOfProgram
        return failure
    }

    func testTheTableSaysIt() {
        for reason in Failure.Reason.allCases where reason != .http {
            XCTAssertEqual(
                failure(reason).mayHaveArrived, reason.traits.mayHaveArrived, "\(reason)")
        }
    }

    func testAnAnswerThatRefusesToActSaysThatNothingWasDone() {
        XCTAssertFalse(failure(.http, status: 429).mayHaveArrived)
        XCTAssertFalse(failure(.http, status: 422).mayHaveArrived)
        XCTAssertTrue(failure(.http, status: 503).mayHaveArrived)
    }

    /// A function of the program fails with the reason that it likes, also with one that stands for
    /// a request that was not sent.
    func testAFunctionThatReadsTheAnswerFailsAfterTheRequestHasArrived() {
        for reason in Failure.Reason.allCases {
            XCTAssertFalse(failure(reason, isOfProgram: true).mayHaveArrived, "\(reason)")
            guard reason != .http else { continue }
            XCTAssertTrue(
                failure(reason, status: 200, isOfProgram: true).mayHaveArrived, "\(reason)")
        }
    }
}
