import XCTest

@testable import RestwayPages

final class ListProgressTests: XCTestCase {
    func testEveryProgressIsReadAsItWasWritten() {
        let places: [ListProgress.Next] = [
            .nothing, .unknown, .place(.first), .place(.url("http://a/b?c=d e")),
            .place(.cursor("")), .place(.cursor(" a  b ")), .place(.number(.max)),
        ]
        for next in places {
            for offset in [nil, 0, 7] as [Int64?] {
                let progress = ListProgress(next, offset: offset, total: offset.map { $0 + 1 })
                XCTAssertEqual(ListProgress(text: progress.text), progress)
            }
        }
    }

    func testOtherTextsAreNotKnown() {
        for text in ["", "1", "2 - - end ", "1 - - other x", "1 - - number x", "1 - -"] {
            XCTAssertEqual(ListProgress(text: text).next, .unknown, text)
        }
    }
}
