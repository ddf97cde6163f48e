import RestwayText
import XCTest

@testable import RestwayRouting

final class BaseURLTests: XCTestCase {
    func testABaseURLIsNormalised() throws {
        let cases = [
            ("HTTPS://API.Example.com:443/v2/", "https://api.example.com/v2"),
            ("http://h", "http://h"), ("http://h:8080/a b/", "http://h:8080/a%20b"),
            ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ]
        for (text, expected) in cases { XCTAssertEqual(try BaseURL(text).text, expected) }
    }

    func testServerPathAndVersionMakeABaseURL() throws {
        func text(_ server: String, _ path: String?, _ version: String?) throws -> String {
            try BaseURL(server: server, path: path, version: version).text
        }
        XCTAssertEqual(
            try text("http://127.0.0.1:8080", "test", "v1"), "http://127.0.0.1:8080/test/v1")
        XCTAssertEqual(try text("http://h/", "/a/b/", nil), "http://h/a/b")
        XCTAssertEqual(try text("http://h", "", "v1"), "http://h/v1")
        XCTAssertEqual(try text("http://h", nil, nil), "http://h")
        XCTAssertThrowsError(try text("http://h", "a?b", nil))
    }

    func testWhatIsNoBaseURLIsRefused() {
        let texts = [
            "", "h", "/a", "http:", "http://", "http:///a", "http:/h", "ftp://h", "file:///etc",
            "http://h?q", "http://h#f", "http://h:0", "http://h:99999", "http://h:x", "http://a b",
            "http://h\\@evil", "http://h/../a", "http://h/a/%2e%2E", "http://a\nb",
            "http://a\u{0}b",
            "http://a%2fb/", "javascript://h", "http://[::1", "http://ex\u{2044}ample.com",
            "http://u:p@h", "http://u@h", "http://@h:1:2",
        ]
        for text in texts {
            guard case .invalidURL? = failure(try BaseURL(text)) else {
                XCTFail(text)
                continue
            }
        }
    }

    func testAMessageShowsTheQueryThatItIsAboutWithoutItsValues() {
        for (text, shown) in [
            ("http://h/?q", "http://h/?q"), ("http://h#part", "http://h#part"),
            ("http://h/a?b=secret&c=secret", "http://h/a?b=...&c=..."),
            ("http://u:secret@h?k=secret#f", "http://h?k=...#f"),
        ] {
            let message = failure(try BaseURL(text))?.message ?? ""
            XCTAssertTrue(message.hasPrefix("URL \"\(shown)\": a base URL has neither"), message)
        }
    }

    func testAMessageShowsTheFormOfAnAbsoluteURL() {
        XCTAssertEqual(
            failure(try BaseURL("127.0.0.1:8123"))?.message,
            "URL \"127.0.0.1:8123\": an absolute URL is expected, such as "
                + "\"https://api.example.com/v1\"")
    }

    func testAnErrorNeverShowsCredentials() {
        for text in [
            "http://user:secret@h/a", "http://user:secret@h?q", "ftp://user:secret@h",
            "http://user:secret@", "http:/user:secret@h", "user:secret@h", "http://a b:secret@h",
            "//user:secret@h", "http://user:sec/ret@h", "http://user:secret@x@h",
        ] {
            guard let error = failure(try BaseURL(text)) else { continue }
            XCTAssertFalse(error.message.contains("sec"), error.message)
            XCTAssertFalse("\(error)".contains("sec"), text)
            if case .invalidURL(let shown, _) = error { XCTAssertFalse(shown.contains("sec")) }
        }
    }

    func testAPathJoinsAndTheSubPathIsKept() throws {
        let base = try BaseURL("https://h/api/v2")
        let cases = [
            ("", "https://h/api/v2"), ("/", "https://h/api/v2"), ("a", "https://h/api/v2/a"),
            ("/a/", "https://h/api/v2/a/"), ("a?b=c", "https://h/api/v2/a?b=c"),
            ("?b", "https://h/api/v2?b"), ("a#f", "https://h/api/v2/a"),
            ("//evil/a", "https://h/api/v2//evil/a"), ("/\u{301}x", "https://h/api/v2/%CC%81x"),
            ("a b/é%20%zz?x y[0]", "https://h/api/v2/a%20b/%C3%A9%20%25zz?x%20y%5B0%5D"),
            ("a\r\nHost: x\u{0}", "https://h/api/v2/a%0D%0AHost:%20x%00"),
            ("a/../b/./c", "https://h/api/v2/a/../b/./c"),
            ("a\\..\\b", "https://h/api/v2/a%5C..%5Cb"),
            ("item:12", "https://h/api/v2/item:12"),
        ]
        for (path, expected) in cases { XCTAssertEqual(try base.url(path: path), expected, path) }
        XCTAssertEqual(try BaseURL("https://h").url(path: ""), "https://h/")
        XCTAssertEqual(try BaseURL("https://h").url(path: "?a"), "https://h/?a")
    }

    func testParametersFollowTheQueryOfThePath() throws {
        let base = try BaseURL("http://h")
        let pairs = [Pair(name: "a", value: "1 2&3"), Pair(name: "é", value: "")]
        XCTAssertEqual(try base.url(path: "x", query: pairs), "http://h/x?a=1%202%263&%C3%A9=")
        XCTAssertEqual(
            try base.url(path: "x?y=1#f", query: pairs), "http://h/x?y=1&a=1%202%263&%C3%A9=")
        XCTAssertEqual(try base.url(path: "x?", query: [pairs[1]]), "http://h/x?%C3%A9=")
    }

    func testAPathNeverClimbsAboveTheBase() throws {
        let base = try BaseURL("https://h/api/v2")
        for path in [
            "..", "/..", "../x", "a/../../b", "%2e%2e/x", "a/.%2E/..", "a//../..", "./../a",
        ] {
            guard case .invalidURL? = failure(try base.url(path: path)) else {
                XCTFail(path)
                continue
            }
        }
        XCTAssertEqual(try base.url(path: "a?../.."), "https://h/api/v2/a?../..")
    }

    func testAnAbsoluteURLIsNoPath() throws {
        let base = try BaseURL("https://h")
        for path in ["http://evil/x", "HTTPS://evil", "ftp://x"] {
            guard case .invalidURL? = failure(try base.url(path: path)) else {
                XCTFail(path)
                continue
            }
        }
    }

    func testThePathBelowTheBaseIsFound() throws {
        let base = try BaseURL("https://h/api/v2")
        XCTAssertEqual(base.relativePath(of: "HTTPS://H:443/api/v2/a/b?c#d"), "a/b")
        XCTAssertEqual(base.relativePath(of: "https://h/api/v2"), "")
        XCTAssertEqual(base.relativePath(of: "https://h/api/v2/"), "")
        for url in [
            "https://h/api/v20/a", "https://h/api", "http://h/api/v2/a", "https://i/api/v2/a",
            "https://h/api/v2/../x", "a", "https://u:p@h/api/v2/a",
        ] {
            XCTAssertNil(base.relativePath(of: url), url)
        }
        XCTAssertEqual(try BaseURL("http://h").relativePath(of: "http://h/a"), "a")
    }

    /// Most paths stand in a URL as they are, and need no parsing.
    func testBothWaysToAURLAndBackAgree() throws {
        let paths = shortTexts(
            of: ["a", "b", "/", ".", "..", "%2E", "%", "?", "#", ":"], upTo: 3)
        var plainCount = 0
        for base in [try BaseURL("http://h"), try BaseURL("https://h:8443/api/v2")] {
            for path in paths {
                let url = try? base.url(path: path)
                XCTAssertEqual(url, try? base.encodedURL(path: path), path)
                for text in [url, base.text + "/" + path, base.text + path] {
                    guard let text else { continue }
                    XCTAssertEqual(base.relativePath(of: text), base.parsedPath(of: text), text)
                    XCTAssertEqual(base.uri(of: text), base.parsedURI(of: text), text)
                }
                if url == base.text + "/" + path { plainCount += 1 }
            }
        }
        XCTAssertGreaterThan(plainCount, 20)
    }

    func testAnEnvironmentTrustsItsOwnOriginAndThoseItNames() throws {
        let environment = Environment(
            name: "x", baseURL: try BaseURL("https://h/a"),
            trustedOrigins: [try Origin(url: "https://cdn.h:8443")])
        XCTAssertTrue(environment.trusts(try Origin(url: "https://H:443/other")))
        XCTAssertTrue(environment.trusts(try Origin(url: "https://cdn.h:8443/x")))
        XCTAssertFalse(environment.trusts(try Origin(url: "http://h")))
        XCTAssertFalse(environment.trusts(try Origin(url: "https://h.evil")))
    }
}
