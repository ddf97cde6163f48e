import RestwayHTTP
import XCTest

@testable import RestwayOutcome

/// Tests the table that says what an answer means, row by row.
final class AnswerMeaningTests: XCTestCase {
    private func meaning(
        _ status: Int, _ change: (inout AnswerFacts) -> Void = { _ in }
    ) -> AnswerMeaning {
        var facts = AnswerFacts(status: status)
        change(&facts)
        return AnswerMeaning(facts)
    }

    private func asking(_ status: Int) -> AnswerMeaning { meaning(status) { $0.asksToWait = true } }

    func testEachStatusWithoutFurtherSigns() {
        for status in 200...599 {
            let expected: AnswerMeaning =
                switch status {
                case 200...299: .done
                case 407, 511: .notTheAPI
                case 408, 425: .temporary
                case 429: .limited
                case 501, 505: .refused
                case 500...599: .temporary
                default: .refused
                }
            XCTAssertEqual(meaning(status), expected, "\(status)")
        }
    }

    func testAWaitMakesRefusalsLimits() {
        for status in [403, 423, 429, 503] { XCTAssertEqual(asking(status), .limited, "\(status)") }
        XCTAssertEqual(asking(409), .inProgress)
        for status in [400, 401, 402, 404, 410, 412, 413, 422, 501, 505] {
            XCTAssertEqual(asking(status), .refused, "\(status)")
        }
        XCTAssertEqual(asking(500), .temporary)
    }

    func testA403WithAUsedUpRateIsALimit() {
        XCTAssertEqual(meaning(403) { $0.usesUpRate = true }, .limited)
        XCTAssertEqual(meaning(422) { $0.usesUpRate = true }, .refused)
    }

    func testA409OfAKnownProblemIsInProgress() {
        XCTAssertEqual(meaning(409) { $0.namesWork = true }, .inProgress)
        XCTAssertEqual(meaning(422) { $0.namesWork = true }, .refused)
    }

    func testADeleteThatFindsNothingIsDoneIfItMayHaveBeenSentBefore() {
        for status in [404, 410] {
            XCTAssertEqual(meaning(status) { $0.isOfRepeatedDelete = true }, .alreadyGone)
        }
        XCTAssertEqual(meaning(403) { $0.isOfRepeatedDelete = true }, .refused)
    }

    func testTheNetworkAnswersWithAnyStatus() {
        for status in [200, 204, 302, 404, 503] {
            XCTAssertEqual(meaning(status) { $0.isOfNetwork = true }, .notTheAPI)
        }
    }

    func testMeaningsThatPass() {
        for meaning in [AnswerMeaning.limited, .inProgress, .temporary] {
            XCTAssertTrue(meaning.isTemporary && meaning.mayPass)
        }
        XCTAssertTrue(AnswerMeaning.notTheAPI.mayPass && !AnswerMeaning.notTheAPI.isTemporary)
        for meaning in [AnswerMeaning.done, .alreadyGone, .refused] {
            XCTAssertFalse(meaning.isTemporary || meaning.mayPass)
        }
    }

    // MARK: Header fields

    private let wall: Int64 = 784_111_777_000_000

    private func facts(_ status: Int, _ fields: [(String, String)]) -> AnswerFacts {
        let headers = Headers(fields.map { HeaderField(name: $0.0, value: $0.1) })
        return AnswerFacts(status: status, headers, ServerTime(headers, wallMicroseconds: wall))
    }

    func testTheFieldsOfAnAnswerAreRead() {
        XCTAssertTrue(facts(403, [("Retry-After", "1")]).asksToWait)
        XCTAssertFalse(facts(403, [("Retry-After", "soon")]).asksToWait)
        XCTAssertTrue(facts(403, [("X-RateLimit-Remaining", "0")]).usesUpRate)
        XCTAssertTrue(facts(403, [("RateLimit", "\"a\";r=0;t=7")]).usesUpRate)
        XCTAssertFalse(facts(403, [("X-RateLimit-Remaining", "1")]).usesUpRate)
        XCTAssertFalse(facts(403, []).usesUpRate)
    }

    // MARK: Pages

    private func isPage(_ type: String?, _ body: String, isDropped: Bool = false) -> Bool {
        let fields = type.map { [HeaderField(name: "Content-Type", value: $0)] } ?? []
        return Body(Array(body.utf8)).isPage(Headers(fields), isDropped: isDropped)
    }

    func testAPageHasTheTypeOfAPageOrBeginsLikeOne() {
        XCTAssertTrue(isPage("text/html; charset=utf-8", "Please log in"))
        XCTAssertTrue(isPage("application/xhtml+xml", "<x/>"))
        XCTAssertTrue(isPage(nil, "\u{FEFF}\n <!DOCTYPE HTML><title>x</title>"))
        XCTAssertTrue(isPage(nil, "<html>"))
        XCTAssertTrue(isPage("text/html", "", isDropped: true))
    }

    func testAnEmptyBodyAndJSONAreNoPages() {
        XCTAssertFalse(isPage("text/html", ""))
        XCTAssertFalse(isPage("text/html", " \n"))
        XCTAssertFalse(isPage("text/html", " {\"id\":1}"))
        XCTAssertFalse(isPage("application/json", "<html>"))
        XCTAssertFalse(isPage(nil, "<note/>"))
        XCTAssertFalse(isPage(nil, ""))
    }
}
