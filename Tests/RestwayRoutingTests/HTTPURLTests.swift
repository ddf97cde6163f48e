import RestwayText
import XCTest

@testable import RestwayRouting

final class HTTPURLTests: XCTestCase {
    func testReferencesResolveAsInRFC3986Section54() throws {
        let base = "http://a/b/c/d;p?q"
        let cases = [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"),
            (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
            ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
            ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
            ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("https://X:443/y#z", "https://x/y"), ("a b?c d", "http://a/b/c/a%20b?c%20d"),
        ]
        for (reference, expected) in cases {
            XCTAssertEqual(try URLText.resolve(reference, against: base), expected, reference)
        }
    }

    func testHostileReferencesStayOrAreRefused() throws {
        let base = "https://h/a/b"
        for reference in [
            "http:g", "mailto:a@b", "ftp://x/", "javascript:alert(1)", "https://u:p@x/", "//u@x/",
            "///x", "https:///x", "file:///etc/passwd",
        ] {
            guard case .invalidURL? = failure(try URLText.resolve(reference, against: base)) else {
                XCTFail(reference)
                continue
            }
        }
        XCTAssertEqual(try URLText.resolve("/\\evil", against: base), "https://h/%5Cevil")
        XCTAssertEqual(
            try URLText.resolve("\\\\evil\\x", against: base), "https://h/a/%5C%5Cevil%5Cx")
        XCTAssertEqual(try URLText.resolve("\u{0}x", against: base), "https://h/a/%00x")
    }

    func testAnAbsoluteURLIsNormalised() throws {
        let cases = [
            ("HTTP://EXAMPLE.com", "http://example.com/"), ("http://h:80/a", "http://h/a"),
            ("http://h:/a", "http://h/a"), ("https://h:80", "https://h:80/"),
            ("http://h/a/../b#f", "http://h/a/../b"), ("http://h?a=é b", "http://h/?a=%C3%A9%20b"),
            ("http://h/%7e%zz", "http://h/%7e%25zz"), ("http://127.1/", "http://127.0.0.1/"),
            ("http://[FE80:0:0::1%25eth0]/x", "http://[fe80::1%25eth0]/x"),
        ]
        for (text, expected) in cases {
            XCTAssertEqual(try URLText.normalizedAbsolute(text), expected)
            XCTAssertEqual(try URLText.normalizedAbsolute(expected), expected)
        }
    }

    func testInternationalHostsWorkInAnyLocale() throws {
        let cases = [
            ("http://Bücher.example", "xn--bcher-kva.example"),
            ("http://BÜCHER.example", "xn--bcher-kva.example"),
            ("http://b%C3%BCcher.example", "xn--bcher-kva.example"),
            ("http://例え.jp", "xn--r8jz45g.jp"),
            ("http://faß.de", "xn--fa-hia.de"),
            ("http://президент.рф", "xn--d1abbgf6aiiy.xn--p1ai"),
            ("http://\u{212A}elvin.example", "kelvin.example"),
        ]
        for (text, host) in cases { XCTAssertEqual(try Origin(url: text).host, host, text) }
        XCTAssertThrowsError(try Origin(url: "http://" + String(repeating: "é", count: 64) + ".de"))
        XCTAssertThrowsError(try Origin(url: "http://a\u{3002}b"))
    }

    func testOriginsAreComparedBySchemeHostAndPort() throws {
        XCTAssertEqual(try Origin(url: "https://H/a"), try Origin(url: "https://h:443?b"))
        XCTAssertNotEqual(try Origin(url: "https://h"), try Origin(url: "http://h"))
        XCTAssertNotEqual(try Origin(url: "https://h"), try Origin(url: "https://h:8443"))
        XCTAssertEqual(try Origin(url: "https://h:8443/x").description, "https://h:8443")
        XCTAssertEqual(try Origin(url: "http://[::1]:80").description, "http://[::1]")
    }
}
