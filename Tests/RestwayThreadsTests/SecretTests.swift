import RestwayThreads
import XCTest

final class SecretTests: XCTestCase {
    func testItsTextIsItsOwnAndIsNeverShown() {
        let secret = Secret("grüße")
        XCTAssertEqual(secret.revealed, "grüße")
        var shown = "\(secret) \(String(reflecting: secret))"
        dump(secret, to: &shown)
        XCTAssertFalse(shown.contains("grüße"))
        XCTAssertEqual(secret, Secret("grüße"))
        XCTAssertNotEqual(secret, Secret("gruesse"))
        XCTAssertTrue(Secret("").isEmpty)
    }

    func testItsMemoryIsOverwrittenWhenItGoes() {
        let text = String(repeating: "secret-", count: 64)
        var left: [UInt8]?
        var secret: Secret? = Secret(text) { left = $0 }
        XCTAssertEqual(secret?.revealed, text)
        XCTAssertNil(left)
        secret = nil
        XCTAssertEqual(left, Array(repeating: 0, count: text.utf8.count))
    }
}
