import XCTest

@testable import RestwayThreads

final class ForkTests: XCTestCase {
    private let past = Deadline(nanoseconds: 0)

    func testAForkClosesAGateThatNobodyIsIn() {
        let member = ForkGate().member
        XCTAssertTrue(member.close(past))
        member.openInParent()
    }

    func testAForkDoesNotWaitForAGateLongerThanItMay() {
        let gate = ForkGate()
        let member = gate.member
        XCTAssertFalse(gate.pass { member.close(past) })
        // The gate is open again, for threads and for the next fork.
        XCTAssertEqual(gate.pass { 7 }, 7)
        XCTAssertTrue(member.close(past))
        member.openInParent()
    }

    func testAThreadWaitsWhileAGateIsClosed() {
        let gate = ForkGate()
        let member = gate.member
        XCTAssertTrue(member.close(past))
        let passed = Monitor(false)
        XCTAssertTrue(Thread.start("passing") { gate.pass { passed.update { $0 = true } } })
        XCTAssertFalse(passed.withLock { $0 })
        member.openInParent()
        XCTAssertEqual(passed.wait { $0 ? true : nil }, true)
    }

    func testAnAttemptIsRepeatedUntilTheDeadline() {
        var attempts = 0
        let isTaken = ForkBarrier.take(until: .never) {
            attempts += 1
            return attempts == 3
        }
        XCTAssertTrue(isTaken)
        XCTAssertEqual(attempts, 3)
        XCTAssertFalse(ForkBarrier.take(until: past) { false })
    }

    func testAClockStandsStillWhenItCannotShowTheTime() {
        let clock = ManualClock()
        let (now, wall) = (clock.now(), clock.wallMicroseconds())
        for milliseconds in [Int64.max, Int64.max / 1_000, Int64.max / 100_000] {
            XCTAssertFalse(clock.advance(milliseconds: milliseconds), "\(milliseconds)")
        }
        XCTAssertEqual(clock.now(), now)
        XCTAssertEqual(clock.wallMicroseconds(), wall)
        XCTAssertTrue(clock.advance(milliseconds: 100 * 365 * 86_400_000))
        XCTAssertGreaterThan(clock.now(), now)
    }
}
