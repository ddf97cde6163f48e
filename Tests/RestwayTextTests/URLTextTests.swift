import XCTest

@testable import RestwayText

final class URLTextTests: XCTestCase {
    func testAbsoluteMeansASchemeAndTwoSlashes() {
        for text in ["http://h", "HTTPS://h", "ftp://x", "a+b-c.1://"] {
            XCTAssertTrue(URLText.isAbsolute(text), text)
        }
        for text in ["", "h", "//h", "/a", "http:/h", "1://h", "a b://h", ":id/x", "item:12"] {
            XCTAssertFalse(URLText.isAbsolute(text), text)
        }
    }

    func testPunycodeAsInRFC3492Section71() {
        func encode(_ text: String) -> String? { Punycode.encode(Array(text.unicodeScalars)) }
        XCTAssertEqual(encode("他们为什么不说中文"), "ihqwcrb4cv8a8dqg056pqjye")
        XCTAssertEqual(encode("3年B組金八先生"), "3B-ww4c5e180e575a65lsy2b")
        XCTAssertEqual(encode("почемужеонинеговорятпорусски"), "b1abfaaepdrnnbgefbadotcwatmq2g4l")
        XCTAssertNil(encode(String(repeating: "é", count: 64)))
    }

    func testRedactingDropsOnlyCredentials() {
        let cases = [
            ("https://u:p@h/a?b=c@d", "https://h/a?b=c@d"), ("https://u@h", "https://h"),
            ("https://h:8080/@user", "https://h:8080/@user"),
            ("https://h/a:b@c", "https://h/a:b@c"),
            ("a@b/c", "a@b/c"), ("https://[::1]:80/@x", "https://[::1]:80/@x"), ("", ""),
            ("https://a:b@c@h/x", "https://h/x"), ("://", "://"),
        ]
        for (text, expected) in cases { XCTAssertEqual(URLText.redacted(text), expected) }
    }

    func testParametersAreRemovedByTheirDecodedNames() {
        let cases = [
            ("http://h/a", "http://h/a"), ("http://h/a?", "http://h/a?"),
            ("http://h/a?key=1", "http://h/a"), ("http://h/a?b=2&k%65y=1&&c", "http://h/a?b=2&&c"),
            ("http://h/key?akey=1&b=key", "http://h/key?akey=1&b=key"), ("/a?key", "/a"),
        ]
        for (url, expected) in cases {
            XCTAssertEqual(URLText.withoutParameter("key", in: url), expected)
        }
    }

    func testQueriesAreEncodedWithSpacesAsTriplets() {
        XCTAssertEqual(URLText.encodedQuery([]), "")
        XCTAssertEqual(
            URLText.encodedQuery([
                Pair(name: "a[b]", value: "c d+e"), Pair(name: "x", value: "~-._"),
            ]),
            "a%5Bb%5D=c%20d%2Be&x=~-._")
        XCTAssertEqual(
            URLText.appendingQuery([Pair(name: "a", value: "1")], to: "http://h/?b&"),
            "http://h/?b&a=1")
    }
}
