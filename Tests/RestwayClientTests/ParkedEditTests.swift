import RestwayHTTP
import RestwayObjects
import RestwayRouting
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// What the store shows of parked items and of items that were rewritten, also after a crash
/// between the journal and the store.
final class ParkedEditTests: ConflictTestCase {
    private var journal: OutboxJournal {
        get throws { try client.requireOutbox().journal }
    }

    /// The edits in the store, and the attributes that they change, as texts.
    private func shown() throws -> [String] {
        try client.store.edits(ofOutbox: journal.number).map { listed in
            listed.isParked ? "parked" : listed.isSuspended ? "suspended" : "waiting"
        }
    }

    private func isConflicted() throws -> Bool {
        var query = Query(try entity)
        query.isConflicted = true
        return try client.store.objects(query).count == 1
    }

    private func pending() throws -> [String] {
        try client.store.pending(of: note()).map { try entity.cellName($0.index) }.sorted()
    }

    private func cell(_ name: String, _ before: String, _ after: String) -> OutboxChange.Cell {
        .init(name: name, before: .string(before), after: .string(after))
    }

    /// The journal has split the title off from an edit of title and text, and the store does not
    /// know of it.
    private func splitInTheJournal() throws {
        try begin()
        try edit(["title": .string("mine"), "text": .string("x")])
        let journal = try journal
        XCTAssertTrue(try journal.becomeSender())
        XCTAssertEqual(try journal.take(itemsMax: 1, now: 0).map(\.id), [1])
        var rest = try XCTUnwrap(journal.change(of: 1))
        var part = OutboxChange(
            edit: rest.edit &+ 1, store: rest.store, objects: rest.objects)
        rest.objects[0].cells = [cell("text", "t", "x")]
        part.objects[0].cells = [cell("title", "base", "mine")]
        var rewriting = ItemRewriting(idempotencyKey: "new")
        rewriting.body = .some(Array(#"{"text":"x"}"#.utf8))
        rewriting.change = rest
        rewriting.conflict = ItemConflict(tries: 1)
        rewriting.splitOff = .init(
            change: part, conflict: ItemConflict(kind: .attributes), idempotencyKey: "part",
            trouble: OutboxTrouble(code: OutboxTrouble.conflict, message: "changed"))
        XCTAssertEqual(try journal.rewrite(1, rewriting), 2)
        journal.release([1])
        journal.resign()
    }

    private func checkSplit(line: UInt = #line) throws {
        XCTAssertEqual(try shown().sorted(), ["parked", "waiting"], line: line)
        XCTAssertEqual(try title(), "mine", line: line)
        XCTAssertEqual(try value("text"), .string("x"), line: line)
        XCTAssertEqual(try pending(), ["text", "title"], line: line)
        XCTAssertTrue(try isConflicted(), line: line)
        // The parked value is no longer a part of the edit that is delivered.
        try flush()
        XCTAssertEqual(server.value("text"), "\"x\"", line: line)
        XCTAssertEqual(server.value("title"), "\"base\"", line: line)
        XCTAssertEqual(try shown(), ["parked"], line: line)
        XCTAssertEqual(try pending(), ["title"], line: line)
        XCTAssertEqual(try confirmed("title"), .string("base"), line: line)
        XCTAssertEqual(try title(), "mine", line: line)
        _ = try client.requireOutbox().drop(2)
        XCTAssertEqual(try title(), "base", line: line)
        try checkSettled(line: line)
    }

    func testAPartThatWasSplitOffBeforeACrashIsShownAsParked() throws {
        try withNotes {
            try splitInTheJournal()
            try reopen()
            try checkSplit()
        }
    }

    func testAComparisonShowsWhatTheJournalHasSplitOff() throws {
        try withNotes {
            try splitInTheJournal()
            try client.requireOutbox().changes.compare(laysAgain: false)
            try checkSplit()
        }
    }

    func testAParkedEditIsShownAsParkedAfterARestart() throws {
        try withNotes {
            try begin()
            try edit(title: "mine")
            server.change(#"{"title":"theirs"}"#)
            try flush()
            XCTAssertEqual(try shown(), ["parked"])
            XCTAssertTrue(try isConflicted())
            try reopen()
            XCTAssertEqual(try shown(), ["parked"])
            XCTAssertTrue(try isConflicted())
            XCTAssertEqual(try pending(), ["title"])
            XCTAssertEqual(try title(), "mine")
        }
    }

    /// The decisions of another process are in the journal; the store of this client follows.
    func testDecisionsOfAnotherProcessAreShown() throws {
        try withNotes {
            for isDropped in [false, true] {
                try begin()
                try edit(title: "mine")
                server.change(#"{"title":"theirs"}"#)
                try flush()
                let parked = try XCTUnwrap(journal.parkedItems().first)
                if isDropped {
                    _ = try journal.drop(parked.id)
                } else {
                    try journal.unpark(parked.id, ItemRewriting())
                }
                try client.requireOutbox().changes.compareIfChanged()
                XCTAssertEqual(try shown(), isDropped ? [] : ["waiting"])
                XCTAssertEqual(try title(), isDropped ? "theirs" : "mine")
                XCTAssertFalse(try isConflicted())
                _ = try client.requireOutbox().dropAll()
            }
        }
    }

    func testAParkedDeletionIsSeenAfterARestart() throws {
        try withNotes {
            try begin()
            try deleteNote()
            server.change(#"{"text":"theirs"}"#)
            try flush()
            try reopen()
            try get()
            XCTAssertEqual(try shown(), ["parked"])
            XCTAssertEqual(try value("text"), .string("theirs"))
            XCTAssertEqual(try items(), ["1 parked"])
        }
    }

    func testADeletionKeepsTheValuesThatTheProgramHasSeen() throws {
        try withNotes(version: #"{"attribute": "rev"}"#) {
            server.with { $0.tags = .attribute }
            try begin(#"{"title":"base","text":"t"}"#)
            try edit(title: "mine")
            try deleteNote()
            let change = try XCTUnwrap(journal.change(of: 2))
            let cells = Dictionary(
                uniqueKeysWithValues: change.objects[0].cells.map { ($0.name, $0) })
            // Without the version, which each change of the object changes.
            XCTAssertEqual(Set(cells.keys), ["id", "title", "text"])
            XCTAssertEqual(cells["title"]?.before, .string("mine"))
            XCTAssertTrue(cells.values.allSatisfy { $0.after == .absent })
            // They are no values of the store.
            XCTAssertEqual(try pending(), ["title"])
            try reopen()
            XCTAssertEqual(try pending(), ["title"])
            XCTAssertNil(try value("title"), "it is hidden")
        }
    }
}

/// Entities without versions.
final class DeletionWithoutVersionTests: PendingEditTestCase {
    func testADeletionKeepsNoValues() throws {
        try withStores {
            let item = try queue(client, deletion(tell(1, "old")))
            let change = try client.requireOutbox().journal.change(of: item)
            XCTAssertEqual(change?.objects.map(\.isHidden), [true])
            XCTAssertEqual(change?.objects.map(\.cells), [[]])
        }
    }
}
