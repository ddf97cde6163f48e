@testable import RestwayCurl
import RestwaySupport
import XCTest

/// When a thread that waits looks for its answer, and when it sleeps.
final class BusyPollTests: XCTestCase {
    /// Something that happens so many looks after the wait began; a look takes a millisecond.
    private final class Answers {
        let clock = ManualClock()
        private(set) var looks = 0
        private(set) var sleeps = 0

        /// The end of one wait for an answer that comes after so many milliseconds.
        func wait(_ poll: inout BusyPoll, milliseconds: Int64) -> Int32 {
            let due = clock.now().advanced(milliseconds: milliseconds)
            return poll.wait { maySleep in
                if maySleep {
                    sleeps += 1
                    clock.advance(milliseconds: due.milliseconds(since: clock.now()))
                    return 1
                }
                looks += 1
                clock.advance(milliseconds: 1)
                return clock.now() < due ? 0 : 1
            }
        }
    }

    private let answers = Answers()

    private func makePoll(milliseconds: Int) -> BusyPoll {
        BusyPoll(microseconds: milliseconds * 1_000, clock: answers.clock)
    }

    func testTheFirstAnswerIsSleptForTheNextOnesAreNot() {
        var poll = makePoll(milliseconds: 10)
        for _ in 0..<5 { XCTAssertEqual(answers.wait(&poll, milliseconds: 5), 1) }
        XCTAssertEqual(answers.sleeps, 1)
        XCTAssertEqual(answers.looks, 4 * 5)
    }

    func testAnswersThatTakeLongAreSleptFor() {
        var poll = makePoll(milliseconds: 10)
        for _ in 0..<100 { XCTAssertEqual(answers.wait(&poll, milliseconds: 50), 1) }
        XCTAssertEqual(answers.sleeps, 100)
        XCTAssertEqual(answers.looks, 0)
    }

    func testWhatComesLittleTooLateIsLookedForEverMoreSeldom() {
        var poll = makePoll(milliseconds: 10)
        var looked: [Int] = []
        for number in 0..<10_000 {
            let before = answers.looks
            XCTAssertEqual(answers.wait(&poll, milliseconds: 15), 1)
            if answers.looks > before {
                looked.append(number)
                XCTAssertEqual(answers.looks - before, 10)
            }
        }
        XCTAssertEqual(answers.sleeps, 10_000, "who looks in vain sleeps then")
        XCTAssertEqual(Array(looked.prefix(6)), [1, 4, 9, 18, 35, 68])
        let last = zip(looked.dropFirst(), looked).map { $0 - $1 }.suffix(5)
        XCTAssertEqual(Array(last), Array(repeating: 1_025, count: 5))
    }

    func testAnAnswerInTimeMakesUpForLooksInVain() {
        var poll = makePoll(milliseconds: 10)
        for _ in 0..<5 { _ = answers.wait(&poll, milliseconds: 15) }
        // The second and the fifth looked in vain: four short ones must be slept through.
        for _ in 0..<4 { _ = answers.wait(&poll, milliseconds: 5) }
        let sleeps = answers.sleeps
        for _ in 0..<100 { _ = answers.wait(&poll, milliseconds: 5) }
        XCTAssertEqual(answers.sleeps, sleeps)
        _ = answers.wait(&poll, milliseconds: 15)
        for _ in 0..<3 { _ = answers.wait(&poll, milliseconds: 5) }
        XCTAssertEqual(answers.sleeps, sleeps + 1 + 2, "as after the first look in vain")
    }

    func testWithoutALimitNobodyLooks() {
        var poll = makePoll(milliseconds: 0)
        for _ in 0..<10 { XCTAssertEqual(answers.wait(&poll, milliseconds: 0), 1) }
        XCTAssertEqual(answers.looks, 0)
    }

    func testAnInterruptedLookIsHandedOn() {
        var poll = makePoll(milliseconds: 10)
        _ = answers.wait(&poll, milliseconds: 1)
        XCTAssertEqual(poll.wait { _ in -1 }, -1)
    }
}
