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

    /// Each status without further signs, in the order of the rows.
    func testEachStatusWithoutFurtherSigns() {
        for status in 100...999 {
            let expected: AnswerMeaning =
                switch status {
                case 200...299: .done
                case 407, 511: .notTheAPI
                case 401: .credentialRefused
                case 408, 425: .temporary
                case 412: .conflict
                case 429: .limited
                case 501, 505: .refused
                case 500...599: .temporary
                default: .refused
                }
            XCTAssertEqual(meaning(status), expected, "\(status)")
        }
    }

    func testA409WaitsIfSomethingOfTheRequestMayBeUnderWay() {
        XCTAssertEqual(asking(409), .inProgress)
        XCTAssertEqual(meaning(409) { $0.namesWork = true }, .inProgress)
        XCTAssertEqual(meaning(409) { $0.wasSentBefore = true }, .inProgress)
        XCTAssertEqual(meaning(409), .refused)
        // Another status says nothing about an earlier attempt.
        for status in [400, 404, 410, 422, 428] {
            XCTAssertEqual(meaning(status) { $0.wasSentBefore = true }, .refused, "\(status)")
            XCTAssertEqual(meaning(status) { $0.namesWork = true }, .refused, "\(status)")
        }
    }

    func testALimitDidNotTakeEffect() {
        for status in [403, 429, 503] { XCTAssertEqual(asking(status), .limited, "\(status)") }
        XCTAssertEqual(meaning(429), .limited)
        XCTAssertEqual(meaning(403) { $0.usesUpRate = true }, .limited)
        XCTAssertEqual(asking(423), .locked)
        XCTAssertEqual(meaning(423), .refused)
        XCTAssertEqual(meaning(422) { $0.usesUpRate = true }, .refused)
    }

    func testAWaitChangesNoOtherStatus() {
        for status in 200...599 where ![403, 409, 423, 503].contains(status) {
            XCTAssertEqual(asking(status), meaning(status), "\(status)")
        }
    }

    func testADeleteThatFindsNothingIsDoneIfItMayHaveBeenSentBefore() {
        for status in [404, 410] {
            XCTAssertEqual(meaning(status) { $0.isOfKnownDelete = true }, .alreadyGone)
            XCTAssertEqual(meaning(status), .refused)
        }
        XCTAssertEqual(meaning(403) { $0.isOfKnownDelete = true }, .refused)
    }

    func testTheNetworkAnswersWithAnyStatus() {
        for status in [200, 204, 302, 303, 401, 404, 409, 503] {
            XCTAssertEqual(meaning(status) { $0.isOfNetwork = true }, .notTheAPI)
        }
    }

    func testARedirectThatLosesTheContentOfARequest() {
        func lost(_ status: Int) -> AnswerMeaning {
            meaning(status) {
                $0.losesContent = true
                $0.isOfWrite = true
            }
        }
        XCTAssertEqual(lost(301), .refused)
        XCTAssertEqual(lost(302), .needsSignIn)
        XCTAssertEqual(lost(303), .done)
        XCTAssertEqual(meaning(303), .refused)
    }

    func testA401NeedsACredentialUnlessNoneWasSentOnPurpose() {
        XCTAssertEqual(meaning(401) { $0.isWithoutCredential = true }, .refused)
        // The document names further answers that refuse a credential.
        XCTAssertEqual(meaning(419) { $0.refusesCredential = true }, .credentialRefused)
    }

    func testAConflictIsA412OrWhatTheDocumentDeclares() {
        XCTAssertEqual(meaning(412), .conflict)
        XCTAssertEqual(meaning(409) { $0.namesConflict = true }, .conflict)
        XCTAssertEqual(meaning(428) { $0.isOfVersioned = true }, .needsCondition)
        XCTAssertEqual(meaning(404) { $0.isOfVersionedChange = true }, .objectGone)
        XCTAssertEqual(meaning(410) { $0.isOfVersionedChange = true }, .objectGone)
    }

    func testTheFactsOfAFailureDecideWhatItsAnswerMeans() {
        func meaning(
            _ status: Int, _ change: (inout Failure.VersionFacts) -> Void
        ) -> AnswerMeaning? {
            var failure = Failure(.http, "")
            failure.httpStatus = status
            change(&failure.versions)
            return failure.meaning
        }
        XCTAssertEqual(meaning(409) { $0.namesConflict = true }, .conflict)
        XCTAssertEqual(meaning(409) { $0.namesWork = true }, .inProgress)
        XCTAssertEqual(meaning(428) { $0.isOfVersioned = true }, .needsCondition)
        XCTAssertEqual(meaning(410) { $0.isOfVersionedChange = true }, .objectGone)
        XCTAssertEqual(meaning(404) { $0.isOfVersioned = true }, .refused)
    }

    func testTheConsequencesOfEachMeaning() {
        for meaning in AnswerMeaning.allCases {
            let (isTemporary, mayHaveArrived) =
                switch meaning {
                case .done, .alreadyGone, .notTheAPI: (false, true)
                case .limited, .locked: (true, false)
                case .inProgress, .temporary: (true, true)
                case .needsSignIn, .credentialRefused, .conflict, .needsCondition, .objectGone,
                    .refused:
                    (false, false)
                }
            XCTAssertEqual(meaning.isTemporary, isTemporary, "\(meaning)")
            XCTAssertEqual(meaning.mayHaveArrived, mayHaveArrived, "\(meaning)")
            XCTAssertEqual(meaning.mayPass, isTemporary || meaning == .notTheAPI, "\(meaning)")
            XCTAssertEqual(meaning.holdsOrigin, meaning == .limited, "\(meaning)")
        }
    }

    func testAListOfADocumentReplacesTheTemporaryStatuses() {
        XCTAssertTrue(AnswerFacts(status: 404).isTemporary([404...404]))
        XCTAssertFalse(AnswerFacts(status: 503).isTemporary([404...404]))
        XCTAssertFalse(AnswerFacts(status: 403, asksToWait: true).isTemporary([404...404]))
        XCTAssertTrue(AnswerFacts(status: 503).isTemporary(nil))
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
