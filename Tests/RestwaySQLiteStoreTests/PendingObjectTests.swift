import RestwayObjects
import XCTest

/// Pending edits that make objects, hide objects, or are about objects that turn out to be one.
final class PendingObjectTests: EditTestCase {
    // MARK: Objects that an edit makes

    func testADeliveredEditKeepsTheObjectThatItMade() throws {
        try withEachStore {
            let store = try makeStore()
            let (edit, made) = try make(
                store, [Cell.title: .string("new"), Cell.body: .string("b")])
            XCTAssertNil(try store.confirmed(note, storeKey: made.storeKey))
            XCTAssertEqual(
                try store.pendingCells(note, storeKey: made.storeKey),
                [
                    PendingEdit.Cell(Cell.title, before: .absent, after: .string("new")),
                    PendingEdit.Cell(Cell.body, before: .absent, after: .string("b")),
                ])
            try answer(store, row(9, title: .string("trimmed")), steps: .deliver(edit)) {
                $0.answers = [.init(storeKey: made.storeKey, entity: self.note, row: 0)]
            }
            let object = try object(store, 9)
            XCTAssertEqual(object.storeKey, made.storeKey)
            XCTAssertEqual(object.string(at: Cell.title), "trimmed")
            XCTAssertEqual(object.string(at: Cell.body), "b")
            XCTAssertFalse(try store.isUnsent(note, storeKey: made.storeKey))
            XCTAssertTrue(try pending(store, 9).isEmpty)
        }
    }

    func testALaterEditLiesOverTheAnswerToTheOneThatMadeTheObject() throws {
        try withEachStore {
            let store = try makeStore()
            let (edit, made) = try make(store, [Cell.title: .string("new")])
            let later = try self.edit(store, made, [Cell.title: .string("later")])
            try answer(store, row(9, title: .string("trimmed")), steps: .deliver(edit)) {
                $0.answers = [.init(storeKey: made.storeKey, entity: self.note, row: 0)]
            }
            XCTAssertEqual(try title(store, 9), "later")
            XCTAssertEqual(try confirmedTitle(store, 9), "trimmed")
            try step(store, .takeBack(later))
            XCTAssertEqual(try title(store, 9), "trimmed")
        }
    }

    func testTakingAnEditBackDeletesTheObjectThatItMade() throws {
        try withEachStore {
            let store = try makeStore()
            let (edit, made) = try make(store, [Cell.title: .string("new")])
            let commit = try step(store, .takeBack(edit))
            XCTAssertEqual(commit.changes.map(\.kind), [.deleted])
            XCTAssertEqual(commit.changes.map(\.source), [.takenBack])
            XCTAssertNil(try store.newest(note, storeKey: made.storeKey))
            XCTAssertEqual(try store.count(note), 0)
        }
    }

    func testTheNextEditCountsAsTheMakerOfAnObjectThatNoServerKnows() throws {
        try withEachStore {
            let store = try makeStore()
            let (edit, made) = try make(
                store, [Cell.title: .string("new"), Cell.body: .string("b")])
            let later = try self.edit(store, made, [Cell.title: .string("later")])
            try step(store, .takeBack(edit))
            let object = try XCTUnwrap(store.newest(note, storeKey: made.storeKey))
            XCTAssertEqual(object.string(at: Cell.title), "later")
            XCTAssertEqual(object.value(at: Cell.body), .absent)
            try step(store, .takeBack(later))
            XCTAssertNil(try store.newest(note, storeKey: made.storeKey))
        }
    }

    func testAnObjectThatTheServerHasAnsweredForIsNotDeleted() throws {
        try withEachStore {
            let store = try makeStore()
            let (edit, made) = try make(store, [Cell.title: .string("new")])
            try answer(store, row(9, title: .string("server"))) {
                $0.answers = [.init(storeKey: made.storeKey, entity: self.note, row: 0)]
            }
            XCTAssertEqual(try title(store, 9), "new")
            try step(store, .takeBack(edit))
            XCTAssertEqual(try title(store, 9), "server")
        }
    }

    func testAnEditThatMadeAnObjectIsNotSuspendedInIt() throws {
        try withEachStore {
            let store = try makeStore()
            let (edit, made) = try make(store, [Cell.title: .string("new")])
            XCTAssertFalse(try step(store, .suspend(edit)).hasChanges)
            let object = try XCTUnwrap(store.newest(note, storeKey: made.storeKey))
            XCTAssertEqual(object.string(at: Cell.title), "new")
            XCTAssertTrue(try store.isUnsent(note, storeKey: made.storeKey))
            XCTAssertEqual(try store.edits(ofOutbox: outbox).map(\.isSuspended), [true])
            try step(store, .resume(edit), .takeBack(edit))
            XCTAssertEqual(try store.count(note), 0)
        }
    }

    // MARK: Objects that become one

    func testTheEditsOfTwoObjectsThatBecomeOneLieInTheirOrder() throws {
        try withEachStore {
            let store = try makeStore()
            let (edit, made) = try make(store, [Cell.title: .string("made")])
            try answer(store, row(9, title: .string("server"), body: .string("text")))
            let second = try self.edit(
                store, object(store, 9), [Cell.title: .string("2"), Cell.body: .string("2")])
            let third = try self.edit(store, made, [Cell.body: .string("3")])
            // The server answers that the object that was made is the object 9.
            let commit = try answer(store, row(9), steps: .deliver(edit)) {
                $0.answers = [.init(storeKey: made.storeKey, entity: self.note, row: 0)]
            }
            XCTAssertEqual(commit.changes.count, 2)
            let object = try object(store, 9)
            XCTAssertEqual(object.storeKey, made.storeKey)
            XCTAssertEqual(object.string(at: Cell.title), "2")
            XCTAssertEqual(object.string(at: Cell.body), "3")
            try step(store, .takeBack(third))
            XCTAssertEqual(try self.object(store, 9).string(at: Cell.body), "2")
            try step(store, .takeBack(second))
            XCTAssertEqual(try self.object(store, 9).string(at: Cell.body), "text")
            XCTAssertEqual(try title(store, 9), "server")
        }
    }

    // MARK: Hidden objects

    func testAHiddenObjectIsFoundByNoQueryThatHides() throws {
        try withEachStore {
            let store = try makeStore()
            let text = Value.string("text")
            try answer(
                store, row(1, title: .string("a"), body: text),
                row(2, title: .string("b"), body: text))
            let (edit, commit) = try hide(store, object(store, 1))
            XCTAssertEqual(commit.changes.map(\.isHidden), [true])
            XCTAssertEqual(commit.changes.map(\.pendingChanged), [true])
            XCTAssertEqual(commit.relaid.first?.objects.map(\.hides), [true])
            XCTAssertTrue(commit.hasChanges)
            XCTAssertEqual(try titles(store) { $0.pendingDeletes = .hide }, ["b"])
            XCTAssertEqual(try titles(store) { $0.pendingDeletes = .show }, ["a", "b"])
            XCTAssertEqual(
                try titles(store) { ($0.pendingDeletes, $0.isPending) = (.show, true) }, ["a"])
            XCTAssertEqual(
                try titles(store) { ($0.pendingDeletes, $0.isPending) = (.hide, true) }, [])
            var query = Query(note)
            query.pendingDeletes = .hide
            XCTAssertEqual(try store.groups(query, by: Cell.body).map(\.count), [1])
            var rows = 0
            try store.readAttributes(query) { _ in rows += 1 }
            XCTAssertEqual(rows, 1)
            XCTAssertEqual(try store.count(note, .hide), 1)
            XCTAssertEqual(try store.count(nil, .hide), 1)
            XCTAssertEqual(try store.count(nil), 2)
            XCTAssertTrue(try store.hiddenKeys().contains(object(store, 1).storeKey))
            XCTAssertFalse(try store.hiddenKeys().contains(object(store, 2).storeKey))
            let end = try step(store, .takeBack(edit))
            XCTAssertEqual(end.changes.map(\.wasHidden), [true])
            XCTAssertEqual(end.changes.map(\.isHidden), [false])
            XCTAssertEqual(try titles(store) { $0.pendingDeletes = .hide }, ["a", "b"])
            XCTAssertEqual(try store.count(note, .hide), 2)
        }
    }

    func testAHiddenObjectMeetsNoConditionOnARelationship() throws {
        try withEachStore {
            let store = try makeStore()
            let reply = Snapshot.make(comment, [.int64(1), .string("text")])
            let links = Value.links([RestwayObjects.Cell.reference(toRow: 1)])
            let objects = try answer(
                store, row(1, title: .string("a"), comments: links), reply).objects
            for hides in [false, true] {
                if hides { _ = try hide(store, objects[1]) }
                let found = try titles(store) {
                    $0.pendingDeletes = .hide
                    $0.conditions = [
                        .leads(.init(relationship: 0, target: self.comment, nil))
                    ]
                }
                XCTAssertEqual(found, hides ? [] : ["a"])
            }
        }
    }

    func testTheDeliveryOfADeletionDeletesInTheSameCommit() throws {
        try withEachStore {
            let store = try makeStore()
            try answer(store, row(1, title: .string("a")))
            let (edit, _) = try hide(store, object(store, 1))
            // A list of the server still has it.
            try answer(store, row(1, title: .string("newer")))
            XCTAssertEqual(try store.hiddenKeys().count, 1)
            let commit = try answer(store, steps: .deliver(edit)) {
                $0.deletions = [.identity(self.note, .integer(1))]
            }
            XCTAssertEqual(commit.changes.map(\.kind), [.deleted])
            XCTAssertEqual(commit.changes.map(\.wasHidden), [true])
            XCTAssertEqual(commit.deletedCount, 1)
            XCTAssertEqual(try store.hiddenKeys(), [])
        }
    }

    func testARefusedDeletionShowsTheObjectAgain() throws {
        try withEachStore {
            let store = try makeStore()
            try answer(store, row(1, title: .string("a")))
            let (edit, _) = try hide(store, object(store, 1))
            try step(store, .suspend(edit))
            XCTAssertEqual(try store.count(note, .hide), 1)
            try step(store, .resume(edit))
            XCTAssertEqual(try store.count(note, .hide), 0)
        }
    }
}
