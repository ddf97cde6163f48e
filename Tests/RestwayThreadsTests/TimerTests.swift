import XCTest

@testable import RestwayThreads

final class TimerTests: XCTestCase {
    private func names(
        _ heap: inout DeadlineHeap<TimerTicket>, _ now: Int64, _ ran: Lock<[Int]>
    ) -> [Int] {
        for ticket in heap.popDue(at(now)) { ticket.run() }
        return ran.withLock { ran in
            defer { ran = [] }
            return ran
        }
    }

    private func at(_ milliseconds: Int64) -> Deadline {
        Deadline(nanoseconds: 1).advanced(milliseconds: milliseconds)
    }

    func testJobsComeOutInTheOrderOfTheirTime() {
        var heap = DeadlineHeap<TimerTicket>()
        var random = SeededRandom(seed: 5)
        let ran = Lock<[Int]>([])
        var expected: [(time: Int64, name: Int)] = []
        var tickets: [TimerTicket] = []
        for name in 0..<500 {
            let time = Int64.random(in: 0..<100, using: &random)
            let ticket = TimerTicket { ran.withLock { $0.append(name) } }
            tickets.append(ticket)
            heap.insert(ticket, at: at(time))
            expected.append((time, name))
        }
        for name in stride(from: 0, to: 500, by: 3) { tickets[name].cancel() }
        expected.removeAll { $0.name % 3 == 0 }
        for time in stride(from: 9 as Int64, through: 99, by: 10) {
            let due = expected.filter { $0.time <= time && $0.time > time - 10 }
                .sorted { ($0.time, $0.name) < ($1.time, $1.name) }
            XCTAssertEqual(names(&heap, time, ran), due.map(\.name))
        }
        XCTAssertEqual(heap.count, 0)
    }

    func testElementsThatNoLongerWaitAreSwept() {
        var wanted: Set = [1, 3, 5, 7, 9]
        var heap = DeadlineHeap<Int> { wanted.contains($0) }
        for number in [5, 3, 9, 1, 7, 3] { heap.insert(number, at: at(Int64(number))) }
        XCTAssertEqual(heap.popDue(at(0)), [])
        XCTAssertEqual(heap.popDue(at(1)), [1])
        wanted = [5, 7, 9]
        heap.sweep()
        XCTAssertEqual(heap.popDue(.never), [5, 7, 9])
    }

    func testAManualClockRunsWhatIsDueAndSaysHowLongTheNextOneWaits() {
        let clock = ManualClock()
        let ran = Monitor<[Int]>([])
        _ = clock.schedule(at: clock.now().advanced(milliseconds: 20)) { ran.update { $0 += [2] } }
        let dropped = clock.schedule(at: clock.now().advanced(milliseconds: 5)) {
            ran.update { $0 += [0] }
        }
        _ = clock.schedule(at: clock.now().advanced(milliseconds: 10)) { ran.update { $0 += [1] } }
        XCTAssertEqual(clock.nextMilliseconds, 5)
        dropped.cancel()
        XCTAssertEqual(clock.nextMilliseconds, 10)
        let wall = clock.wallMicroseconds()
        clock.advance(milliseconds: 10)
        XCTAssertEqual(clock.wallMicroseconds(), wall + 10_000)
        XCTAssertNotNil(ran.wait { $0 == [1] ? () : nil })
        XCTAssertEqual(clock.nextMilliseconds, 10)
        clock.advance(milliseconds: 10)
        XCTAssertNotNil(ran.wait { $0 == [1, 2] ? () : nil })
        XCTAssertNil(clock.nextMilliseconds)
    }

    func testTheSystemsTimersRunWhatIsDueAndNotBefore() {
        let timers = SystemTimers()
        let clock = SystemClock()
        let ran = Monitor<[Int]>([])
        let start = clock.now()
        _ = timers.schedule(at: .never) { ran.update { $0 += [9] } }
        let dropped = timers.schedule(at: start.advanced(milliseconds: 20)) {
            ran.update { $0 += [0] }
        }
        _ = timers.schedule(at: start.advanced(milliseconds: 30)) { ran.update { $0 += [2] } }
        _ = timers.schedule(at: start.advanced(milliseconds: 5)) { ran.update { $0 += [1] } }
        XCTAssertNotNil(ran.wait { $0.contains(1) ? () : nil })
        dropped.cancel()
        XCTAssertNotNil(ran.wait { $0.contains(2) ? () : nil })
        XCTAssertGreaterThanOrEqual(clock.now(), start.advanced(milliseconds: 30))
        XCTAssertFalse(ran.withLock { $0.contains(9) })
    }

    func testACancelledJobLetsGoOfWhatItHolds() {
        final class Held {}
        weak var weakHeld: Held?
        let clock = ManualClock()
        var ticket: TimerTicket?
        do {
            let held = Held()
            weakHeld = held
            nonisolated(unsafe) let sent = held
            ticket = clock.schedule(at: clock.now().advanced(milliseconds: 1)) { _ = sent }
        }
        XCTAssertNotNil(weakHeld)
        ticket?.cancel()
        XCTAssertNil(weakHeld)
    }
}
