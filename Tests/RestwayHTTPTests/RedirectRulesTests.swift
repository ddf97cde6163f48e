import RestwayHTTP
import XCTest

final class RedirectRulesTests: XCTestCase {
    private static let names = [
        "Accept", "Accept-Charset", "accept-encoding", "Accept-Language", "Authorization",
        "Content-Encoding", "Content-Type", "Cookie", "If-Match", "If-Modified-Since",
        "If-None-Match", "If-Range", "If-Unmodified-Since", "Idempotency-Key", "Prefer", "Range",
        "Referer", "TraceParent", "tracestate", "User-Agent", "X-Key", "X-Request-ID",
    ]

    private func kept(
        _ rules: RedirectRules = RedirectRules(), keepsBody: Bool, isTrusted: Bool = false
    ) -> [String] {
        rules.headers(
            Self.names.map { HeaderField(name: $0, value: "1") }, keepsBody: keepsBody,
            isTrusted: isTrusted
        ).map(\.name)
    }

    func testAnotherOriginGetsTheHeadersOfTheListAlone() {
        let expected = [
            "Accept", "accept-encoding", "Accept-Language", "If-Match", "If-Modified-Since",
            "If-None-Match", "If-Range", "If-Unmodified-Since", "Prefer", "Range", "TraceParent",
            "tracestate", "User-Agent",
        ]
        XCTAssertEqual(kept(keepsBody: false), expected)
        let added = RedirectRules(addedNames: ["x-request-id"])
        XCTAssertEqual(kept(added, keepsBody: false), expected + ["X-Request-ID"])
    }

    func testHeadersOfTheBodyFollowTheBody() {
        let ofBody = ["Content-Encoding", "Content-Type"]
        XCTAssertEqual(kept(keepsBody: true).filter { $0.hasPrefix("Content-") }, ofBody)
        let named = RedirectRules(addedNames: ["Content-Type"])
        XCTAssertFalse(kept(named, keepsBody: false).contains("Content-Type"))
        XCTAssertEqual(
            kept(keepsBody: false, isTrusted: true), Self.names.filter { !ofBody.contains($0) })
        XCTAssertEqual(kept(keepsBody: true, isTrusted: true), Self.names)
    }

    func testABodyGoesToTrustedOriginsUnlessTheDocumentSaysOtherwise() {
        XCTAssertFalse(RedirectRules().mayCarryBody(isTrusted: false))
        XCTAssertTrue(RedirectRules().mayCarryBody(isTrusted: true))
        XCTAssertTrue(RedirectRules(carriesBodies: true).mayCarryBody(isTrusted: false))
    }
}
