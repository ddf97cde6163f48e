import CRestway
import Foundation
import RestwayOutcome
import XCTest

@testable import RestwayABI

/// The names that docs/ERRORS.md gives to an error in C and in Swift belong together.
final class ErrorPageTests: XCTestCase {
    func testThePageHasTheStatusOfEveryReason() throws {
        let path = #filePath.components(separatedBy: "/Tests/")[0] + "/docs/ERRORS.md"
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        for reason in Failure.Reason.allCases {
            let row = "| `\(restway_status(reason).name)` | `\(reason.rawValue)` |"
            XCTAssertEqual(lines.filter { $0.hasPrefix(row) }.count, 1, row)
        }
    }
}
