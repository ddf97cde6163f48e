import Glibc
@testable import RestwayOutbox
import XCTest

/// Waits that were set while the clock of the machine was ahead, and then the clock is corrected.
final class CorrectedClockTests: JournalTestCase {
    private let second: Int64 = 1_000_000
    private let now: Int64 = 1_700_000_000_000_000
    private var day: Int64 { 86_400 * second }

    /// Stores an item and postpones it, with a clock that is ahead.
    private func postponed(
        _ journal: OutboxJournal, ahead: Int64, wait: Int64, asked: Int64 = 0
    ) throws {
        var entry = entry("a")
        entry.createdAt = now + ahead
        _ = try journal.enqueue(entry)
        XCTAssertEqual(try taken(journal, now: now + ahead), [1])
        _ = try journal.settle(
            [
                postpone(
                    1, until: now + ahead + max(wait, asked),
                    asked: asked > 0 ? now + ahead + asked : 0)
            ], now: now + ahead)
    }

    func testAWaitOfTheOutboxKeepsItsLengthInTheSameProcess() throws {
        for ahead in [60, 3_600, 6 * 86_400, 8 * 86_400, 3_650 * 86_400] {
            let journal = try openSender()
            try postponed(journal, ahead: Int64(ahead) * second, wait: 2 * second)
            XCTAssertEqual(try taken(journal, now: now), [], "\(ahead)")
            XCTAssertEqual(try journal.nextAttemptAt(), now + 2 * second)
            XCTAssertEqual(try taken(journal, now: now + 2 * second), [1])
            journal.close()
            removeFiles()
        }
    }

    func testAWaitOfTheOutboxKeepsItsLengthAfterARestart() throws {
        let first = try openSender()
        try postponed(first, ahead: 3_600 * second, wait: 2 * second)
        first.close()
        let journal = try openSender()
        XCTAssertEqual(try taken(journal, now: now), [])
        XCTAssertEqual(try taken(journal, now: now + 2 * second), [1])
        journal.close()
    }

    func testAWaitThatAServerAskedForKeepsItsLength() throws {
        let journal = try openSender()
        try postponed(journal, ahead: day, wait: second, asked: 600 * second)
        XCTAssertEqual(try taken(journal, now: now), [])
        XCTAssertEqual(try journal.nextAttemptAt(), now + 600 * second)
        try journal.hurry(forced: false, now: now)
        XCTAssertEqual(try taken(journal, now: now + 599 * second), [])
        XCTAssertEqual(try taken(journal, now: now + 600 * second), [1])
        journal.close()
    }

    func testTheFirstWaitBeganWhenTheItemWasStored() throws {
        let journal = try openSender()
        var entry = entry("a")
        entry.createdAt = now + day
        entry.progress.nextAttemptAt = now + day + 2 * second
        _ = try journal.enqueue(entry)
        XCTAssertEqual(try taken(journal, now: now), [])
        XCTAssertEqual(try taken(journal, now: now + 2 * second), [1])
        journal.close()
    }

    func testAClockThatWasRightChangesNothing() throws {
        let journal = try openSender()
        try postponed(journal, ahead: 0, wait: 100 * second)
        XCTAssertEqual(try taken(journal, now: now + 50 * second), [])
        XCTAssertEqual(try journal.nextAttemptAt(), now + 100 * second)
        // It goes back while the item waits, but not before the wait began.
        XCTAssertEqual(try taken(journal, now: now + 10 * second), [])
        XCTAssertEqual(try journal.nextAttemptAt(), now + 100 * second)
        journal.close()
    }

    /// The document has a shorter limit than the one with which the wait was set.
    func testAWaitOfTheOutboxIsNeverLongerThanItsLimit() throws {
        let first = try openSender()
        try postponed(first, ahead: 0, wait: 300 * second)
        first.close()
        let journal = try openSender { $0.rules.capMilliseconds = 2_000 }
        XCTAssertEqual(try taken(journal, now: now), [])
        XCTAssertEqual(try taken(journal, now: now + 2 * second), [1])
        journal.close()
    }

    private func removeFiles() {
        for suffix in ["", "-wal", "-shm", "-sender"] { unlink(path + suffix) }
    }
}
