import RestwayText
import XCTest

@testable import RestwayRouting

final class SplitURLTests: XCTestCase {
    func testTheParametersAreDecodedInTheirOrder() throws {
        let url = try SplitURL("http://A.test:80/x/../y?b=2&a=%C3%A9&&c&=&b=1+%2B=#f?g")
        XCTAssertEqual(url.origin.description, "http://a.test")
        XCTAssertEqual(url.path, "/x/../y")
        XCTAssertEqual(
            url.parameters.map { "\($0.name):\($0.value)" }, ["b:2", "a:é", "c:", ":", "b:1 +="])
        XCTAssertEqual(url.fragment, "f?g")
    }

    func testAQueryThatIsBuiltIsSplitIntoTheSamePairs() throws {
        let texts = ["", "a", "&", "=", "+", " ", "%", "%41", "é", "#", "?", "\u{7F}", "😀"]
        for name in texts {
            let pairs = texts.map { Pair(name: name, value: $0) }
            let url = try SplitURL("https://a.test/?" + URLText.encodedQuery(pairs))
            XCTAssertEqual(url.parameters, pairs)
        }
    }

    func testOnlyAbsoluteURLsOfTheWebAreSplit() {
        for text in ["", "a/b", "//a.test", "mailto:a@b", "ftp://a.test", "http://u@a.test/"] {
            XCTAssertThrowsError(try SplitURL(text), text)
        }
    }
}
