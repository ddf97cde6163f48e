import RestwayJSON
import XCTest

final class JSONTextTests: XCTestCase {
    func testStringsAreEscapedAsThoseOfATree() {
        let all = String(decoding: (0..<0x80).map { UInt8($0) }, as: UTF8.self)
        let foreign = "caf\u{e9} \u{20ac} \u{1f600}\u{7f}"
        for string in ["", "plain", "\"quoted\" \\ and / more", all, foreign] {
            var text = JSONText(capacity: 0)
            text.append(string: string)
            XCTAssertEqual(text.bytes, JSONValue.string(string).text(), string)
        }
    }

    func testWhatStandsBetweenGoesInAsItIs() {
        var text = JSONText(capacity: 16)
        text.append("{")
        text.append(string: "a")
        text.append(":1}")
        XCTAssertEqual(text.bytes, Array(#"{"a":1}"#.utf8))
    }
}
