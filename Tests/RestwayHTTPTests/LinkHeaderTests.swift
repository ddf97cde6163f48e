import XCTest

@testable import RestwayHTTP

final class LinkHeaderTests: XCTestCase {
    private func next(_ values: String...) -> String? {
        LinkHeader.target(
            of: "next", in: Headers(values.map { HeaderField(name: "link", value: $0) }))
    }

    func testALinkIsFoundAmongOthers() {
        XCTAssertEqual(
            next("<http://a/1>; rel=\"prev\", <http://a/3>; rel=\"next\", <http://a/9>; rel=last"),
            "http://a/3")
    }

    func testRelationsNeedNoQuotesAndHaveNoCase() {
        XCTAssertEqual(next("</3>;rel=NEXT"), "/3")
        XCTAssertEqual(next("</3> ; REL = \"Next\""), "/3")
        XCTAssertEqual(next("</3>; title=\"x\"; rel=\"last next\""), "/3")
        XCTAssertEqual(next("</3>; rel=nextpage"), nil)
    }

    func testOnlyTheFirstRelationOfALinkCounts() {
        XCTAssertNil(next("</3>; rel=prev; rel=next"))
    }

    func testCommasAndSemicolonsInTargetsAndQuotesDoNotDivide() {
        XCTAssertEqual(
            next("</a;b,c?d=1,2>; title=\"x, <y>; rel=\\\"next\\\"\"; rel=prev, </4>; rel=next"),
            "/4")
        XCTAssertEqual(next("</a;b,c?d=1,2>; rel=next"), "/a;b,c?d=1,2")
    }

    func testSeveralHeadersAreOneList() {
        XCTAssertEqual(next("</1>; rel=prev", "</2>; rel=next"), "/2")
    }

    func testALinkOfAnotherResourceDoesNotCount() {
        XCTAssertNil(next("</2>; rel=next; anchor=\"#other\""))
    }

    func testWhatIsNoLinkIsLeftOut() {
        XCTAssertEqual(next("nonsense, <>; rel=next"), "")
        XCTAssertEqual(next("\"a, b\", , </2>; rel=next"), "/2")
        XCTAssertNil(next("<http://a/1; rel=next"))
        XCTAssertNil(next(""))
        XCTAssertNil(next("</2>"))
    }
}
