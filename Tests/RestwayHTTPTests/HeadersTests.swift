import RestwayHTTP
import XCTest

final class HeadersTests: XCTestCase {
    private let headers = Headers([
        HeaderField(name: "Content-Type", value: "text/plain"),
        HeaderField(name: "Vary", value: "a"), HeaderField(name: "vary", value: "b"),
    ])

    func testNamesAreFoundWhateverTheirCase() {
        XCTAssertEqual(headers[first: "CONTENT-type"], "text/plain")
        XCTAssertEqual(headers[first: "VARY"], "a")
        XCTAssertNil(headers[first: "Content-Typ"])
        XCTAssertEqual(headers.joined("Vary"), "a, b")
        XCTAssertNil(headers.joined("X"))
        // These differ by the bit that makes a letter small, but are not letters.
        XCTAssertFalse(HeaderField(name: "a@", value: "").isNamed("a`"))
    }

    func testFieldsAreComparedByteByByte() {
        let field = HeaderField(name: "X-User", value: "Zo\u{eb}")
        XCTAssertEqual(field, HeaderField(name: "X-User", value: "Zo\u{eb}"))
        for (name, value) in [
            ("X-User", "Zoe\u{308}"), ("x-user", "Zo\u{eb}"), ("X-User", "Zo\u{eb} "),
            ("X-User", ""),
        ] {
            XCTAssertNotEqual(field, HeaderField(name: name, value: value))
            XCTAssertNotEqual(Headers([field]), Headers([HeaderField(name: name, value: value)]))
        }
    }

    func testSetReplacesAllAndRemoveTakesAll() {
        var changed = headers
        changed.set("VARY", "c")
        XCTAssertEqual(changed.fields.map(\.name), ["Content-Type", "VARY"])
        changed.set("X", "1")
        XCTAssertEqual(changed.fields.last, HeaderField(name: "X", value: "1"))
        changed.remove("vary")
        XCTAssertEqual(changed.fields.map(\.name), ["Content-Type", "X"])
    }

    func testNamesAreTokens() {
        for name in ["A", "X-Y_z.1", "!#$%&'*+-.^_`|~"] {
            XCTAssertTrue(Headers.isValidName(name), name)
        }
        for name in ["", " ", "A B", "A:", "A\r\n", "Ä", "a\0", "a(b)", "a/b", "{", "@"] {
            XCTAssertFalse(Headers.isValidName(name), name)
        }
    }

    func testValuesHoldNoControlsAndNoOuterBlanks() {
        for value in ["", "a", "a b\tc", "Bearer x==", "Ä€"] {
            XCTAssertTrue(Headers.isValidValue(value), value)
        }
        for value in [" a", "a ", "\ta", "a\r\nB: c", "a\nb", "a\rb", "a\0b", "a\u{7F}", "\u{1}"] {
            XCTAssertFalse(Headers.isValidValue(value), value)
        }
    }
}
