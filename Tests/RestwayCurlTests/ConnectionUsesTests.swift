import XCTest

@testable import RestwayCurl

final class ConnectionUsesTests: XCTestCase {
    func testAConnectionOfHTTP1CarriesOneExchangeAtATime() {
        var uses = ConnectionUses()
        XCTAssertTrue(uses.begin(onPort: 1, isMultiplexed: false))
        XCTAssertFalse(uses.begin(onPort: 1, isMultiplexed: nil))
        uses.end(onPort: 1)
        XCTAssertTrue(uses.begin(onPort: 1, isMultiplexed: nil))
        XCTAssertFalse(uses.begin(onPort: 1, isMultiplexed: nil))
    }

    func testAConnectionOfHTTP2CarriesMany() {
        var uses = ConnectionUses()
        XCTAssertTrue(uses.begin(onPort: 1, isMultiplexed: true))
        for _ in 0..<3 { XCTAssertTrue(uses.begin(onPort: 1, isMultiplexed: nil)) }
        XCTAssertTrue(uses.begin(onPort: 2, isMultiplexed: false))
        XCTAssertFalse(uses.begin(onPort: 2, isMultiplexed: nil))
    }

    func testANewConnectionOnAnOldPortBeginsAnew() {
        var uses = ConnectionUses()
        XCTAssertTrue(uses.begin(onPort: 1, isMultiplexed: true))
        XCTAssertTrue(uses.begin(onPort: 1, isMultiplexed: false))
        XCTAssertFalse(uses.begin(onPort: 1, isMultiplexed: nil))
    }

    func testAConnectionThatWasNotSeenCarriesAnything() {
        var uses = ConnectionUses()
        uses.end(onPort: 1)
        XCTAssertTrue(uses.begin(onPort: 1, isMultiplexed: nil))
        XCTAssertTrue(uses.begin(onPort: 1, isMultiplexed: nil))
    }
}
