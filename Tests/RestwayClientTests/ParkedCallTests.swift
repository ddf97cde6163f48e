import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome

/// A clock whose timers block the thread that sets them, until the test releases it.
private final class StoppingClock: Clock, Timers {
    let clock: ManualClock
    /// Called with the distance of each timer that was set; it may block.
    let isSet: @Sendable (_ milliseconds: Int64) -> Void

    init(_ clock: ManualClock, _ isSet: @escaping @Sendable (Int64) -> Void) {
        self.clock = clock
        self.isSet = isSet
    }

    func now() -> Deadline { clock.now() }
    func wallMicroseconds() -> Int64 { clock.wallMicroseconds() }

    func schedule(
        at deadline: Deadline, _ job: @escaping @Sendable () -> Void
    ) -> TimerTicket {
        let milliseconds = deadline.milliseconds(since: clock.now())
        let ticket = clock.schedule(at: deadline, job)
        isSet(milliseconds)
        return ticket
    }
}

/// A call that waits twice, while the thread that began the first wait is still busy with it.
final class ParkedCallTests: AuthTestCase {
    /// The distances of the timers in this test: the call's time limit, and its next attempt.
    private static let limit: Int64 = 50_000
    private static let attemptMax: Int64 = 5_000

    private struct Course {
        var isTimed = false
        var isRetrying = false
        var isSent = false
    }

    /// The timer of a wait that had ended once replaced the timer of the next attempt, and the call
    /// never continued.
    func testTheTimerOfAWaitThatIsOverDoesNotReplaceTheNextOne() throws {
        let course = Monitor(Course())
        let stopping = StoppingClock(clock) { milliseconds in
            if milliseconds == Self.limit {
                course.update { $0.isTimed = true }
                course.wait { $0.isRetrying ? () : nil }
            } else if milliseconds <= Self.attemptMax {
                course.update { $0.isRetrying = true }
                course.wait { $0.isSent ? () : nil }
            }
        }
        let client = try client(
            auth: #"{"scheme": "bearer"}"#,
            retry: """
                {"attempts": 2, "baseMilliseconds": \(Self.attemptMax),
                 "deadlineMilliseconds": \(Self.limit)}
                """, refreshes: true,
            clock: stopping)
        let call = Monitor<Call?>(nil)
        Thread.detachNewThread {
            let sent = try? client.send(.get("things"))
            course.update { $0.isSent = true }
            call.update { $0 = sent }
        }
        course.wait { $0.isTimed ? () : nil }
        XCTAssertTrue(try nextRefresh().succeed(token("t2")))
        transport.answer(503)
        let sent = try XCTUnwrap(call.wait { $0 })
        clock.advance(milliseconds: Self.attemptMax)
        transport.answer(200)
        XCTAssertEqual(try sent.wait(milliseconds: 0).attempts.map(\.reason), [.first, .retry])
    }
}
