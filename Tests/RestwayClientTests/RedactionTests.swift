import RestwayHTTP
import RestwayRouting
import RestwaySupport
import XCTest

@testable import RestwayClient

final class RedactionTests: XCTestCase {
    func testSecretsInQueriesAndHeadersAreReplacedWhateverTheirCase() {
        let redaction = Redaction(["X-Tenant", "pin"])
        XCTAssertEqual(
            redaction.url("http://a.test/x?page=2&Access_Token=abc&pin=1&pinned=2&token"),
            "http://a.test/x?page=2&Access_Token=[redacted]&pin=[redacted]&pinned=2&token")
        XCTAssertEqual(
            redaction.url("http://a.test/?%74oken=abc"), "http://a.test/?%74oken=[redacted]")
        XCTAssertEqual(redaction.url("http://user:pw@a.test/x"), "http://a.test/x")
        for name in ["authorization", "Cookie", "SET-COOKIE", "x-tenant", "X-Api-Key"] {
            XCTAssertEqual(redaction.header(HeaderField(name: name, value: "s")), "[redacted]")
        }
        XCTAssertEqual(redaction.header(HeaderField(name: "Accept", value: "a")), "a")
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
        Log.shared.set(.debug) { level, category, message in
            lines.withLock { $0.append("\(level) \(category.rawValue) \(message)") }
        }
        defer { Log.shared.set(.off, nil) }
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
        // The last line of a call is written on its worker, after the waiters have been woken.
        client.close()
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
    }
}
