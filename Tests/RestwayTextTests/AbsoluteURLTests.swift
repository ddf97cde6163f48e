import RestwayText
import XCTest

final class AbsoluteURLTests: XCTestCase {
    private func isValid(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { AbsoluteURL.isValid($0) }
    }

    func testAbsoluteURLsOfAnySchemeAreValid() {
        for url in [
            "http://a", "https://user:word@example.com:8443/a/b;c?d=e&f#g", "HTTP://EXAMPLE.COM/",
            "http://[2001:db8::1]/", "http://[::1]:65535", "file:///etc/hosts", "file://host/a",
            "mailto:someone@example.com", "urn:isbn:0451450523", "tel:+1-201-555-0123",
            "data:text/plain;base64,AA==", "http://a/%C3%A9", "x-app+2.0://open?id=1",
            "http://a:", "http://user@a",
        ] {
            XCTAssertTrue(isValid(url), url)
        }
    }

    func testAnythingElseIsNot() {
        for text in [
            "", ":", "a", "http:", "http://", "http:///path", "http://:80", "//example.com",
            "/path", "example.com/path", "1http://a", "ht tp://a", "http://a b", "http://a/\n",
            "http://a/%", "http://a/%4", "http://a/%zz", "http://a/<b>", "http://a\\b",
            "http://é", "http://a:65536", "http://a:8o", "http://[::1", "http://[]",
            "http://[::1]8", "http://user@", "http://a/|", "http://a/\u{7F}", "-a:b",
        ] {
            XCTAssertFalse(isValid(text), text)
        }
    }
}
