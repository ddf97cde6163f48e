import RestwayThreads
import XCTest

final class LockTests: XCTestCase {
    func testManyThreadsLoseNoIncrement() {
        let counter = Lock(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 { counter.withLock { $0 += 1 } }
        }
        XCTAssertEqual(counter.withLock { $0 }, 80_000)
    }

    func testErrorsPassThroughAndReleaseTheLock() {
        struct Expected: Error {}
        let lock = Lock(1)
        XCTAssertThrowsError(
            try lock.withLock { (_: inout Int) throws(Expected) -> Void in throw Expected() })
        XCTAssertEqual(lock.withLock { $0 }, 1)
    }
}
