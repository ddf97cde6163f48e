import XCTest

@testable import RestwayJSON

final class JSONOutlineMemberTests: XCTestCase {
    private func value(_ text: String, _ keyPath: String...) -> String? {
        Array(text.utf8).withUnsafeBytes { bytes in
            JSONOutline(bytes).value(at: keyPath).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    func testAMemberIsFoundBehindOthers() {
        let text = #"{"data": [{"next": 1}, "}"], "meta" : { "a\"b": {}, "next": "x" } , "z": 1}"#
        XCTAssertEqual(value(text, "meta", "next"), #""x""#)
        XCTAssertEqual(value(text, "z"), "1")
        XCTAssertEqual(value(text, "data"), #"[{"next": 1}, "}"]"#)
        XCTAssertNil(value(text, "next"))
        XCTAssertNil(value(text, "data", "next"))
        XCTAssertNil(value(text, "meta", "none"))
    }

    func testKeysWithEscapesAreCompared() {
        XCTAssertEqual(value(#"{"a\"b": 2}"#, "a\"b"), "2")
        XCTAssertEqual(value(#"{"\u0061": 3}"#, "a"), "3")
    }

    func testTheLaterOfTwoMembersCounts() {
        XCTAssertEqual(value(#"{"a": 1, "a": 2}"#, "a"), "2")
    }

    func testBrokenTextsHaveNoMemberOrTheMembersBefore() {
        let whole = #" {"a": {"b": [1, {"c": 2}]}, "d": "x"}"#
        for end in 0...whole.utf8.count {
            let cut = String(decoding: Array(whole.utf8)[..<end], as: UTF8.self)
            let found = value(cut, "a", "b")
            XCTAssertTrue(found == nil || found == #"[1, {"c": 2}]"#, cut)
        }
        for text in ["", "[]", "1", "{", "{}", "{,}", #"{"a"}"#, #"{"a" 1}"#, #"{"a":"#] {
            XCTAssertNil(value(text, "a"), text)
        }
    }
}
