import RestwayObjects
import XCTest

/// Edits in conflict: they get other cells, lose cells to a new edit, and wait for a decision.
final class ParkedEditTests: EditTestCase {
    private func cell(_ index: Int, _ before: String, _ after: String) -> PendingEdit.Cell {
        PendingEdit.Cell(index, before: .string(before), after: .string(after))
    }

    private func body(_ store: any ObjectStore) throws -> String? {
        try object(store, 1).string(at: Cell.body)
    }

    /// A store with a note, whose server has changed both attributes since the edit.
    private func makeConflict() throws -> (store: any ObjectStore, edit: EditID, key: Int64) {
        note = Self.note(.assign, version: VersionRule(.entityTag))
        let store = try makeStore()
        try answer(store, row(1, title: .string("base"), body: .string("base")))
        let edit = try self.edit(
            store, object(store, 1), [Cell.title: .string("mine"), Cell.body: .string("mine")])
        try answer(store, row(1, title: .string("theirs"), body: .string("theirs")))
        return (store, edit, try key(store))
    }

    func testARebasedEditHasTheCellsThatItWasGiven() throws {
        try withEachStore {
            let (store, edit, key) = try makeConflict()
            let commit = try step(
                store, .rebase(edit, storeKey: key, [cell(Cell.title, "theirs", "both")]))
            XCTAssertEqual(try pending(store), [cell(Cell.title, "theirs", "both")])
            XCTAssertEqual(try title(store), "both")
            XCTAssertEqual(try body(store), "theirs")
            XCTAssertEqual(try confirmedTitle(store), "theirs")
            XCTAssertTrue(commit.pendingChanged)
            XCTAssertEqual(commit.changes.map(\.pendingChanged), [true])
            XCTAssertEqual(commit.changes[0].before?.string(at: Cell.title), "mine")
            // The body belongs to the server again.
            try answer(store, row(1, body: .string("newest")))
            XCTAssertEqual(try body(store), "newest")
            try step(store, .deliver(edit))
            XCTAssertEqual(try confirmedTitle(store), "both")
            XCTAssertEqual(try pending(store), [])
        }
    }

    func testARebasedEditMayGetACellThatItDidNotHave() throws {
        try withEachStore {
            note = Self.note(.assign)
            let store = try makeStore()
            try answer(store, row(1, title: .string("server"), body: .string("text")))
            let edit = try self.edit(store, object(store, 1), [Cell.title: .string("mine")])
            let cells = [cell(Cell.title, "server", "mine"), cell(Cell.body, "text", "more")]
            let key = try key(store)
            try step(store, .rebase(edit, storeKey: key, cells))
            XCTAssertEqual(try pending(store), cells)
            try answer(store, row(1, body: .string("newer")))
            XCTAssertEqual(try body(store), "more")
            try step(store, .takeBack(edit))
            XCTAssertEqual(try body(store), "newer")
            XCTAssertEqual(try title(store), "server")
        }
    }

    func testALaterEditTakesOverWhatALeavingCellWasMadeOn() throws {
        try withEachStore {
            let (store, first, key) = try makeConflict()
            try edit(store, object(store, 1), [Cell.title: .string("later")])
            try step(store, .rebase(first, storeKey: key, [cell(Cell.body, "theirs", "mine")]))
            XCTAssertEqual(
                try pending(store),
                [cell(Cell.title, "base", "later"), cell(Cell.body, "theirs", "mine")])
            XCTAssertEqual(try title(store), "later")
        }
    }

    /// The later edit was made on the value that the server has meanwhile.
    func testALaterEditStaysOnAValueThatTheServerHas() throws {
        try withEachStore {
            let (store, first, key) = try makeConflict()
            try edit(store, object(store, 1), [Cell.title: .string("later")])
            try answer(store, row(1, title: .string("mine")))
            try step(store, .rebase(first, storeKey: key, [cell(Cell.body, "theirs", "mine")]))
            XCTAssertEqual(
                try pending(store),
                [cell(Cell.title, "mine", "later"), cell(Cell.body, "theirs", "mine")])
        }
    }

    /// A later edit that adds a number was made on the earlier sum, whatever that becomes.
    func testALaterEditStaysOnTheValueOfACellThatStays() throws {
        try withEachStore {
            let (store, first, key) = try makeConflict()
            let second = try edit(store, object(store, 1), [Cell.title: .string("later")])
            try step(
                store, .rebase(first, storeKey: key, [cell(Cell.title, "theirs", "merged")]))
            XCTAssertEqual(try pending(store), [cell(Cell.title, "theirs", "later")])
            try step(store, .deliver(first))
            XCTAssertEqual(try pending(store), [cell(Cell.title, "mine", "later")])
            XCTAssertEqual(try confirmedTitle(store), "merged")
            try step(store, .takeBack(second))
            XCTAssertEqual(try title(store), "merged")
        }
    }

    func testASplitEditLeavesTheSameValues() throws {
        try withEachStore {
            let (store, edit, key) = try makeConflict()
            let off = EditID.random(outbox: outbox)
            let split = EditStep.split(edit, off: off, storeKey: key, cells: [Cell.title])
            var commit = try step(store, split)
            XCTAssertTrue(commit.changes.isEmpty)
            XCTAssertEqual(try store.edits(ofOutbox: outbox).map(\.id), [off, edit])
            XCTAssertEqual(
                try pending(store),
                [cell(Cell.title, "base", "mine"), cell(Cell.body, "base", "mine")])
            // A step may be repeated.
            try step(store, split)
            XCTAssertEqual(try store.edits(ofOutbox: outbox).map(\.id), [off, edit])
            commit = try step(store, .park(off), .deliver(edit))
            XCTAssertTrue(commit.pendingChanged)
            XCTAssertEqual(try pending(store), [cell(Cell.title, "base", "mine")])
            XCTAssertEqual(
                try store.confirmed(note, storeKey: key)?.string(at: Cell.body), "mine")
            try step(store, .takeBack(off))
            XCTAssertEqual(try title(store), "theirs")
            XCTAssertEqual(try store.edits(ofOutbox: outbox), [])
        }
    }

    func testAParkedEditIsSeenAndFound() throws {
        try withEachStore {
            let (store, edit, _) = try makeConflict()
            try answer(store, row(2, title: .string("other")))
            XCTAssertEqual(try titles(store) { $0.isConflicted = true }, [])
            let commit = try step(store, .park(edit))
            XCTAssertTrue(commit.pendingChanged)
            XCTAssertEqual(commit.changes.map(\.pendingChanged), [true])
            XCTAssertEqual(commit.updatedCount, 0)
            XCTAssertEqual(try title(store), "mine")
            XCTAssertEqual(
                try store.edits(ofOutbox: outbox),
                [ListedEdit(edit, EditRecord(place: 0, isParked: true))])
            XCTAssertEqual(try titles(store) { $0.isConflicted = true }, ["mine"])
            XCTAssertEqual(try titles(store) { $0.isConflicted = false }, ["other"])
            XCTAssertEqual(try titles(store) { $0.isPending = true }, ["mine"])
            let both = try titles(store) {
                $0.isConflicted = true
                $0.conditions = [.compares(attribute: Cell.title, .equal, .string("theirs"))]
            }
            XCTAssertEqual(both, [])
            XCTAssertFalse(try step(store, .park(edit)).pendingChanged)
            XCTAssertTrue(try step(store, .resume(edit)).pendingChanged)
            XCTAssertEqual(try titles(store) { $0.isConflicted = true }, [])
            XCTAssertEqual(try pending(store).map(\.before), [.string("base"), .string("base")])
            try step(store, .park(edit))
            try answer(store) { $0.deletions = [.identity(self.note, .integer(1))] }
            XCTAssertEqual(try titles(store) { $0.isConflicted = true }, [])
            XCTAssertEqual(try store.edits(ofOutbox: outbox).map(\.isParked), [true])
        }
    }

    func testAParkedDeletionHidesNoLonger() throws {
        try withEachStore {
            note = Self.note(.assign)
            let store = try makeStore()
            try answer(store, row(1, title: .string("server")))
            let key = try key(store)
            let (edit, _) = try hide(store, object(store, 1))
            XCTAssertEqual(try store.count(note, .hide), 0)
            let commit = try step(store, .park(edit))
            XCTAssertEqual(commit.changes.map(\.wasHidden), [true])
            XCTAssertEqual(commit.changes.map(\.isHidden), [false])
            XCTAssertEqual(try store.hiddenKeys(), [])
            XCTAssertEqual(try store.count(note, .hide), 1)
            let shown = try titles(store) { $0.pendingDeletes = .hide }
            XCTAssertEqual(shown, ["server"])
            XCTAssertEqual(try titles(store) { $0.isConflicted = true }, ["server"])
            try step(store, .resume(edit))
            XCTAssertEqual(try store.hiddenKeys(), [key])
            XCTAssertEqual(try store.count(note, .hide), 0)
        }
    }

    func testASuspendedEditMayBeParkedAndAParkedOneSuspended() throws {
        try withEachStore {
            let (store, edit, _) = try makeConflict()
            try step(store, .park(edit))
            try step(store, .suspend(edit))
            XCTAssertEqual(try title(store), "theirs")
            XCTAssertEqual(try titles(store) { $0.isConflicted = true }, [])
            var listed = try XCTUnwrap(store.edits(ofOutbox: outbox).first)
            XCTAssertTrue(listed.isSuspended && !listed.isParked)
            try step(store, .park(edit))
            XCTAssertEqual(try title(store), "mine")
            XCTAssertEqual(try titles(store) { $0.isConflicted = true }, ["mine"])
            listed = try XCTUnwrap(store.edits(ofOutbox: outbox).first)
            XCTAssertTrue(!listed.isSuspended && listed.isParked)
        }
    }

    func testASuspendedEditIsRebasedWithoutBeingSeen() throws {
        try withEachStore {
            let (store, edit, key) = try makeConflict()
            try step(store, .suspend(edit))
            try step(store, .rebase(edit, storeKey: key, [cell(Cell.title, "theirs", "x")]))
            XCTAssertEqual(try title(store), "theirs")
            XCTAssertEqual(try pending(store), [])
            try step(store, .resume(edit))
            XCTAssertEqual(try pending(store), [cell(Cell.title, "theirs", "x")])
        }
    }

    func testStepsAboutUnknownEditsAndObjectsDoNothing() throws {
        try withEachStore {
            let (store, edit, key) = try makeConflict()
            let unknown = EditID.random(outbox: outbox)
            let before = try pending(store)
            try answer(store, row(2, title: .string("two")))
            let other = try self.key(store, 2)
            let commit = try step(
                store, .park(unknown), .rebase(unknown, storeKey: key, []),
                .split(unknown, off: .random(outbox: outbox), storeKey: key, cells: [Cell.title]),
                .rebase(edit, storeKey: other, []))
            XCTAssertFalse(commit.hasChanges)
            XCTAssertEqual(try pending(store), before)
            XCTAssertEqual(try store.edits(ofOutbox: outbox).map(\.id), [edit])
        }
    }

    /// The outbox decided the step before the object became a part of another one.
    func testAStepFindsAnObjectThatBecameAPartOfAnother() throws {
        try withEachStore {
            let (store, edit, key) = try makeConflict()
            let (made, object) = try make(store, [Cell.title: .string("new")])
            try answer(store, row(1), steps: .deliver(made)) {
                $0.answers = [
                    ChangeSet.Answer(storeKey: object.storeKey, entity: self.note, row: 0)
                ]
            }
            XCTAssertNotEqual(try self.key(store), key)
            try step(store, .rebase(edit, storeKey: key, [cell(Cell.body, "theirs", "mine")]))
            XCTAssertEqual(try pending(store), [cell(Cell.body, "theirs", "mine")])
        }
    }
}
