import RestwayHTTP
import XCTest

final class RedirectPolicyTests: XCTestCase {
    private func decide(
        _ status: Int, _ method: String, to location: String? = "https://a.example/next",
        followed: Int = 0
    ) -> RedirectDecision {
        RedirectPolicy.decide(
            status: status, method: method, location: location, from: "https://a.example/x",
            followed: followed, redirectsMax: 3)
    }

    private func follow(_ method: String, keepsBody: Bool) -> RedirectDecision {
        .follow(
            method: method, url: "https://a.example/next", keepsBody: keepsBody, isSameOrigin: true)
    }

    func testTheStatusDecidesMethodAndBody() {
        for status in [301, 302] {
            XCTAssertEqual(decide(status, "POST"), follow("GET", keepsBody: false))
            XCTAssertEqual(decide(status, "PUT"), follow("PUT", keepsBody: true))
            XCTAssertEqual(decide(status, "HEAD"), follow("HEAD", keepsBody: true))
        }
        for method in ["GET", "POST", "PUT", "DELETE"] {
            XCTAssertEqual(decide(303, method), follow("GET", keepsBody: false))
            XCTAssertEqual(decide(307, method), follow(method, keepsBody: true))
            XCTAssertEqual(decide(308, method), follow(method, keepsBody: true))
        }
        XCTAssertEqual(decide(303, "HEAD"), follow("HEAD", keepsBody: false))
    }

    func testEverythingElseIsTheAnswer() {
        for status in [200, 201, 300, 304, 305, 306, 309, 404] {
            XCTAssertEqual(decide(status, "GET"), .stop)
        }
        XCTAssertEqual(decide(302, "GET", to: nil), .stop)
    }

    func testAnotherOriginIsSaidSo() {
        for url in [
            "http://a.example/next", "https://b.example/", "https://a.example:8443/",
            "HTTPS://b.example",
        ] {
            XCTAssertEqual(
                decide(307, "GET", to: url),
                .follow(method: "GET", url: url, keepsBody: true, isSameOrigin: false))
        }
        let same = "https://A.example:443/next"
        XCTAssertEqual(
            decide(307, "GET", to: same),
            .follow(method: "GET", url: same, keepsBody: true, isSameOrigin: true))
    }

    /// RFC 9110, 7.1: the target of a request has no fragment.
    func testAFragmentIsNotAskedFor() {
        for fragment in ["#", "#part", "#a?b#c", "#\u{fc}"] {
            XCTAssertEqual(
                decide(302, "GET", to: "https://a.example/next\(fragment)"),
                follow("GET", keepsBody: true), fragment)
        }
        XCTAssertEqual(decide(302, "GET", to: "#part"), .fail(.invalid))
    }

    func testOnlyHTTPTargetsAndOnlySoMany() {
        for url in ["ftp://a.example/", "file:///etc/passwd", "", "/relative", "javascript:x"] {
            XCTAssertEqual(decide(302, "GET", to: url), .fail(.invalid), url)
        }
        XCTAssertEqual(decide(302, "GET", followed: 2), follow("GET", keepsBody: true))
        XCTAssertEqual(decide(302, "GET", followed: 3), .fail(.tooMany(max: 3)))
    }
}
