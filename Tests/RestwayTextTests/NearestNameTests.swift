import RestwayText
import XCTest

final class NearestNameTests: XCTestCase {
    func testASlipOfTheFingersIsRecognised() {
        let names = ["enterprise", "enterprises", "employee"]
        XCTAssertEqual(NearestName.to("entreprise", in: names), "enterprise")
        XCTAssertEqual(NearestName.to("employe", in: names), "employee")
        XCTAssertEqual(NearestName.to("Employee", in: names), "employee")
    }

    func testASwapOfNeighboursIsOneStep() {
        XCTAssertEqual(NearestName.to("titel", in: ["title", "body"]), "title")
        XCTAssertEqual(NearestName.to("nubmer", in: ["member", "number"]), "number")
    }

    func testCaseAndUnderscoresMakeNoDifference() {
        XCTAssertEqual(NearestName.to("baseurl", in: ["path", "baseURL"]), "baseURL")
        XCTAssertEqual(NearestName.to("BASE_URL", in: ["baseURI", "baseURL"]), "baseURL")
        XCTAssertEqual(NearestName.to("key-path", in: ["keyPath"]), "keyPath")
        XCTAssertEqual(NearestName.to("ID", in: ["id"]), "id")
    }

    func testSomethingElseAltogetherIsNot() {
        XCTAssertNil(NearestName.to("meeting", in: ["enterprise", "employee"]))
        XCTAssertNil(NearestName.to("x", in: []))
    }

    func testHostileNamesAreBounded() {
        let long = String(repeating: "a", count: 1_000_000)
        XCTAssertEqual(NearestName.to(long, in: [long]), long)
    }
}
