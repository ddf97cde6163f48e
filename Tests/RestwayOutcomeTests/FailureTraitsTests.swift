import Foundation
import RestwayHTTP
import XCTest

@testable import RestwayOutcome

/// The table that says what a failure means is the one that docs/ERRORS.md shows, row by row.
final class FailureTraitsTests: XCTestCase {
    private typealias Reason = Failure.Reason

    /// Returns the rows of a table of the page, by their first cell.
    ///
    /// - Parameter columns: The number of columns, which tells the tables apart.
    private func rows(columns: Int) throws -> [(name: String, cells: [String])] {
        let path = #filePath.components(separatedBy: "/Tests/")[0] + "/docs/ERRORS.md"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return text.split(separator: "\n").filter { $0.hasPrefix("| `") }.compactMap { line in
            let cells = line.split(separator: "|").map { cell in
                cell.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
            }
            return cells.count == columns ? (cells[0], Array(cells[1...])) : nil
        }
    }

    /// The reasons by the names of their statuses, as the first table says.
    private func names() throws -> [String: Reason] {
        let rows = try rows(columns: 4)
        let pairs = try rows.map { row in
            let reason = try XCTUnwrap(Reason(rawValue: row.cells[0]), row.name)
            XCTAssertEqual(row.cells[2], "\(reason.domain)", row.name)
            return (String(row.name.dropFirst("RESTWAY_E_".count)), reason)
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    func testThePageNamesEveryReason() throws {
        XCTAssertEqual(Set(try names().values), Set(Reason.allCases))
    }

    func testThePageHasTheRowOfEveryReason() throws {
        let (names, rows) = (try names(), try rows(columns: 10))
        for row in rows {
            let reason = try XCTUnwrap(names[row.name], row.name)
            XCTAssertEqual(words(reason.traits), row.cells, row.name)
        }
        // The page has one sentence for all others.
        let listed = try rows.map { try XCTUnwrap(names[$0.name]) }
        XCTAssertEqual(listed.count, Set(listed).count)
        for reason in Set(Reason.allCases).subtracting(listed) {
            XCTAssertEqual(
                words(reason.traits),
                ["no", "no", "no", "no", "no", "no", "no", "by its answer", "no"], "\(reason)")
        }
    }

    /// The cells of a row, in the words of the page.
    private func words(_ traits: FailureTraits) -> [String] {
        func word(_ value: Bool) -> String { value ? "yes" : "no" }
        let retry =
            switch traits.retry {
            case .usual: "yes"
            case .ifListed: "if listed"
            case .byAnswer: "by its answer"
            case .never: "no"
            }
        let standIn =
            switch traits.standIn {
            case .offline: "any"
            case .onError: "recent"
            case .byStatus: "by status"
            case .never: "no"
            }
        let storing =
            switch traits.storing {
            case .always: "yes"
            case .ifRetryable: "if retryable"
            case .byRules: "by its rules"
            case .never: "no"
            }
        let item =
            switch traits.item {
            case .waits: "waits"
            case .byCredential: "needs a credential"
            case .byAnswer: "by its answer"
            case .untouched: "as before"
            }
        let batch =
            switch traits.batch {
            case .refused: "yes"
            case .refusedIfAnswered: "if answered"
            case .other: "no"
            }
        return [
            retry, word(traits.isUnreachable), word(traits.mayHaveArrived), standIn,
            word(traits.isOfExchange), word(traits.reopensStream), storing, item, batch,
        ]
    }

    // MARK: Rules between the columns

    func testARequestThatWasNotSentIsNoAnswerOfTheServer() {
        for reason in Reason.allCases where !reason.traits.mayHaveArrived {
            XCTAssertNotEqual(reason.traits.retry, .byAnswer, "\(reason)")
            XCTAssertEqual(reason.traits.batch, .other, "\(reason)")
        }
    }

    func testAServerThatCannotBeReachedIsOneForAllParts() {
        for reason in Reason.allCases where reason.traits.isUnreachable {
            XCTAssertEqual(reason.traits.standIn, .offline, "\(reason)")
            XCTAssertEqual(reason.traits.storing, .always, "\(reason)")
            XCTAssertEqual(reason.traits.item, .waits, "\(reason)")
        }
    }

    func testAStoredRequestWaitsAfterEachErrorForWhichItWasStored() {
        for reason in Reason.allCases where reason.traits.storing == .always {
            XCTAssertEqual(reason.traits.item, .waits, "\(reason)")
        }
    }

    // MARK: Errors of transports

    func testAFailureOfATransportIsRetryableIfItsReasonIsTemporary() {
        let temporary = TransportError.Kind.allCases.filter {
            Failure(TransportError($0, "")).isRetryable
        }
        XCTAssertEqual(temporary, [.timedOut, .resolve, .connect, .connectionLost, .noResources])
    }
}
