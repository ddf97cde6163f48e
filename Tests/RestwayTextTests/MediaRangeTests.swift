import RestwayText
import XCTest

/// Which media types a range names, and how specifically.
final class MediaRangeTests: XCTestCase {
    private func rank(_ range: String, _ type: String) -> Int? {
        MediaRange(range).rank(of: MediaRange(type))
    }

    func testTypesAreComparedWithoutCase() {
        XCTAssertNotNil(rank("application/json", "Application/JSON"))
        XCTAssertNotNil(rank("TEXT / plain", "text/plain; charset=utf-8"))
        XCTAssertNil(rank("application/json", "text/json"))
        XCTAssertNil(rank("application/json", "application/jsonp"))
        XCTAssertEqual(MediaRange("a/b; Charset=UTF-8"), MediaRange("A/B;charset=\"utf-8\""))
        XCTAssertNotEqual(MediaRange("a/b; v=A"), MediaRange("a/b; v=a"))
    }

    func testASuffixNamesItsType() {
        XCTAssertNotNil(rank("application/json", "application/vnd.github.v3+json"))
        XCTAssertNotNil(rank("application/json", "model/gltf+json"))
        XCTAssertNotNil(rank("application/xml", "image/svg+xml"))
        XCTAssertNil(rank("application/json", "application/vnd.x+jsonl"))
        XCTAssertNil(rank("application/vnd.x+json", "application/json"))
        XCTAssertNil(rank("text/json", "application/vnd.x+json"))
    }

    func testParametersHaveToBeThere() {
        XCTAssertNotNil(rank("a/b; v=2", "a/b;charset=x; V=\"2\""))
        XCTAssertNil(rank("a/b; v=2", "a/b; v=20"))
        XCTAssertNil(rank("a/b; v=2", "a/b"))
        XCTAssertNotNil(rank("*/*; v=2", "a/b; v=2"))
    }

    func testRangesAreOrderedFromTheTypeToAllTypes() throws {
        let type = "application/vnd.x+json; v=2; profile=full"
        let ranges = [
            "application/vnd.x+json; v=2; profile=full", "application/vnd.x+json; v=2",
            "application/vnd.x+json", "application/json; v=2", "application/json",
            "application/*; v=2", "application/*", "*/*; v=2", "*/*",
        ]
        let ranks = try ranges.map { try XCTUnwrap(rank($0, type), $0) }
        XCTAssertEqual(ranks, ranks.sorted(by: >))
        XCTAssertEqual(Set(ranks).count, ranks.count)
    }

    func testATypeThatIsMissingIsNamedByAllTypesAlone() {
        XCTAssertNotNil(rank("*/*", ""))
        XCTAssertNil(rank("application/*", ""))
        XCTAssertNil(rank("application/json", ""))
        XCTAssertNil(rank("*/*; v=1", ""))
    }

    /// Every pair is decided as a slow reading of the rules decides it.
    func testRandomTypesAgreeWithANaiveModel() {
        let types = ["application", "text", "image"]
        let subtypes = ["json", "xml", "vnd.a+json", "b+xml", "a+b+json"]
        let parameters = ["", "; v=1", "; v=2", "; v=1; w=x", "; w=x"]
        for _ in 0..<3_000 {
            let isRange = Int.random(in: 0..<3) == 0
            let (ownType, itsType) = (types.randomElement()!, types.randomElement()!)
            let own = isRange ? "*" : subtypes.randomElement()!
            let its = subtypes.randomElement()!
            let (ownRest, itsRest) = (parameters.randomElement()!, parameters.randomElement()!)
            let hasParameters = ownRest.split(separator: ";").allSatisfy { part in
                itsRest.split(separator: ";").contains(part)
            }
            let suffix = its.split(separator: "+").count > 1
                ? its.split(separator: "+").last.map(String.init) : nil
            let isNamed =
                ownType == itsType && (own == its || own == "*")
                || ownType == "application" && own == suffix
            XCTAssertEqual(
                rank("\(ownType)/\(own)\(ownRest)", "\(itsType)/\(its)\(itsRest)") != nil,
                hasParameters && isNamed, "\(ownType)/\(own)\(ownRest) \(itsType)/\(its)\(itsRest)")
        }
    }
}
