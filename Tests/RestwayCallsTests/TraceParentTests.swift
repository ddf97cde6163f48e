import RestwayCalls
import XCTest

final class TraceParentTests: XCTestCase {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let parent = "b7ad6b7169203331"

    func testAValueOfTheRecommendationIsTaken() {
        for flags in ["00", "01", "03", "ff"] {
            let text = "00-\(Self.trace)-\(Self.parent)-\(flags)"
            XCTAssertEqual(TraceParent(text)?.text, text)
        }
    }

    func testOtherValuesAreRefused() {
        let zeros = String(repeating: "0", count: 32)
        for text in [
            "", "00", "00-\(Self.trace)-\(Self.parent)", "01-\(Self.trace)-\(Self.parent)-01",
            "00-\(Self.trace)-\(Self.parent)-01-", "00-\(Self.trace)-\(Self.parent)-0g",
            "00-\(Self.trace.uppercased())-\(Self.parent)-01", "00-\(zeros)-\(Self.parent)-01",
            "00-\(Self.trace)-\(zeros.prefix(16))-01", "00-\(Self.trace)_\(Self.parent)-01",
            "00_\(Self.trace)-\(Self.parent)-01", "00-\(Self.trace)-\(Self.parent)_01",
        ] {
            XCTAssertNil(TraceParent(text), text)
        }
    }

    func testNewTracesAreValidAndDiffer() {
        let (one, two) = (TraceParent.random(), TraceParent.random())
        XCTAssertEqual(TraceParent(one.text), one)
        XCTAssertNotEqual(one, two)
        XCTAssertTrue(one.text.hasSuffix("-01"))
    }
}
