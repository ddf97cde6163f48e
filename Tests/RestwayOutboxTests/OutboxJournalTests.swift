import RestwayHTTP
@testable import RestwayOutbox
import RestwaySQLite
import XCTest

/// Stored requests are taken out in order, once.
final class OutboxJournalTests: JournalTestCase {
    func testNoItemIsTakenThatMayNotGo() throws {
        let journal = try openSender()
        for number in 0..<20 { _ = try journal.enqueue(entry("lane \(number)")) }
        for itemsMax in [1, 16] {
            var questions = 0
            let items = try journal.take(
                itemsMax: itemsMax, now: 0,
                if: {
                    questions += 1
                    return false
                })
            XCTAssertEqual(items, [])
            XCTAssertEqual(questions, 1)
        }
        XCTAssertEqual(try journal.counts().sending, 0)
        XCTAssertEqual(try taken(journal, 16).count, 16)
    }

    func testWhatIsEnqueuedIsThereAgainAfterwards() throws {
        var given = entry("a", path: "things/é?x=1", body: "{\"a\": 1}", creates: .random())
        given.headers = [
            HeaderField(name: "Content-Type", value: "application/json"),
            HeaderField(name: "X-Empty", value: ""), HeaderField(name: "X-Colons", value: "a: b"),
        ]
        given.progress.attempts = 1
        given.progress.mayHaveArrived = true
        given.progress.trouble = trouble("timedOut")
        given.origin = .init(
            route: "add", entity: "Thing", storeKey: 77, context: [0, 255, 1])
        let id = try open().enqueue(given)
        let journal = try open()
        let item = try XCTUnwrap(journal.item(id))
        XCTAssertEqual(item, OutboxItem(id: id, entry: given))
        XCTAssertEqual(try journal.items(after: 0, itemsMax: 10), [item])
        XCTAssertEqual(try journal.counts(), OutboxCounts(waiting: 1, dead: 0))
        XCTAssertTrue(try journal.holds(given.lane))
        XCTAssertFalse(try journal.holds(Lane(named: "elsewhere")))
    }

    func testNoBodyAndAnEmptyBodyAreDifferent() throws {
        let journal = try open()
        let (none, empty) = (try journal.enqueue(entry()), try journal.enqueue(entry(body: "")))
        XCTAssertNil(try XCTUnwrap(journal.item(none)).entry.body)
        XCTAssertEqual(try journal.item(empty)?.entry.body, [])
    }

    func testNumbersGrowAndAreNeverGivenAgain() throws {
        var journal = try open()
        let first = try journal.enqueue(entry())
        let second = try journal.enqueue(entry())
        XCTAssertGreaterThan(second, first)
        XCTAssertEqual(try journal.dropAll().items.count, 2)
        journal = try open()
        XCTAssertGreaterThan(try journal.enqueue(entry()), second)
    }

    func testCredentialsAndCookiesAreNotStored() throws {
        let journal = try open { $0.secretHeaders = ["x-api-key"] }
        var given = entry()
        let kept = HeaderField(name: "X-Kept", value: "1")
        given.headers = ["AUTHORIZATION", "Proxy-Authorization", "Cookie", "X-Api-Key"].map {
            HeaderField(name: $0, value: "secret-value")
        } + [kept]
        let id = try journal.enqueue(given)
        XCTAssertEqual(try journal.item(id)?.entry.headers, [kept])
        XCTAssertTrue(try journal.becomeSender())
        _ = try taken(journal)
        let answer = OutboxAnswer(
            status: 422,
            headers: [HeaderField(name: "Set-Cookie", value: "secret-value"), kept], body: [1])
        _ = try journal.settle([.bury(id: id, trouble: trouble(), answer: answer)])
        XCTAssertEqual(try journal.item(id)?.answer?.headers, [kept])
        given.path = "https://user:secret-value@example.com/things"
        XCTAssertEqual(refusal { _ = try journal.enqueue(given) }, .credentialInPath)
        let connection = try Connection(path)
        try connection.checkpoint()
        XCTAssertFalse(try bytes(path).contains("secret-value"))
        XCTAssertFalse(try bytes(path + "-wal").contains("secret-value"))
    }

    private func bytes(_ path: String) throws -> String {
        let file = try XCTUnwrap(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 22)
        return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
    }

    func testAHeaderThatWouldBecomeTwoIsRefused() throws {
        let journal = try open()
        for field in [
            HeaderField(name: "X", value: "a\nY: b"), HeaderField(name: "X\nY", value: "a"),
        ] {
            var given = entry()
            given.headers = [field]
            XCTAssertEqual(refusal { _ = try journal.enqueue(given) }, .invalidHeader(field.name))
        }
        XCTAssertEqual(try journal.counts().all, 0)
    }

    // MARK: Lanes

    func testLanesKeepTheirOrderAndDoNotWaitForEachOther() throws {
        let journal = try openSender()
        let ids = try ["a", "b", "a", "b", "c"].map { try journal.enqueue(entry($0)) }
        XCTAssertEqual(try taken(journal), [ids[0], ids[1], ids[4]])
        XCTAssertEqual(try taken(journal), [])
        _ = try journal.settle([.remove(id: ids[1])])
        XCTAssertEqual(try taken(journal), [ids[3]])
        _ = try journal.settle([.remove(id: ids[0]), .remove(id: ids[4])])
        XCTAssertEqual(try taken(journal), [ids[2]])
        XCTAssertEqual(try journal.settle([.remove(id: ids[2])]).missing, [])
        XCTAssertEqual(try journal.settle([.remove(id: ids[2])]).missing, [ids[2]])
        XCTAssertEqual(try journal.counts(), OutboxCounts(waiting: 1, dead: 0))
    }

    func testWhatIsReleasedIsTakenAgainUnchanged() throws {
        let journal = try openSender()
        let id = try journal.enqueue(entry())
        let first = try journal.take(itemsMax: 1, now: 0)
        XCTAssertEqual(try journal.item(id)?.state, .inFlight)
        XCTAssertEqual(try journal.items(after: 0, itemsMax: 9).map { $0.state }, [.inFlight])
        XCTAssertEqual(try journal.countsInDetail(), OutboxCounts(waiting: 1, sending: 1))
        journal.release([id])
        XCTAssertEqual(try journal.take(itemsMax: 1, now: 0), first)
    }

    func testAPostponedHeadHoldsItsLaneUntilItsTime() throws {
        let journal = try openSender()
        let ids = try ["a", "a", "b"].map { try journal.enqueue(entry($0)) }
        XCTAssertEqual(try taken(journal, 1), [ids[0]])
        _ = try journal.settle([postpone(ids[0], until: 500)])
        XCTAssertEqual(try journal.nextAttemptAt(), 500)
        XCTAssertEqual(try taken(journal, now: 499), [ids[2]])
        XCTAssertEqual(try taken(journal, now: 499), [])
        XCTAssertEqual(try taken(journal, now: 500), [ids[0]])
        let item = try XCTUnwrap(journal.item(ids[0]))
        XCTAssertEqual(item.entry.progress.attempts, 1)
        XCTAssertEqual(item.entry.progress.trouble, trouble())
        XCTAssertEqual(item.entry.idempotencyKey, "key-1")
        XCTAssertTrue(try journal.needsFlushing())
    }

    func testHurryKeepsWhatAServerAskedForUnlessForced() throws {
        let journal = try openSender()
        let ids = try ["a", "b"].map { try journal.enqueue(entry($0)) }
        _ = try taken(journal)
        _ = try journal.settle([
            postpone(ids[0], until: 9_000_000), postpone(ids[1], until: 9_000_000, asked: 5_000),
        ])
        try journal.hurry(forced: false, now: 10)
        XCTAssertEqual(try taken(journal, now: 10), [ids[0]])
        XCTAssertEqual(try journal.nextAttemptAt(), 5_000)
        try journal.hurry(forced: true, now: 10)
        XCTAssertEqual(try taken(journal, now: 10), [ids[1]])
        XCTAssertNil(try journal.nextAttemptAt())
    }

    func testAClockThatWasWrongHoldsNothingForLongerThanTheLongestWait() throws {
        let journal = try openSender()
        let id = try journal.enqueue(entry())
        _ = try taken(journal)
        _ = try journal.settle([postpone(id, until: 3_000_000_000_000_000)])
        let now: Int64 = 1_700_000_000_000_000
        XCTAssertEqual(try taken(journal, now: now), [])
        XCTAssertEqual(try taken(journal, now: now + 300_000_000), [id])
    }

    // MARK: Dead letters

    func testADeadLetterBlocksItsLaneOrLetsItPass() throws {
        for rule in [OutboxRules.DeadLetters.blockTheirLane, .letOthersPass] {
            let journal = try openSender { $0.rules.deadLetters = rule }
            let ids = try ["a", "a"].map { try journal.enqueue(entry($0)) }
            XCTAssertEqual(try taken(journal), [ids[0]])
            _ = try journal.settle([bury(ids[0])])
            XCTAssertEqual(try journal.counts(), OutboxCounts(waiting: 1, dead: 1))
            let dead = try journal.items(after: 0, itemsMax: 9).filter { $0.state == .dead }
            XCTAssertEqual(dead.map { $0.id }, [ids[0]])
            let passes = rule == .letOthersPass
            XCTAssertEqual(try journal.needsFlushing(), passes)
            XCTAssertEqual(try taken(journal), passes ? [ids[1]] : [])
            XCTAssertEqual(try journal.drop(ids[0]).items, [ids[0]])
            journal.release(ids)
            XCTAssertEqual(try taken(journal), [ids[1]])
            _ = try journal.dropAll()
            journal.close()
        }
    }

    func testAnotherRuleForDeadLettersCountsForThoseThatAreThere() throws {
        var journal = try openSender()
        let ids = try ["a", "a", "b"].map { try journal.enqueue(entry($0)) }
        _ = try taken(journal, 1)
        _ = try journal.settle([bury(ids[0])])
        journal.close()
        journal = try openSender { $0.rules.deadLetters = .letOthersPass }
        XCTAssertEqual(try taken(journal), [ids[1], ids[2]])
        journal.close()
        journal = try openSender()
        XCTAssertEqual(try taken(journal), [ids[2]])
    }

    func testARetriedDeadLetterKeepsItsPlaceAndItsKeyAndAnEditedOneGetsAnother() throws {
        let journal = try openSender()
        let ids = try ["a", "a"].map { try journal.enqueue(entry($0, body: "x")) }
        _ = try taken(journal)
        XCTAssertEqual(refusal { try journal.retry(ids[0]) }, .notDead(ids[0]))
        _ = try journal.settle([bury(ids[0])])
        try journal.retry(ids[0])
        let item = try XCTUnwrap(journal.take(itemsMax: 9, now: 0).first)
        XCTAssertEqual(item.id, ids[0])
        XCTAssertEqual(item.entry.idempotencyKey, "key-1")
        XCTAssertEqual(item.entry.progress.attempts, 0)
        XCTAssertNil(item.answer)
        _ = try journal.settle([bury(ids[0])])
        var edit = OutboxEdit(idempotencyKey: "another")
        (edit.path, edit.body) = ("others", .some(nil))
        edit.headers = [HeaderField(name: "Authorization", value: "x")]
        try journal.edit(ids[0], edit)
        XCTAssertEqual(try taken(journal), [])
        try journal.retry(ids[0])
        let edited = try XCTUnwrap(journal.take(itemsMax: 9, now: 0).first)
        XCTAssertEqual(edited.entry.idempotencyKey, "another")
        XCTAssertEqual(edited.entry.path, "others")
        XCTAssertNil(edited.entry.body)
        XCTAssertEqual(edited.entry.headers, [])
        XCTAssertEqual(refusal { try journal.retry(99) }, .noSuchItem(99))
        XCTAssertEqual(refusal { try journal.edit(99, edit) }, .noSuchItem(99))
        XCTAssertEqual(refusal { _ = try journal.drop(99) }, .noSuchItem(99))
    }

    func testARetriedOlderDeadLetterTakesTheTurnBackFromThoseItLetPass() throws {
        let journal = try openSender { $0.rules.deadLetters = .letOthersPass }
        let ids = try ["a", "a"].map { try journal.enqueue(entry($0)) }
        _ = try taken(journal)
        _ = try journal.settle([bury(ids[0])])
        try journal.retry(ids[0])
        XCTAssertEqual(try taken(journal), [ids[0]])
    }

    // MARK: One lane, and batches that stop

    func testAStrictOutboxSendsOneAfterTheOther() throws {
        let journal = try openSender { $0.rules.order = .strict }
        let ids = try ["a", "b", "c"].map { try journal.enqueue(entry($0)) }
        XCTAssertEqual(try taken(journal), [ids[0]])
        XCTAssertEqual(try taken(journal), [])
        _ = try journal.settle([postpone(ids[0], until: 100)])
        XCTAssertEqual(try taken(journal, now: 99), [])
        XCTAssertEqual(try taken(journal, now: 100), [ids[0]])
        _ = try journal.settle([bury(ids[0])])
        XCTAssertEqual(try taken(journal, now: 100), [])
        XCTAssertFalse(try journal.needsFlushing())
        XCTAssertTrue(try journal.isOccupied(Lane(named: "z")))
        _ = try journal.drop(ids[0])
        XCTAssertEqual(try taken(journal, now: 100), [ids[1]])
    }

    func testABatchThatStopsAtTheFirstFailureTakesAWholeLane() throws {
        let journal = try openSender { $0.rules.batchStopsAtFailure = true }
        let ids = try ["a", "b", "a", "a", "b"].map { try journal.enqueue(entry($0)) }
        XCTAssertEqual(try taken(journal, 4), Array(ids[..<4]))
        XCTAssertEqual(try taken(journal, 4), [])
        _ = try journal.settle([.remove(id: ids[0]), .remove(id: ids[1]), bury(ids[2])])
        journal.release([ids[3]])
        XCTAssertEqual(try taken(journal, 4), [ids[4]], "behind the dead letter nothing goes")
    }

    // MARK: Looking

    func testALaneIsOccupiedByWhatWaitsAndByWhatBlocks() throws {
        let journal = try openSender()
        let lane = Lane(named: "a")
        XCTAssertFalse(try journal.isOccupied(lane))
        let id = try journal.enqueue(entry())
        XCTAssertTrue(try journal.isOccupied(lane))
        XCTAssertFalse(try journal.isOccupied(Lane(named: "b")))
        _ = try taken(journal)
        XCTAssertTrue(try journal.isOccupied(lane))
        _ = try journal.settle([bury(id)])
        XCTAssertTrue(try journal.isOccupied(lane))
        _ = try journal.drop(id)
        XCTAssertFalse(try journal.isOccupied(lane))
    }

    func testPagesGoOnBehindTheLastItem() throws {
        let journal = try open()
        let ids = try (0..<5).map { _ in try journal.enqueue(entry()) }
        let first = try journal.items(after: 0, itemsMax: 2).map { $0.id }
        let second = try journal.items(after: first[1], itemsMax: 9).map { $0.id }
        XCTAssertEqual(first + second, ids)
    }

    func testAJournalNoticesThatSomebodyElseCommitted() throws {
        let (one, two) = (try open(), try open())
        for _ in 0..<2 { XCTAssertFalse(try one.isOccupied(Lane(named: "a"))) }
        _ = try two.enqueue(entry())
        XCTAssertTrue(try one.isOccupied(Lane(named: "a")))
    }

    func testAClosedJournalRefuses() throws {
        let journal = try openSender()
        journal.close()
        XCTAssertEqual(refusal { _ = try journal.enqueue(entry()) }, .closed(path: path))
        XCTAssertEqual(
            refusal { _ = try journal.take(itemsMax: 1, now: 0) }, .notSender(path: path))
        let refused = expectation(description: "told")
        journal.enqueue(entry()) { result in
            if case .failure(.closed) = result { refused.fulfill() }
        }
        wait(for: [refused], timeout: 60)
    }
}
