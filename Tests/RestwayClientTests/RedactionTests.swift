import RestwayHTTP
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayAuth
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

final class RedactionTests: XCTestCase {
    func testSecretsInQueriesAndHeadersAreReplacedWhateverTheirCase() {
        let redaction = Redaction(["X-Tenant", "pin"])
        XCTAssertEqual(
            redaction.url("http://a.test/x?page=2&Access_Token=abc&pin=1&pinned=2&token"),
            "http://a.test/x?page=2&Access_Token=[redacted]&pin=[redacted]&pinned=2&token")
        XCTAssertEqual(
            redaction.url("http://a.test/?%74oken=abc"), "http://a.test/?%74oken=[redacted]")
        XCTAssertEqual(redaction.url("http://user:pw@a.test/x"), "http://a.test/x")
        XCTAssertEqual(
            redaction.url("http://a.test/?card%5Btoken%5D=abc&a[pin][]=1&user.password=x&a[b]=2"),
            "http://a.test/?card%5Btoken%5D=[redacted]&a[pin][]=[redacted]"
                + "&user.password=[redacted]&a[b]=2")
        for name in [
            "authorization", "Cookie", "SET-COOKIE", "x-tenant", "X-Api-Key", "X-Vendor-Token",
            "x-amz-security-token", "X-Amz-Signature", "X-Client-SECRET", "X-Vendor-Api-Key",
            "accessToken", "clientSecret", "refresh-token", "apiKey", "XTenant",
        ] {
            XCTAssertEqual(redaction.header(HeaderField(name: name, value: "s")), "[redacted]")
        }
        for name in ["Accept", "Idempotency-Key", "X-Tokens", "Token-Kind", "nextPageToken"] {
            XCTAssertEqual(redaction.header(HeaderField(name: name, value: "a")), "a")
        }
    }

    func testFragmentsHoldSecretsToo() {
        XCTAssertEqual(
            Redaction().url("http://a.test/?a=1?token=b#access_token=c&state=d"),
            "http://a.test/?a=1?token=[redacted]#access_token=[redacted]&state=d")
        XCTAssertEqual(
            Redaction().url("http://a.test/#token=b c"), "http://a.test/#token=[redacted] c")
        XCTAssertEqual(Redaction().url("http://a.test/?token"), "http://a.test/?token")
        XCTAssertEqual(Redaction().url("http://a.test/?token="), "http://a.test/?token=[redacted]")
        XCTAssertEqual(Redaction().url(""), "")
    }

    func testURLsInHeadersAreReadAsSuch() {
        let redaction = Redaction(["pin"])
        func shown(_ name: String, _ value: String) -> String {
            redaction.header(HeaderField(name: name, value: value))
        }
        for name in ["Location", "content-location", "Referer"] {
            XCTAssertEqual(
                shown(name, "https://u:hidden@a.test/x?code=hidden&q=1#access_token=hidden"),
                "https://a.test/x?code=[redacted]&q=1#access_token=[redacted]", name)
        }
        XCTAssertEqual(
            shown("Link", "<https://a.test/?page=2&token=x>; rel=\"next\", </?pin=3>; rel=\"last\""
            ),
            "<https://a.test/?page=2&token=[redacted]>; rel=\"next\", "
                + "</?pin=[redacted]>; rel=\"last\"")
        XCTAssertEqual(shown("Refresh", "0; url=/?token=x"), "0; url=/?token=[redacted]")
        XCTAssertEqual(shown("Cache-Control", "max-age=3, token=1"), "max-age=3, token=1")
    }

    func testMessagesAboutURLsQuoteNoQuery() throws {
        let client = try Client(
            api: try TestAPI.load(), options: ClientOptions(), transport: FakeTransport())
        defer { client.close() }
        for path in [
            "http://u:hidden@a.test/?q%75=hidden#hidden", "http://a.test:0/?token=hidden",
            "http://elsewhere.test/?token=hidden", "../../../x?token=hidden",
            "ftp://a.test/?token=hidden", "http://?token=hidden", "a/:id?token=hidden",
        ] {
            XCTAssertThrowsError(try client.send(RequestSpec.get(path)), path) { error in
                XCTAssertFalse("\(error)".contains("hidden"), "\(error)")
                let message = (error as? Failure)?.message ?? ""
                XCTAssertFalse(message.isEmpty || message.contains("hidden"), message)
            }
        }
    }

    func testTheDocumentNamesFurtherSecrets() throws {
        let api = try TestAPI.load(#"{"restway": 1, "redact": ["X-Tenant"]}"#)
        XCTAssertTrue(api.definition.redaction.isSecret("x-tenant"))
        XCTAssertEqual(
            TestAPI.problems(#"{"restway": 1, "redact": [3]}"#),
            ["$.redact[0]: must be a string, is a whole number"])
    }

    func testTheLogTellsTheWholeStoryUnderOneNumberAndNoSecret() throws {
        let lines = Lock<[String]>([])
        let fields = Monitor<[LogFields]>([])
        Log.shared.set(LogLevels(all: .debug)) { record in
            let text = "\(record.level.name) \(record.target.name) \(record.message)"
            lines.withLock { $0.append(text) }
            fields.update { $0.append(record.fields) }
        }
        defer { Log.shared.set(LogLevels(), nil) }
        let transport = FakeTransport()
        let client = try Client(
            api: try TestAPI.load(), options: ClientOptions(), transport: transport)
        var spec = RequestSpec.get("companies/1?token=hidden1&page=2")
        spec.headers = [("Authorization", "Bearer hidden2"), ("Cookie", "hidden3")]
        let call = try client.send(spec)
        transport.answer(
            200, #"{"id": 1, "since": "hidden4"}"#,
            headers: [HeaderField(name: "Set-Cookie", value: "hidden5")])
        _ = try call.wait(milliseconds: 0)
        // The last line of a call is written on its worker, after the waiting threads have been
        // woken.
        let limit = SystemClock().now().advanced(milliseconds: 30_000)
        let told = fields.wait(until: limit) { fields -> [LogFields]? in
            let told = fields.filter { $0.call == call.id }
            return told.contains { $0.status == 200 && $0.milliseconds >= 0 } ? told : nil
        }
        client.close()
        Log.shared.set(LogLevels(), nil)
        let all = lines.withLock { $0 }
        let own = all.filter { $0.contains(" #\(call.id) ") }
        XCTAssertTrue(
            own.contains {
                $0 == "debug routing #\(call.id) GET companies/1?token=[redacted]&page=2, "
                    + "by its path"
            }, own.joined(separator: "\n"))
        XCTAssertTrue(own.contains { $0.hasPrefix("debug transport #\(call.id) > GET http://") })
        XCTAssertTrue(own.contains { $0.hasPrefix("debug transport #\(call.id) < 200") })
        XCTAssertTrue(own.contains { $0.hasPrefix("debug store #\(call.id) 1 objects inserted") })
        XCTAssertTrue(own.contains { $0.hasPrefix("warning mapping #\(call.id) 1 values") })
        XCTAssertTrue(own.contains { $0.contains("page=2") })
        for line in all { XCTAssertFalse(line.contains("hidden"), line) }
        for each in try XCTUnwrap(told) {
            XCTAssertEqual(each.method, "GET")
            XCTAssertTrue(each.url?.hasSuffix("/companies/1") == true, each.url ?? "")
        }
        XCTAssertTrue(told?.contains { $0.attempt == 1 } == true)
    }
}
