import RestwayObjects
import XCTest

/// Edits that a store tells a journal of, and edits that a journal has laid again.
final class PendingAgainTests: EditTestCase {
    private func described(
        _ edit: EditID, _ object: PendingEdit.Object, under: EditID? = nil
    ) -> PendingEdit {
        PendingEdit(edit, objects: [object], under: under)
    }

    private func newTitle(_ before: Value, _ after: String) -> [PendingEdit.Cell] {
        [.init(Cell.title, before: before, after: .string(after))]
    }

    func testACommitTellsWhatItHasLaid() throws {
        try withEachStore {
            let store = try makeStore()
            try answer(store, row(1, title: .string("server"), body: .string("text")))
            let draft = Draft(copying: try object(store, 1))
            try draft.set(.string("mine"), attribute: Cell.title)
            let (edit, commit) = try lay(store, draft)
            let laid = try XCTUnwrap(commit.laid)
            XCTAssertEqual(laid.id, edit)
            XCTAssertEqual(laid.objects.map(\.storeKey), [draft.storeKey])
            XCTAssertEqual(laid.objects.map(\.identity), [.integer(1)])
            XCTAssertEqual(laid.objects.map(\.made), [false])
            XCTAssertEqual(laid.objects[0].cells, newTitle(.string("server"), "mine"))
            // A new object with another new object.
            let (note, reply) = (Draft(note), Draft(comment))
            try note.set([.draft(reply)], relationship: 0)
            let made = try XCTUnwrap(lay(store, note).commit.laid)
            XCTAssertEqual(made.objects.map(\.made), [true, true])
            XCTAssertEqual(made.objects.map(\.storeKey), [note.storeKey, reply.storeKey])
            XCTAssertEqual(
                made.objects[0].cells,
                [.init(Cell.comments, before: .absent, after: .links([reply.storeKey]))])
        }
    }

    func testTwoDraftsOfOneObjectAreOneLayer() throws {
        try withEachStore {
            let store = try makeStore()
            let object = try answer(store, row(1, title: .string("server"))).objects[0]
            let (first, second) = (Draft(copying: object), Draft(copying: object))
            try first.set(.string("first"), attribute: Cell.title)
            try second.set(.string("second"), attribute: Cell.title)
            let edit = EditID.random(outbox: outbox)
            var changes = ChangeSet(origin: .host)
            first.capture().add(to: &changes)
            second.capture().add(to: &changes)
            changes.laying = edit
            let laid = try XCTUnwrap(store.commit(changes, recordingChanges: true).laid)
            XCTAssertEqual(laid.objects.map(\.storeKey), [object.storeKey])
            XCTAssertEqual(laid.objects[0].cells, newTitle(.string("server"), "second"))
            // A known edit that comes again makes its new objects without being laid.
            let new = Draft(note)
            try new.set(.string("new"), attribute: Cell.title)
            XCTAssertNil(try lay(store, new) { $0.laying = edit }.commit.laid)
            XCTAssertTrue(try store.pendingCells(note, storeKey: new.storeKey).isEmpty)
        }
    }

    func testAnEditWithValuesLoadsItsObjectAndAWaitingDeletionDoesNot() throws {
        try withEachStore {
            let store = try makeStore()
            let edits = [EditID.random(outbox: outbox), EditID.random(outbox: outbox)]
            try layAgain(
                store,
                described(
                    edits[0],
                    .init(
                        note, storeKey: 0, identity: .integer(1),
                        cells: newTitle(.string("old"), "mine"))),
                described(
                    edits[1], .init(note, storeKey: 0, identity: .integer(2), hides: true)))
            XCTAssertTrue(try object(store, 1).isLoaded)
            XCTAssertFalse(try object(store, 2).isLoaded)
            XCTAssertEqual(try store.count(note), 1)
            // An answer loads the object also under the edit, and without values.
            try answer(store, row(2))
            try step(store, .takeBack(edits[1]))
            XCTAssertTrue(try object(store, 2).isLoaded)
            XCTAssertEqual(try store.count(note), 2)
        }
    }

    func testAnEditIsLaidAgainOverTheObjectOfItsKeyOrIdentity() throws {
        try withEachStore {
            let store = try makeStore()
            try answer(
                store, row(1, title: .string("server")), row(2, title: .string("server")))
            let key = try object(store, 1).storeKey
            let edits = [EditID.random(outbox: outbox), EditID.random(outbox: outbox)]
            let commit = try layAgain(
                store,
                described(
                    edits[0], .init(note, storeKey: key, cells: newTitle(.string("old"), "mine"))),
                described(
                    edits[1],
                    .init(
                        note, storeKey: 0, identity: .integer(2),
                        cells: newTitle(.string("old"), "mine"))))
            XCTAssertEqual(commit.relaid.map(\.id), edits)
            XCTAssertEqual(commit.changes.map(\.kind), [.updated, .updated])
            for id in [Int64(1), 2] {
                XCTAssertEqual(try title(store, id), "mine")
                XCTAssertEqual(try confirmedTitle(store, id), "server")
                XCTAssertEqual(
                    try pending(store, id),
                    [PendingEdit.Cell(Cell.title, before: .string("old"), after: .string("mine"))])
            }
        }
    }

    func testAnAnswerBringsTheObjectOfAnEditThatWasLaidAgain() throws {
        try withEachStore {
            let store = try makeStore()
            let edit = EditID.random(outbox: outbox)
            try layAgain(
                store,
                described(
                    edit,
                    .init(
                        note, storeKey: 0, identity: .integer(1),
                        cells: newTitle(.string("old"), "mine"))))
            XCTAssertEqual(try title(store), "mine")
            XCTAssertFalse(try store.isUnsent(note, storeKey: object(store, 1).storeKey))
            try answer(store, row(1, title: .string("server"), body: .string("text")))
            XCTAssertEqual(try title(store), "mine")
            try step(store, .takeBack(edit))
            XCTAssertEqual(try title(store), "server")
        }
    }

    func testObjectsOfAFormerStoreAreMadeAnewOnce() throws {
        try withEachStore {
            let store = try makeStore()
            var made = PendingEdit.Object(
                note, storeKey: 901, made: true,
                cells: newTitle(.absent, "made") + [
                    .init(Cell.comments, before: .absent, after: .links([902, 903]))
                ])
            var reply = PendingEdit.Object(comment, storeKey: 902, made: true)
            var later = PendingEdit.Object(
                note, storeKey: 901, cells: newTitle(.string("made"), "later"))
            var unknown = PendingEdit.Object(
                note, storeKey: 909, cells: newTitle(.string("made"), "later"))
            made.isOfFormerStore = true
            reply.isOfFormerStore = true
            later.isOfFormerStore = true
            unknown.isOfFormerStore = true
            let edits = (0..<3).map { _ in EditID.random(outbox: outbox) }
            let commit = try layAgain(
                store, PendingEdit(edits[0], objects: [reply, made]),
                described(edits[1], later), described(edits[2], unknown))
            XCTAssertEqual(commit.relaid.map(\.id), edits)
            XCTAssertEqual(commit.relaid.map(\.objects.count), [2, 1, 0])
            let keys = commit.relaid[0].objects.map(\.storeKey)
            XCTAssertEqual(commit.relaid[1].objects.map(\.storeKey), [keys[1]])
            let object = try XCTUnwrap(store.newest(note, storeKey: keys[1]))
            XCTAssertEqual(object.string(at: Cell.title), "later")
            XCTAssertEqual(object.relatedKeys(at: 0), [keys[0]])
            XCTAssertTrue(try store.isUnsent(note, storeKey: keys[1]))
            try step(store, .takeBack(edits[1]), .takeBack(edits[0]))
            XCTAssertEqual(try store.count(note), 0)
        }
    }

    func testAnEditIsLaidAgainUnderALaterEdit() throws {
        try withEachStore {
            let store = try makeStore()
            try answer(store, row(1, title: .string("server")))
            let below = try edit(store, object(store, 1), [Cell.title: .string("below")])
            let above = try edit(store, object(store, 1), [Cell.title: .string("above")])
            let key = try object(store, 1).storeKey
            let edits = (0..<2).map { _ in EditID.random(outbox: outbox) }
            try layAgain(
                store,
                described(
                    edits[0],
                    .init(note, storeKey: key, cells: newTitle(.string("server"), "first")),
                    under: above),
                described(
                    edits[1],
                    .init(note, storeKey: key, cells: newTitle(.string("first"), "second")),
                    under: above))
            XCTAssertEqual(
                try store.edits(ofOutbox: outbox).map(\.id), [below] + edits + [above])
            XCTAssertEqual(try title(store), "above")
            for (end, shown) in [(above, "second"), (edits[1], "first"), (edits[0], "below")] {
                try step(store, .takeBack(end))
                XCTAssertEqual(try title(store), shown)
            }
        }
    }

    // MARK: Changes

    func testAChangeTellsItsSourceAndWhetherOtherAttributesWait() throws {
        try withEachStore {
            let store = try makeStore()
            let draft = Draft(
                copying: try answer(store, row(1, title: .string("server"))).objects[0])
            try draft.set(.string("mine"), attribute: Cell.title)
            let (edit, laid) = try lay(store, draft)
            XCTAssertEqual(laid.changes.map(\.source), [.local])
            XCTAssertEqual(laid.changes.map(\.pendingChanged), [true])
            // The value of the server is not seen.
            let hidden = try answer(store, row(1, title: .string("newer")))
            XCTAssertTrue(hidden.changes.isEmpty)
            let other = try answer(store, row(1, body: .string("text")))
            XCTAssertEqual(other.changes.map(\.source), [.server])
            XCTAssertEqual(other.changes.map(\.pendingChanged), [false])
            // No value differs, but nothing waits any more.
            let end = try answer(store, steps: .deliver(edit))
            XCTAssertTrue(end.hasChanges)
            XCTAssertEqual(end.updatedCount, 0)
            XCTAssertEqual(end.changes.map(\.kind), [.updated])
            XCTAssertEqual(end.changes.map(\.pendingChanged), [true])
            XCTAssertEqual(end.changes.map(\.source), [.server])
            XCTAssertFalse(end.changes[0].changes(cellAt: Cell.title))
        }
    }

    func testARefusalThatBringsTheObjectIsAChangeOfTheServer() throws {
        try withEachStore {
            let store = try makeStore()
            try answer(store, row(1, title: .string("server")))
            let edit = try edit(store, object(store, 1), [Cell.title: .string("mine")])
            let commit = try answer(
                store, row(1, title: .string("newer")), steps: .takeBack(edit))
            XCTAssertEqual(commit.changes.map(\.source), [.server])
            XCTAssertEqual(try title(store), "newer")
        }
    }
}
