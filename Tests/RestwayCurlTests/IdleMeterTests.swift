import RestwayThreads
import XCTest

@testable import RestwayCurl

final class IdleMeterTests: XCTestCase {
    private func at(_ milliseconds: Int64) -> Deadline {
        Deadline(nanoseconds: 1_000).advanced(milliseconds: milliseconds)
    }

    func testAnExchangeIsIdleWhenNoByteHasMovedForItsLimit() {
        var meter = IdleMeter()
        XCTAssertFalse(meter.measure(moved: 0, at: at(0), limitMilliseconds: 100))
        XCTAssertFalse(meter.measure(moved: 0, at: at(99), limitMilliseconds: 100))
        XCTAssertTrue(meter.measure(moved: 0, at: at(100), limitMilliseconds: 100))
    }

    func testEveryByteBeginsTheTimeAnew() {
        var meter = IdleMeter()
        for step in 0..<5 {
            XCTAssertFalse(
                meter.measure(
                    moved: Int64(step), at: at(Int64(step) * 90), limitMilliseconds: 100))
        }
        XCTAssertFalse(meter.measure(moved: 4, at: at(450), limitMilliseconds: 100))
        XCTAssertTrue(meter.measure(moved: 4, at: at(460), limitMilliseconds: 100))
    }

    func testThePauseOfAnExchangeDoesNotCount() {
        var meter = IdleMeter()
        XCTAssertFalse(meter.measure(moved: 7, at: at(0), limitMilliseconds: 100))
        meter.pause()
        XCTAssertFalse(meter.measure(moved: 7, at: at(500), limitMilliseconds: 100))
        XCTAssertTrue(meter.measure(moved: 7, at: at(600), limitMilliseconds: 100))
    }
}
