@testable import RestwayOutbox
import RestwaySQLite
import XCTest

/// Files of earlier versions, and lookups by index.
final class JournalFileTests: JournalTestCase {
    private static let undoingVersion12 = "DROP INDEX itemParked; "
        + "ALTER TABLE item DROP COLUMN conflict; ALTER TABLE item DROP COLUMN blocks; "
        + "ALTER TABLE outbox DROP COLUMN parked; "
    private static let undoingVersion11 = undoingVersion12
        + "DROP TABLE accepted; DROP INDEX itemByEdit; "
        + "ALTER TABLE item DROP COLUMN edit; DROP TABLE change; DROP TABLE edited; "
        + "CREATE TABLE change (life TEXT NOT NULL, entity TEXT NOT NULL, "
        + "storeKey INTEGER NOT NULL, name TEXT NOT NULL, item INTEGER NOT NULL, "
        + "fate INTEGER NOT NULL DEFAULT 0, beforeKind TEXT NOT NULL, beforeValue, "
        + "afterKind TEXT NOT NULL, afterValue, "
        + "PRIMARY KEY (life, entity, storeKey, name, item)) WITHOUT ROWID; "
        + "CREATE INDEX changeByItem ON change (item); "
        + "CREATE INDEX changeDue ON change (item) WHERE fate != 0; "
        + "ALTER TABLE outbox DROP COLUMN number; "
    private static let undoingVersion10 = undoingVersion11 + "DROP TABLE reserve; "
    private static let undoingVersion9 = undoingVersion10 + "DROP INDEX itemOfOthers; "
        + "ALTER TABLE item DROP COLUMN owner; ALTER TABLE outbox DROP COLUMN owner; "
    private static let undoingVersion8 = undoingVersion9
        + "ALTER TABLE item DROP COLUMN waitSince; "
    private static let undoingVersion7 = undoingVersion8
        + "ALTER TABLE item DROP COLUMN discriminator; "
    private static let undoingVersion6 = undoingVersion7
        + "ALTER TABLE dependency DROP COLUMN places; "
    private static let undoingVersion5 = undoingVersion6 + "DROP TABLE change; "
    private static let undoingVersion4 = undoingVersion5 + "DROP TABLE delivered; "
        + "ALTER TABLE outbox DROP COLUMN delivered; ALTER TABLE outbox DROP COLUMN changes; "
    private static let undoingVersion3 = undoingVersion4 + "DROP TABLE companion; "

    func testARequestOfTheEighthVersionBelongsToItsDiscriminator() throws {
        let before = try OutboxJournal(path)
        for discriminator in ["ann", nil] {
            var entry = OutboxEntry(
                lane: Lane(named: "a"), method: "PUT", path: "a", idempotencyKey: "key",
                createdAt: 1)
            entry.origin.discriminator = discriminator
            _ = try before.enqueue(entry)
        }
        before.close()
        try change(Self.undoingVersion9 + "PRAGMA user_version = 8")
        let journal = try OutboxJournal(path)
        defer { journal.close() }
        XCTAssertEqual(
            try journal.items(after: 0, itemsMax: 9).map(\.entry.origin.owner.text),
            ["dann", nil])
    }

    func testItemsOfTheTenthVersionStayWithoutEdits() throws {
        do {
            let journal = try open()
            for lane in ["a", "b"] { _ = try journal.enqueue(entry(lane)) }
            journal.close()
        }
        try change(
            Self.undoingVersion11
                + "INSERT INTO change (life, entity, storeKey, name, item, fate, beforeKind, "
                + "beforeValue, afterKind, afterValue) "
                + "VALUES ('', 'T', 7, 'name', 1, 0, 's', 'old', 's', 'new'); "
                + "PRAGMA user_version = 10")
        let journal = try open()
        defer { journal.close() }
        XCTAssertNotEqual(journal.number, 0)
        XCTAssertEqual(try journal.items(after: 0, itemsMax: 9).map(\.id), [1, 2])
        XCTAssertEqual(try journal.editedItems(), [])
        XCTAssertFalse(try journal.holdsEdits())
    }

    func testItemsOfTheEleventhVersionAreInNoConflict() throws {
        var put = entry("a")
        put.change = OutboxChange(edit: 5, store: 1)
        do {
            let journal = try openSender()
            for entry in [put, entry("a"), entry("b")] { _ = try journal.enqueue(entry) }
            _ = try taken(journal, 1)
            _ = try journal.settle([bury(1)])
            journal.close()
        }
        try change(Self.undoingVersion12 + "PRAGMA user_version = 11")
        let journal = try openSender()
        defer { journal.close() }
        let items = try journal.items(after: 0, itemsMax: 9)
        XCTAssertEqual(items.map(\.state), [.dead, .waiting, .waiting])
        XCTAssertEqual(items.map(\.isBlocked), [false, true, false])
        XCTAssertEqual(items.compactMap(\.conflict), [])
        XCTAssertEqual(try journal.countsInDetail().parked, 0)
        XCTAssertEqual(try journal.parkedItems(), [])
        XCTAssertEqual(try journal.editedItems().map(\.mayBeRewritten), [false])
        XCTAssertEqual(try taken(journal), [3])
        let conflict = ItemConflict(kind: .theyDeleted)
        let change = OutboxChange(edit: 6, store: 1)
        _ = try journal.settle([.park(id: 3, conflict, change: change, trouble: trouble())])
        XCTAssertEqual(try journal.parkedItems().map(\.conflict), [conflict])
    }

    func testAFileOfTheFirstVersionIsBroughtUpToDateAndKeepsWhatItHolds() throws {
        let local = LocalID.random()
        var entry = entry(Lane(local), path: "things", body: "{}", creates: local)
        (entry.origin.entity, entry.origin.storeKey) = ("Thing", 7)
        do {
            let journal = try open()
            _ = try journal.enqueue(entry)
            journal.close()
        }
        try change(
            Self.undoingVersion3
                + "DROP INDEX itemOfObject; ALTER TABLE identity DROP COLUMN namedAt; "
                + "PRAGMA user_version = 1")
        let journal = try openSender()
        let item = try XCTUnwrap(journal.item(1))
        XCTAssertEqual(item.entry, entry)
        XCTAssertTrue(try journal.holds(entity: "Thing", storeKey: 7) { _ in true })
        XCTAssertEqual(try taken(journal), [1])
        _ = try journal.settle([.remove(id: 1, identity: .integer(1), lane: nil)], now: 5)
        try journal.forgetIdentities(through: 1, namedBefore: 6)
        XCTAssertNil(try journal.identity(of: local))
        XCTAssertEqual(try Connection(path).integer("PRAGMA user_version"), 12)
    }

    func testAFileOfTheSecondVersionTakesRequestsThatMakeSeveralObjects() throws {
        let (local, inner) = (LocalID.random(), LocalID.random())
        do {
            let journal = try open()
            _ = try journal.enqueue(entry(Lane(local), creates: local))
            _ = try journal.enqueue(entry(Lane(local), path: "things/\(local.text)"))
            journal.close()
        }
        try change(Self.undoingVersion3 + "PRAGMA user_version = 2")
        let journal = try openSender()
        XCTAssertEqual(try Connection(path).integer("PRAGMA user_version"), 12)
        XCTAssertEqual(try journal.item(2)?.dependencies, [local])
        var second = entry("b")
        second.companions = [OutboxCompanion(local: inner, entity: "Thing", storeKey: 9)]
        let post = try journal.enqueue(second)
        let put = try journal.enqueue(entry(Lane(inner), path: "things/\(inner.text)"))
        XCTAssertEqual(try taken(journal), [1, post])
        let lane = Lane(entity: "Thing", .integer(5))
        _ = try journal.settle([
            .remove(id: 1, identity: .integer(4), lane: nil),
            .named(id: post, local: inner, identity: .integer(5), lane: lane), .remove(id: post),
        ], now: 0)
        let items = try journal.take(itemsMax: 9, now: 0)
        XCTAssertEqual(items.map(\.id), [2, put])
        XCTAssertEqual(items.map(\.entry.path), ["things/4", "things/5"])
    }

    func testAFileOfTheThirdVersionIsSentInItsOrder() throws {
        do {
            let journal = try open()
            for number in 0..<60 { _ = try journal.enqueue(entry("lane \(number % 20)")) }
            journal.close()
        }
        try change(Self.undoingVersion4 + "PRAGMA user_version = 3")
        let journal = try openSender()
        XCTAssertEqual(try Connection(path).integer("PRAGMA user_version"), 12)
        for first in stride(from: Int64(1), through: 60, by: 10) {
            let ids = Array(first..<first + 10)
            XCTAssertEqual(try taken(journal), ids)
            _ = try journal.settle(ids.map { .remove(id: $0) })
        }
        XCTAssertEqual(try taken(journal), [])
        try journal.tidy()
        XCTAssertEqual(try Connection(path).integer("SELECT count(*) FROM item"), 0)
    }

    func testIdentitiesAreFoundInAFileThatDoesNotSayWhereTheyStand() throws {
        let locals = [LocalID.random(), LocalID.random()]
        do {
            let journal = try open()
            for local in locals { _ = try journal.enqueue(entry(Lane(local), creates: local)) }
            _ = try journal.enqueue(
                entry(
                    "c", path: "a/\(locals[1].text)/\(locals[0].text)",
                    body: "[\"\(locals[0].text(as: .text))\",\"\(locals[1].text)\"]"))
            journal.close()
        }
        try change(Self.undoingVersion6 + "PRAGMA user_version = 5")
        let journal = try openSender()
        XCTAssertEqual(try taken(journal), [1, 2])
        for id in [Int64(2), 1] {
            _ = try journal.settle(
                [.remove(id: id, identity: .integer(id * 100), lane: nil)], now: 0)
        }
        let item = try XCTUnwrap(journal.take(itemsMax: 9, now: 0).first)
        XCTAssertEqual(item.entry.path, "a/200/100")
        XCTAssertEqual(text(item.entry.body), "[\"100\",200]")
    }

    func testAFileWithoutDiscriminatorsTakesRequestsThatHaveOne() throws {
        do {
            let journal = try open()
            _ = try journal.enqueue(entry("a"))
            journal.close()
        }
        try change(Self.undoingVersion7 + "PRAGMA user_version = 6")
        let journal = try openSender()
        for discriminator in ["user 7", "", nil] {
            var entry = entry("b")
            entry.origin.discriminator = discriminator
            let id = try journal.enqueue(entry)
            XCTAssertEqual(try journal.item(id)?.entry, entry)
        }
        let items = try journal.take(itemsMax: 1, now: 0)
        XCTAssertEqual(items.map(\.entry.origin.discriminator), [nil])
        _ = try journal.settle([.remove(id: 1)])
        for id in Int64(2)...4 {
            let item = try XCTUnwrap(journal.take(itemsMax: 1, now: 0).first)
            XCTAssertEqual(item.id, id)
            XCTAssertEqual(item.entry.origin.discriminator, id == 2 ? "user 7" : id == 3 ? "" : nil)
            _ = try journal.settle([.remove(id: id)])
        }
    }

    func testWhatIsStoredOfAnObjectIsFoundWithoutLookingAtOthers() throws {
        let journal = try open()
        for (entity, key) in [("Thing", 1), ("Thing", 2), ("Other", 1)] as [(String, Int64)] {
            var entry = entry()
            (entry.origin.entity, entry.origin.storeKey) = (entity, key)
            entry.origin.context = Array("\(entity) \(key)".utf8)
            _ = try journal.enqueue(entry)
        }
        var seen: [String] = []
        let isHeld = try journal.holds(entity: "Thing", storeKey: 2) { context in
            seen.append(String(decoding: context, as: UTF8.self))
            return true
        }
        XCTAssertTrue(isHeld)
        XCTAssertEqual(seen, ["Thing 2"])
        XCTAssertFalse(try journal.holds(entity: "Thing", storeKey: 2) { _ in false })
        XCTAssertFalse(try journal.holds(entity: "Other", storeKey: 2) { _ in true })
    }

    func testItemsThatNobodyHasCountedYetAreCountedByWhoAsks() throws {
        let (one, other) = (try open(), try openSender())
        for _ in 0..<3 { _ = try one.enqueue(entry()) }
        XCTAssertEqual(try Connection(path).integer("SELECT lastItem FROM outbox"), 0)
        XCTAssertEqual(try other.counts(), OutboxCounts(waiting: 3))
        XCTAssertEqual(try other.enqueue(entry("b")), 4)
        XCTAssertEqual(try taken(other), [1, 4])
        // The number of the last item is not used again.
        _ = try other.settle([.remove(id: 4)], now: 0)
        XCTAssertEqual(try one.counts(), OutboxCounts(waiting: 3))
        XCTAssertEqual(try one.enqueue(entry("b")), 5)
        _ = try other.settle([bury(1)], now: 0)
        XCTAssertEqual(try one.counts(), OutboxCounts(waiting: 3, dead: 1))
        XCTAssertEqual(try one.drop(5).items, [5])
        XCTAssertEqual(try one.dropAll().items.count, 3)
        XCTAssertEqual(try other.counts(), OutboxCounts())
        XCTAssertEqual(try one.enqueue(entry("b")), 6)
        XCTAssertEqual(try other.counts(), OutboxCounts(waiting: 1))
    }

    private func change(_ sql: String) throws {
        let connection = try Connection(path)
        for statement in sql.split(separator: ";") { try connection.run(String(statement)) }
    }
}
