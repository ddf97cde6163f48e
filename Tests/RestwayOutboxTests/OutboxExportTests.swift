import RestwayHTTP
import RestwayJSON
import RestwayObjects
import RestwayOutcome
@testable import RestwayOutbox
import RestwayThreads
import XCTest

/// Tests the form in which people see an item.
final class OutboxExportTests: XCTestCase {
    private let export = OutboxExport(
        isSecret: OutboxExportTests.isSecret,
        redaction: BodyRedaction(
            isSecretField: OutboxExportTests.isSecret, isSecretMember: OutboxExportTests.isSecret))

    private static func isSecret(_ name: String) -> Bool {
        ["password", "x-secret"].contains(name.lowercased())
    }

    private func json(_ mediaType: String?, _ body: String?) -> JSONValue {
        var entry = OutboxEntry(
            lane: Lane(named: "a"), method: "POST",
            path: "https://me:hush@example.com/login?password=hush&b=1",
            headers: [HeaderField(name: "X-Secret", value: "hush")],
            body: body.map { Array($0.utf8) }, idempotencyKey: "key", createdAt: 7)
        if let mediaType {
            entry.headers.append(HeaderField(name: "Content-Type", value: mediaType))
        }
        entry.origin.discriminator = "user 7"
        entry.progress.trouble = OutboxTrouble(code: "http", httpStatus: 422, message: "no")
        let answer = OutboxAnswer(
            status: 422, headers: [HeaderField(name: "x-secret", value: "hush")],
            body: Array("{\"password\": \"hush\"}".utf8))
        return export.json(
            OutboxItem(
                id: 3, entry: entry, state: .dead, answer: answer, dependencies: [.random()]))
    }

    private func text(_ value: JSONValue) -> String {
        String(decoding: value.text(), as: UTF8.self)
    }

    func testAParkedItemSaysWhatItsConflictIs() {
        var entry = OutboxEntry(
            lane: Lane(named: "a"), method: "PATCH", path: "notes/1", idempotencyKey: "key",
            createdAt: 7)
        entry.conflict = ItemConflict(
            kind: .theyDeleted, tries: 2, refused: ObjectVersion("\"a\""))
        let json = export.json(OutboxItem(id: 3, entry: entry, state: .parked))
        XCTAssertEqual(json["state"]?.string, "parked")
        XCTAssertEqual(
            json["conflict"].map(text),
            "{\"kind\":\"theyDeleted\",\"tries\":2,\"refused\":\"\\\"a\\\"\"}")
    }

    func testSecretsAreLeftOutEverywhere() {
        let body = "{\"user\": {\"password\": {\"a\": \"hush\"}, \"list\": [{\"PASSWORD\": 1}]}}"
        let json = json("application/json", body)
        XCTAssertFalse(text(json).contains("hush"), text(json))
        XCTAssertEqual(
            json["body"].map(text),
            "{\"user\":{\"password\":\"[redacted]\",\"list\":[{\"PASSWORD\":\"[redacted]\"}]}}")
        XCTAssertEqual(json["headers"]?["X-Secret"]?.string, "[redacted]")
        XCTAssertEqual(json["state"]?.string, "dead")
        XCTAssertEqual(json["id"]?.integer, 3)
        XCTAssertEqual(json["discriminator"]?.string, "user 7")
        XCTAssertEqual(json["lastError"]?["message"]?.string, "no")
        XCTAssertEqual(json["answer"]?["status"]?.integer, 422)
        XCTAssertEqual(json["waitsFor"]?.elements?.count, 1)
    }

    func testFormsAreReadAndOtherBodiesOnlyCounted() {
        let form = json("application/x-www-form-urlencoded; charset=utf-8", "a=1&password=hush")
        XCTAssertEqual(form["body"]?.string, "a=1&password=[redacted]")
        let nested = json("application/x-www-form-urlencoded", "a%5Bpassword%5D=hush")
        XCTAssertEqual(nested["body"]?.string, "a%5Bpassword%5D=[redacted]")
        func part(_ content: String) -> String {
            "--B\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\(content)"
                + "\r\n--B--\r\n"
        }
        let multipart = json("multipart/form-data; boundary=B", part("hush"))
        XCTAssertEqual(multipart["body"]?.string, part("[redacted]"))
        let plain = json("text/plain", "hush")
        XCTAssertNil(plain["body"])
        XCTAssertEqual(plain["bodyByteCount"]?.integer, 4)
        let broken = json("application/json", "{\"password\": \"hush")
        XCTAssertNil(broken["body"])
        XCTAssertEqual(broken["bodyByteCount"]?.integer, 18)
        XCTAssertNil(json(nil, nil)["bodyByteCount"])
    }
}
