import Glibc
import RestwayHTTP
import RestwayObjects
import RestwayOutcome
@testable import RestwayOutbox
import XCTest

/// Parked items, and the changes of items that the comparison with the server's values brings.
final class ParkedItemsTests: JournalTestCase {
    private var edits: Int64 = 100

    /// Makes a change of one note.
    private func change(
        _ cells: [(String, Int64, Int64)], storeKey: Int64 = 7, edit: Int64? = nil
    ) -> OutboxChange {
        edits += 1
        let cells = cells.map { name, before, after in
            OutboxChange.Cell(name: name, before: .int64(before), after: .int64(after))
        }
        return OutboxChange(
            edit: edit ?? edits, store: 1,
            objects: [.init(entity: "Note", storeKey: storeKey, cells: cells)])
    }

    /// Makes a request that changes a note.
    private func patch(
        _ lane: String = "a", _ cells: [(String, Int64, Int64)] = [("title", 1, 2)],
        storeKey: Int64 = 7
    ) -> OutboxEntry {
        var patch = entry(lane, path: "notes/\(storeKey)", body: "{}")
        patch.method = "PATCH"
        (patch.origin.entity, patch.origin.storeKey) = ("Note", storeKey)
        patch.change = change(cells, storeKey: storeKey)
        return patch
    }

    private func park(
        _ journal: OutboxJournal, _ id: Int64, _ kind: Conflict.Kind = .attributes
    ) throws {
        let change = try journal.change(of: id) ?? change([])
        _ = try journal.settle([
            .park(
                id: id, ItemConflict(kind: kind), change: change, trouble: trouble("conflict"))
        ])
    }

    private func state(_ journal: OutboxJournal, _ id: Int64) throws -> OutboxItem.State? {
        try journal.item(id)?.state
    }

    // MARK: Turns

    func testAConflictAboutAttributesHoldsNothing() throws {
        for rule in [OutboxRules.DeadLetters.blockTheirLane, .letOthersPass] {
            for order in [OutboxRules.Order.lanes, .strict] {
                let journal = try openSender {
                    ($0.rules.deadLetters, $0.rules.order) = (rule, order)
                }
                for _ in 0..<2 { _ = try journal.enqueue(patch()) }
                XCTAssertEqual(try taken(journal), [1])
                try park(journal, 1)
                XCTAssertEqual(try state(journal, 1), .parked)
                XCTAssertEqual(try journal.item(2)?.isBlocked, false)
                XCTAssertTrue(try journal.needsFlushing())
                XCTAssertEqual(try taken(journal), [2])
                _ = try journal.settle([.remove(id: 2)])
                XCTAssertFalse(try journal.needsFlushing())
                XCTAssertFalse(journal.hasWaiting)
                XCTAssertFalse(journal.isEmpty)
                // It still counts as a request about the object, and calls may pass it.
                XCTAssertTrue(try journal.holds(Lane(named: "a")))
                XCTAssertFalse(try journal.isOccupied(Lane(named: "a")))
                XCTAssertEqual(
                    try journal.countsInDetail(), OutboxCounts(parked: 1))
                journal.close()
                tearDownJournal()
            }
        }
    }

    func testAConflictAboutAnObjectHoldsItsLaneWhateverTheRuleForDeadLettersIs() throws {
        for rule in [OutboxRules.DeadLetters.blockTheirLane, .letOthersPass] {
            let journal = try openSender { $0.rules.deadLetters = rule }
            for lane in ["a", "a", "b"] { _ = try journal.enqueue(patch(lane)) }
            XCTAssertEqual(try taken(journal), [1, 3])
            try park(journal, 1, .theyDeleted)
            _ = try journal.settle([.remove(id: 3)])
            XCTAssertEqual(try taken(journal), [])
            XCTAssertFalse(try journal.needsFlushing())
            XCTAssertTrue(try journal.isOccupied(Lane(named: "a")))
            let behind = try XCTUnwrap(journal.item(2))
            XCTAssertTrue(behind.isBlocked && behind.isBehindConflict)
            XCTAssertEqual(behind.waitReason, .conflict)
            XCTAssertEqual(
                try journal.countsInDetail(), OutboxCounts(waiting: 1, blocked: 1, parked: 1))
            // Items that are stored now go behind it too.
            XCTAssertEqual(try journal.enqueue(patch()), 4)
            XCTAssertEqual(try taken(journal), [])
            // It is sent first when its conflict is resolved.
            try journal.unpark(1, ItemRewriting(idempotencyKey: "resolved"))
            XCTAssertNil(try journal.item(2)?.waitReason)
            XCTAssertEqual(try taken(journal), [1])
            _ = try journal.settle([.remove(id: 1)])
            XCTAssertEqual(try taken(journal), [2])
            journal.close()
            tearDownJournal()
        }
    }

    func testDroppingAConflictFreesItsLane() throws {
        let journal = try openSender()
        defer { journal.close() }
        for _ in 0..<2 { _ = try journal.enqueue(patch()) }
        _ = try taken(journal)
        let edit = try XCTUnwrap(journal.change(of: 1)?.edit)
        try park(journal, 1, .iDelete)
        XCTAssertEqual(try journal.drop(1), OutboxDropped(items: [1], edits: [edit]))
        XCTAssertEqual(try journal.counts(), OutboxCounts(waiting: 1))
        XCTAssertEqual(try taken(journal), [2])
    }

    func testAStrictOutboxWaitsForAConflictAboutAnObject() throws {
        for rule in [OutboxRules.DeadLetters.blockTheirLane, .letOthersPass] {
            let journal = try openSender {
                ($0.rules.deadLetters, $0.rules.order) = (rule, .strict)
            }
            for lane in ["a", "b"] { _ = try journal.enqueue(patch(lane)) }
            XCTAssertEqual(try taken(journal), [1])
            try park(journal, 1, .iDelete)
            XCTAssertEqual(try taken(journal), [])
            XCTAssertFalse(try journal.needsFlushing())
            XCTAssertEqual(try journal.item(2)?.waitReason, .conflict)
            XCTAssertEqual(try journal.countsInDetail().blocked, 1)
            XCTAssertTrue(try journal.isOccupied(Lane(named: "c")))
            try journal.unpark(1, ItemRewriting())
            XCTAssertEqual(try taken(journal), [1])
            journal.close()
            tearDownJournal()
        }
    }

    func testConflictsOfOtherUsersHoldNothing() throws {
        let ann = ItemOwner(discriminator: "ann", userName: nil)
        let ben = ItemOwner(discriminator: "ben", userName: nil)
        let first = try openSender { $0.owner = { ann } }
        for owner in [ann, ben] {
            var entry = patch()
            entry.origin.owner = owner
            _ = try first.enqueue(entry)
        }
        XCTAssertEqual(try taken(first), [1])
        try park(first, 1, .theyDeleted)
        first.close()
        let second = try openSender { $0.owner = { ben } }
        XCTAssertEqual(try taken(second), [2])
        second.release([2])
        // Whoever resolves it, the user who stored it sends it.
        try second.unpark(1, ItemRewriting())
        XCTAssertEqual(try taken(second), [2])
        _ = try second.settle([.remove(id: 2)])
        XCTAssertEqual(try taken(second), [])
        second.close()
        let third = try openSender { $0.owner = { ann } }
        defer { third.close() }
        XCTAssertEqual(try taken(third), [1])
    }

    func testItemsThatMayShareACallStopAtAConflict() throws {
        let journal = try openSender { $0.rules.batchStopsAtFailure = true }
        defer { journal.close() }
        for _ in 0..<4 { _ = try journal.enqueue(patch()) }
        XCTAssertEqual(try taken(journal, 2), [1, 2])
        try park(journal, 2, .theyDeleted)
        journal.release([1])
        XCTAssertEqual(try taken(journal), [1])
        _ = try journal.settle([.remove(id: 1)])
        XCTAssertEqual(try taken(journal), [])
    }

    // MARK: Rewriting

    func testARewrittenItemIsOnDiskInOneStepWithThePartThatIsParked() throws {
        let journal = try openSender()
        _ = try journal.enqueue(patch("a", [("title", 1, 2), ("views", 10, 11)]))
        _ = try journal.enqueue(patch())
        XCTAssertEqual(try taken(journal), [1])
        let before = try XCTUnwrap(journal.item(1))
        let edit = try XCTUnwrap(journal.change(of: 1)?.edit)
        var rewriting = ItemRewriting(idempotencyKey: "new")
        rewriting.headers = [HeaderField(name: "If-Match", value: "\"b\"")]
        rewriting.body = .some(Array("{\"views\": 13}".utf8))
        rewriting.change = change([("views", 12, 13)], edit: edit)
        rewriting.conflict = ItemConflict(
            tries: 1, refused: ObjectVersion("\"a\""), isRewritten: true)
        let part = change([("title", 1, 2)])
        rewriting.splitOff = .init(
            change: part, conflict: ItemConflict(kind: .attributes), idempotencyKey: "part",
            trouble: trouble("conflict"))
        XCTAssertEqual(try journal.rewrite(1, rewriting), 3)
        XCTAssertEqual(try state(journal, 1), .inFlight)
        XCTAssertEqual(try taken(journal), [], "the rewritten item is still in flight")
        journal.close()

        let later = try open()
        defer { later.close() }
        let item = try XCTUnwrap(later.item(1))
        XCTAssertEqual(text(item.entry.body), "{\"views\": 13}")
        XCTAssertEqual(item.entry.headers, rewriting.headers)
        XCTAssertEqual(item.entry.idempotencyKey, "new")
        XCTAssertEqual([item.entry.method, item.entry.path], ["PATCH", "notes/7"])
        XCTAssertEqual(item.conflict, rewriting.conflict)
        XCTAssertEqual(try later.change(of: 1), rewriting.change)
        let parked = try XCTUnwrap(later.item(3))
        XCTAssertEqual(parked.state, .parked)
        XCTAssertEqual(parked.conflict, ItemConflict(kind: .attributes))
        XCTAssertEqual(parked.entry.idempotencyKey, "part")
        XCTAssertEqual(parked.entry.lane, before.entry.lane)
        XCTAssertEqual(parked.entry.origin, before.entry.origin)
        XCTAssertEqual(parked.entry.createdAt, before.entry.createdAt)
        XCTAssertNil(parked.entry.body)
        XCTAssertEqual(parked.entry.progress.attempts, 0)
        XCTAssertEqual(try later.change(of: 3), part)
        XCTAssertEqual(
            try later.editedItems().map { [$0.isParked, $0.mayBeRewritten] },
            [[false, true], [false, false], [true, true]])
        XCTAssertEqual(try later.counts(), OutboxCounts(waiting: 2, parked: 1))
    }

    func testAnItemThatWasDroppedMeanwhileIsNotRewritten() throws {
        let journal = try openSender()
        defer { journal.close() }
        _ = try journal.enqueue(patch())
        _ = try taken(journal)
        _ = try journal.drop(1)
        XCTAssertEqual(refusal { _ = try journal.rewrite(1, ItemRewriting()) }, .noSuchItem(1))
        XCTAssertEqual(refusal { try journal.setChange(of: 1, self.change([])) }, .noSuchItem(1))
    }

    func testAnItemThatStillHadToBeComparedWasNotSentWhenItsSenderEnded() throws {
        var fresh = patch("a")
        fresh.conflict = ItemConflict()
        var written = patch("b")
        written.conflict = ItemConflict(isRewritten: true)
        let first = try openSender()
        for entry in [fresh, written, patch("c")] { _ = try first.enqueue(entry) }
        XCTAssertEqual(try taken(first), [1, 2, 3])
        first.close()
        let second = try openSender()
        let arrived = try (1...3).map { id in
            second.mayHaveSentBefore(try XCTUnwrap(second.item(id)))
        }
        XCTAssertEqual(arrived, [false, true, true])
        // The same holds for a close that knows of the items in flight.
        XCTAssertEqual(try taken(second), [1, 2, 3])
        second.noteArrivals()
        second.finishWrites()
        XCTAssertEqual(
            try second.items(after: 0, itemsMax: 9).map(\.entry.progress.attempts), [0, 1, 1])
        second.close()
    }

    func testAConflictIsAnAnswerAfterWhichTheItemIsDueAtOnceAndUnknownToTheServer() throws {
        let journal = try openSender()
        defer { journal.close() }
        var entry = patch()
        entry.progress.mayHaveArrived = true
        for entry in [entry, patch()] { _ = try journal.enqueue(entry) }
        XCTAssertEqual(try taken(journal), [1])
        _ = try journal.settle([postpone(1, until: 5, asked: 5)])
        XCTAssertEqual(try taken(journal, now: 6), [1])
        let conflict = ItemConflict(
            tries: 1, refused: ObjectVersion("\"a\""), isUncertain: true, needsNewest: true)
        _ = try journal.settle([
            .conflict(
                id: 1, conflict, trouble: trouble("conflict"),
                answer: OutboxAnswer(
                    status: 412, headers: [HeaderField(name: "Set-Cookie", value: "hush")],
                    body: Array("no".utf8)))
        ])
        let item = try XCTUnwrap(journal.item(1))
        XCTAssertEqual(item.state, .waiting)
        XCTAssertEqual(item.conflict, conflict)
        XCTAssertEqual(item.entry.progress.attempts, 2)
        XCTAssertEqual(item.entry.progress.earliest, 0)
        XCTAssertFalse(journal.mayHaveSentBefore(item))
        XCTAssertEqual(item.answer, OutboxAnswer(status: 412, body: Array("no".utf8)))
        XCTAssertEqual(try taken(journal), [1])
    }

    func testConditionsOfTheProgramAreRenewedInItemsThatWereNeverSent() throws {
        func conditioned(_ lane: String, _ tag: String) -> OutboxEntry {
            var entry = patch(lane)
            entry.headers = [
                HeaderField(name: "X", value: "\"a\""), HeaderField(name: "if-match", value: tag),
            ]
            return entry
        }
        let journal = try openSender()
        defer { journal.close() }
        var compared = conditioned("a", "\"a\"")
        compared.conflict = ItemConflict(isRewritten: true)
        var arrived = conditioned("a", "\"a\"")
        arrived.progress.mayHaveArrived = true
        for entry in [
            conditioned("a", "\"a\""), conditioned("a", "\"a\""), conditioned("a", "\"b\""),
            conditioned("b", "\"a\""), compared, arrived, patch("a"),
        ] {
            _ = try journal.enqueue(entry)
        }
        XCTAssertEqual(try taken(journal, 1), [1])
        try journal.renewConditions(Lane(named: "a"), from: "\"a\"", to: "\"z\"")
        let tags = try journal.items(after: 0, itemsMax: 9).map { item in
            item.entry.headers.first { $0.isNamed("If-Match") }?.value
        }
        XCTAssertEqual(
            tags, ["\"a\"", "\"z\"", "\"b\"", "\"a\"", "\"a\"", "\"a\"", nil])
        XCTAssertEqual(try journal.item(2)?.entry.headers.first?.value, "\"a\"")
    }

    // MARK: Parked items

    func testAParkedItemIsListedResolvedAndDroppedByAnyJournal() throws {
        let sender = try openSender()
        let other = try open()
        defer { other.close() }
        for lane in ["a", "b", "c"] { _ = try sender.enqueue(patch(lane)) }
        XCTAssertEqual(try taken(sender), [1, 2, 3])
        for id in [1, 2, 3] as [Int64] { try park(sender, id) }
        XCTAssertEqual(try other.parkedItems().map(\.id), [1, 2, 3])
        let edit = try XCTUnwrap(other.change(of: 1)?.edit)
        var rewriting = ItemRewriting(idempotencyKey: "resolved")
        rewriting.change = change([("title", 5, 2)], edit: edit)
        try other.unpark(1, rewriting)
        _ = try other.drop(2)
        let finished = try XCTUnwrap(other.change(of: 3)?.edit)
        XCTAssertTrue(try other.finishParked(3, now: 9))
        XCTAssertFalse(try other.finishParked(3, now: 9))
        XCTAssertEqual(try other.acceptedEdits(), [finished])
        XCTAssertNil(try other.change(of: 3))
        XCTAssertEqual(try sender.counts(), OutboxCounts(waiting: 1))

        let item = try XCTUnwrap(sender.take(itemsMax: 9, now: 0).first)
        XCTAssertEqual(item.id, 1)
        XCTAssertEqual(item.entry.idempotencyKey, "resolved")
        XCTAssertEqual(item.entry.progress, OutboxEntry.Progress())
        XCTAssertEqual(item.conflict, ItemConflict())
        XCTAssertEqual(try sender.change(of: 1), rewriting.change)
        sender.close()
    }

    func testAPartOfAParkedItemStaysParked() throws {
        let journal = try openSender()
        defer { journal.close() }
        _ = try journal.enqueue(patch("a", [("title", 1, 2), ("views", 3, 4)]))
        _ = try taken(journal)
        try park(journal, 1)
        let edit = try XCTUnwrap(journal.change(of: 1)?.edit)
        var rewriting = ItemRewriting(idempotencyKey: "resolved")
        rewriting.change = change([("title", 1, 2)], edit: edit)
        let part = change([("views", 3, 4)])
        rewriting.splitOff = .init(
            change: part, conflict: ItemConflict(kind: .attributes), idempotencyKey: "part",
            trouble: trouble("conflict"))
        XCTAssertEqual(try journal.unpark(1, rewriting), 2)
        XCTAssertEqual(try journal.counts(), OutboxCounts(waiting: 1, parked: 1))
        XCTAssertEqual(try journal.change(of: 1), rewriting.change)
        XCTAssertEqual(try journal.parkedItems().map(\.id), [2])
        XCTAssertEqual(try journal.change(of: 2), part)
        XCTAssertEqual(try taken(journal), [1])
    }

    func testAParkedItemSurvivesARestartAndIsNeverTaken() throws {
        do {
            let journal = try openSender()
            _ = try journal.enqueue(patch())
            _ = try taken(journal)
            try park(journal, 1)
            journal.close()
        }
        let journal = try openSender()
        defer { journal.close() }
        XCTAssertEqual(try state(journal, 1), .parked)
        try journal.hurry(forced: true, now: 0)
        XCTAssertNil(try journal.nextAttemptAt())
        XCTAssertEqual(try taken(journal), [])
        XCTAssertEqual(try journal.dropUnsent(1), OutboxDropped())
        XCTAssertEqual(try journal.dropAll().items, [1])
        XCTAssertTrue(journal.isEmpty)
    }

    func testAParkedItemIsNoDeadLetter() throws {
        let journal = try openSender()
        defer { journal.close() }
        for lane in ["a", "b"] { _ = try journal.enqueue(patch(lane)) }
        _ = try taken(journal)
        try park(journal, 1)
        XCTAssertEqual(refusal { try journal.retry(1) }, .parked(1))
        XCTAssertEqual(
            refusal { try journal.edit(1, OutboxEdit(idempotencyKey: "x")) }, .parked(1))
        XCTAssertEqual(refusal { try journal.unpark(2, ItemRewriting()) }, .notParked(2))
        XCTAssertEqual(refusal { try journal.unpark(9, ItemRewriting()) }, .noSuchItem(9))
        let rejected = try journal.deadLetters(
            in: Lane(named: "a"), entity: "Note", storeKey: 7) { _ in true }
        XCTAssertEqual(rejected, [])
    }

    func testADeadLetterSaysThatTheVersionCannotBeUsed() throws {
        let journal = try openSender()
        defer { journal.close() }
        _ = try journal.enqueue(patch())
        _ = try taken(journal)
        let trouble = OutboxTrouble(
            code: OutboxTrouble.version, httpStatus: 412, message: "a proxy changes entity tags")
        _ = try journal.settle([.bury(id: 1, trouble: trouble, answer: nil)])
        XCTAssertEqual(try journal.item(1)?.deathReason, .version)
    }

    // MARK: Items of an object

    func testTheItemsOfAnObjectAreFoundWithWhatTheyChange() throws {
        let journal = try openSender()
        defer { journal.close() }
        func entry(_ storeKey: Int64, _ context: String, _ cell: String) -> OutboxEntry {
            var entry = patch("a", [(cell, 1, 2)], storeKey: storeKey)
            entry.origin.context = Array(context.utf8)
            return entry
        }
        for entry in [
            entry(7, "mine", "first"), entry(7, "mine", "second"), entry(8, "mine", "other"),
            entry(7, "former", "former"), entry(3, "former", "adopted"), entry(7, "mine", "last"),
        ] {
            _ = try journal.enqueue(entry)
        }
        XCTAssertEqual(try taken(journal), [1])
        try park(journal, 1)
        let note = ItemObject(entity: "Note", storeKey: 7, adopted: [5]) {
            $0 == Array("mine".utf8)
        }
        XCTAssertEqual(try journal.parkedItems(about: note).map(\.id), [1])
        func names(than id: Int64) throws -> [String] {
            try journal.cellsOfLaterItems(than: id, about: note).flatMap { $0.cells.map(\.name) }
        }
        XCTAssertEqual(try names(than: 1), ["second", "adopted", "last"])
        XCTAssertEqual(try names(than: 2), ["adopted", "last"])
        XCTAssertEqual(try names(than: 6), [])
        let later = try XCTUnwrap(journal.cellsOfLaterItems(than: 5, about: note).first)
        XCTAssertEqual(later.edit, try journal.change(of: 6)?.edit)
        XCTAssertEqual(later.method, "PATCH")
    }

    func testAParkedValueIsReplacedByALaterEdit() throws {
        let journal = try openSender()
        defer { journal.close() }
        _ = try journal.enqueue(patch("a", [("title", 1, 2)]))
        _ = try taken(journal)
        try park(journal, 1)
        let edit = try XCTUnwrap(journal.change(of: 1)?.edit)
        try journal.setChange(of: 1, change([("title", 1, 9)], edit: edit))
        let change = try XCTUnwrap(journal.change(of: 1))
        XCTAssertEqual(change.edit, edit)
        XCTAssertEqual(
            change.objects.map(\.cells),
            [[.init(name: "title", before: .int64(1), after: .int64(9))]])
        XCTAssertEqual(try state(journal, 1), .parked)
    }

    func testWhatAnItemKnowsOfItsConflictIsReadAgain() {
        for conflict in [
            ItemConflict(),
            ItemConflict(
                kind: .iDelete, tries: 3, refused: ObjectVersion("W/\"é\n\""), isUncertain: true,
                needsNewest: true, isGone: true, isRewritten: true),
            ItemConflict(kind: .attributes), ItemConflict(kind: .theyDeleted),
        ] {
            XCTAssertEqual(ItemConflict(text: conflict.text), conflict)
        }
        XCTAssertEqual(ItemConflict(text: "damaged"), ItemConflict())
    }

    private func tearDownJournal() {
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    }
}
