import RestwayHTTP
import XCTest

final class ExchangeTests: XCTestCase {
    func testOnlySafeOrKeyedExchangesAreRepeatable() {
        for method in ["GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "SEARCH"] {
            XCTAssertTrue(Exchange(method: method, url: "").isRepeatable)
        }
        let key = HeaderField(name: "IDEMPOTENCY-KEY", value: "1")
        for method in ["POST", "PATCH", "PUT", "DELETE", "M-SEARCH", "get"] {
            XCTAssertFalse(Exchange(method: method, url: "").isRepeatable)
            XCTAssertTrue(Exchange(method: method, url: "", headers: [key]).isRepeatable)
        }
    }
}
