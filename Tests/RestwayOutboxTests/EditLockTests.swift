import Glibc
@testable import RestwayOutbox
import RestwayOutcome
import RestwayThreads
import XCTest

/// The lock between requests that are being stored and comparisons of journal and store.
final class EditLockTests: JournalTestCase {
    func testNothingIsComparedWhileARequestIsBeingStored() throws {
        let journal = try open()
        let other = try open()
        defer {
            journal.close()
            other.close()
        }
        for lock in [journal.editLock, other.editLock] {
            journal.editLock.beginStoring()
            journal.editLock.beginStoring()
            journal.editLock.endStoring()
            let compared = Monitor(false)
            let isOver = Monitor(false)
            XCTAssertTrue(
                Thread.start("compare") {
                    _ = try? lock.compare { () throws(Failure) in compared.update { $0 = true } }
                    isOver.update { $0 = true }
                })
            XCTAssertFalse(compared.withLock { $0 })
            journal.editLock.endStoring()
            XCTAssertNotNil(isOver.wait { $0 ? true : nil })
            XCTAssertTrue(compared.withLock { $0 })
        }
    }

    func testARequestIsStoredAfterAComparison() throws {
        let journal = try open()
        let other = try open()
        defer {
            journal.close()
            other.close()
        }
        for lock in [journal.editLock, other.editLock] {
            let isStoring = Monitor(false)
            let isDone = try journal.editLock.compare { () throws(Failure) in
                XCTAssertTrue(
                    Thread.start("store") {
                        lock.beginStoring()
                        isStoring.update { $0 = true }
                        lock.endStoring()
                    })
                XCTAssertFalse(isStoring.withLock { $0 })
            }
            XCTAssertTrue(isDone)
            XCTAssertNotNil(isStoring.wait { $0 ? true : nil })
        }
    }

    func testBothSidesMayWorkAsSoonAsTheOtherOneHasEnded() throws {
        let journal = try open()
        defer { journal.close() }
        XCTAssertTrue(try journal.editLock.compare { () throws(Failure) in })
        journal.editLock.beginStoring()
        journal.editLock.endStoring()
        XCTAssertTrue(try journal.editLock.compare { () throws(Failure) in })
        XCTAssertTrue(try journal.becomeSender(), "the sender's lock is another one")
        XCTAssertTrue(try journal.editLock.compare { () throws(Failure) in })
    }
}
