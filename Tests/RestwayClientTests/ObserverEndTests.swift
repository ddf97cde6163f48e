import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome

/// The end of observers: by removal, by closing their client, by its last release.
final class ObserverEndTests: XCTestCase {
    func testNothingIsToldOnceRemovalHasReturned() throws {
        for mode in [Delivery.Mode.process, .drain] {
            let observed = try ObservedClient(mode)
            let (log, other) = (ChangeLog(), ChangeLog())
            let observer = try observed.observe(.everything, log)
            _ = try observed.observe(.everything, other)
            for number in 1...3 { try observed.store(observed.row(Int64(number))) }
            observed.client.store.remove(observer)
            XCTAssertEqual(log.endCount, 1, "nothing was running")
            try observed.store(observed.row(4))
            if mode == .process {
                XCTAssertEqual(try observed.process(), 4)
                XCTAssertEqual(other.lists.count, 4)
            } else {
                XCTAssertEqual(try observed.client.delivery.drain(max: 100).count, 4)
            }
            XCTAssertEqual(log.lists.count, 0)
            observed.client.store.remove(observer)
            observed.client.close()
            XCTAssertEqual(log.endCount, 1)
        }
    }

    func testTheDescriptorIsQuietAgainWhenOnlyARemovedObserverHadNotices() throws {
        let observed = try ObservedClient(.drain)
        let observer = try observed.observe(.everything, ChangeLog())
        try observed.store(observed.row(1))
        var poll = pollfd(
            fd: try XCTUnwrap(observed.client.delivery.descriptor), events: Int16(POLLIN),
            revents: 0)
        XCTAssertEqual(Glibc.poll(&poll, 1, 0), 1)
        observed.client.store.remove(observer)
        XCTAssertEqual(Glibc.poll(&poll, 1, 0), 0)
        observed.client.close()
    }

    func testRemovalInsideItsOwnNoticeIsTheEnd() throws {
        let observed = try ObservedClient(.thread)
        let log = ChangeLog()
        let observer = Monitor<Observer?>(nil)
        let endedInside = Monitor<Bool?>(nil)
        let made = try observed.client.observe(.everything) { list in
            log.add(list)
            observed.client.store.remove(observer.wait { $0 }!)
            endedInside.update { $0 = log.endCount > 0 }
        } end: {
            log.end()
        }
        // All three notices are queued before the first one runs.
        for number in 1...3 { try observed.store(observed.row(Int64(number))) }
        observer.update { $0 = made }
        XCTAssertEqual(endedInside.wait { $0 }, false)
        log.waitUntilEnded()
        XCTAssertEqual(log.texts, ["+1"])
        observed.client.close()
        XCTAssertEqual(log.endCount, 1)
    }

    func testRemovalByAnotherNoticeOfTheClientLetsNothingMoreThrough() throws {
        for _ in 0..<50 {
            let observed = try ObservedClient(.thread)
            let (log, remover) = (ChangeLog(), ChangeLog())
            let removed = try observed.observe(.everything, log)
            let other = try observed.client.observe(.everything) { list in
                remover.add(list)
                if remover.lists.count == 5 { observed.client.store.remove(removed) }
            }
            inThreads(2) { thread in
                for number in 0..<10 {
                    _ = try? observed.store(observed.row(Int64(thread * 100 + number)))
                }
            }
            remover.waitForLists(20)
            // For each commit, the removed observer was called before the one that removes it.
            XCTAssertEqual(log.lists.count, 5)
            XCTAssertEqual(log.endCount, 1)
            observed.client.store.remove(other)
            observed.client.close()
        }
    }

    func testObserversThatComeAndGoBesideCommitsEndExactlyOnce() throws {
        let observed = try ObservedClient(.thread)
        let logs = Lock<[ChangeLog]>([])
        inThreads(4) { thread in
            guard thread < 2 else {
                for number in 0..<300 {
                    _ = try? observed.store(observed.row(Int64(thread), "\(number)"))
                }
                return
            }
            for _ in 0..<100 {
                let log = ChangeLog()
                guard let observer = try? observed.observe(.everything, log) else { return }
                logs.withLock { $0.append(log) }
                observed.client.store.remove(observer)
            }
        }
        let all = logs.withLock { $0 }
        XCTAssertEqual(all.count, 200)
        for log in all {
            log.waitUntilEnded()
            XCTAssertEqual(log.endCount, 1)
            XCTAssertEqual(log.toldAfterTheEnd, 0)
        }
        observed.client.close()
    }

    func testCloseEndsObserversBehindWhatIsDue() throws {
        let observed = try ObservedClient()
        let (log, idle) = (ChangeLog(), ChangeLog())
        _ = try observed.observe(.everything, log)
        _ = try observed.observe(.entity(observed.note), idle)
        try observed.store(observed.row(1))
        observed.client.close()
        XCTAssertEqual(log.endCount, 0)
        XCTAssertEqual(idle.endCount, 1)
        try observed.store(observed.row(2))
        XCTAssertEqual(try observed.process(), 1)
        XCTAssertEqual(log.texts, ["+1"])
        XCTAssertEqual(log.endCount, 1)
        XCTAssertEqual(
            failure { _ = try observed.observe(.everything, ChangeLog()) }?.reason, .closed)
    }

    func testCloseEndsObserversBehindThePendingCalls() throws {
        let observed = try ObservedClient()
        let log = ChangeLog()
        let done = Lock(0)
        _ = try observed.observe(.everything, log)
        _ = try observed.client.send(.get("companies/1")) { _, _ in done.withLock { $0 += 1 } }
        observed.client.close()
        XCTAssertEqual(try observed.process(), 1)
        XCTAssertEqual(done.withLock { $0 }, 1)
        XCTAssertEqual(log.endCount, 1)
        XCTAssertEqual(log.lists.count, 0)
    }

    func testTheLastReleaseDropsWhatWasNeverFetched() throws {
        let observed = try ObservedClient(.drain)
        let log = ChangeLog()
        _ = try observed.observe(.everything, log)
        for number in 1...3 { try observed.store(observed.row(Int64(number))) }
        observed.client.close()
        XCTAssertEqual(log.endCount, 0)
        observed.client.delivery.drop()
        XCTAssertEqual(log.endCount, 1)
        XCTAssertEqual(try observed.client.delivery.drain(max: 10).count, 0)
    }

    func testWhatADrainHasTakenIsNotGivenOnceTheObserverIsRemoved() throws {
        let observed = try ObservedClient(.drain)
        let log = ChangeLog()
        let observer = try observed.observe(.everything, log)
        try observed.store(observed.row(1))
        try observed.store(observed.row(2))
        let notices = try observed.client.delivery.drain(max: 10)
        var given: [Bool] = []
        for notice in notices {
            guard case .observed(_, let told) = notice else { return XCTFail("no changes") }
            given.append(
                told.tell { _ in
                    observed.client.store.remove(observer)
                    XCTAssertEqual(log.endCount, 0, "it is being told")
                })
        }
        XCTAssertEqual(given, [true, false])
        XCTAssertEqual(log.endCount, 1)
        observed.client.close()
    }
}
