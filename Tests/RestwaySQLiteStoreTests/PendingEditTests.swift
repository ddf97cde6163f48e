import RestwayObjects
import XCTest

/// The values of the server go under pending edits, and the end of an edit shows the right value.
final class PendingEditTests: EditTestCase {
    func testAnAnswerGoesUnderAPendingEdit() throws {
        try withEachStore {
            let store = try makeStore()
            try answer(store, row(1, title: .string("server"), body: .string("text")))
            try edit(store, object(store, 1), [Cell.title: .string("mine")])
            XCTAssertEqual(try title(store), "mine")
            XCTAssertEqual(try confirmedTitle(store), "server")
            let commit = try answer(
                store, row(1, title: .string("newer"), body: .string("more")))
            XCTAssertEqual(commit.objects[0].string(at: Cell.title), "mine")
            XCTAssertEqual(try title(store), "mine")
            XCTAssertEqual(try object(store, 1).string(at: Cell.body), "more")
            XCTAssertEqual(try confirmedTitle(store), "newer")
            XCTAssertEqual(
                try pending(store),
                [PendingEdit.Cell(Cell.title, before: .string("server"), after: .string("mine"))])
            XCTAssertEqual(try titles(store) { $0.isPending = true }, ["mine"])
            XCTAssertEqual(try titles(store) { $0.isPending = false }, [])
            let found = try titles(store) {
                $0.conditions = [.compares(attribute: Cell.title, .equal, .string("mine"))]
            }
            XCTAssertEqual(found, ["mine"])
        }
    }

    func testADeliveredEditIsTheServersValueAndItsAnswerWins() throws {
        try withEachStore {
            let store = try makeStore()
            try answer(store, row(1, title: .string("server")), row(2, title: .string("two")))
            let first = try edit(store, object(store, 1), [Cell.title: .string("mine")])
            let second = try edit(store, object(store, 2), [Cell.title: .string("mine too")])
            // An answer without the object, and one with it.
            let commit = try answer(store, steps: .deliver(first))
            let key = try object(store, 1).storeKey
            XCTAssertEqual(commit.settled, [key: [Cell.title]])
            XCTAssertEqual(try title(store), "mine")
            XCTAssertEqual(try confirmedTitle(store), "mine")
            try answer(store, row(2, title: .string("trimmed")), steps: .deliver(second))
            XCTAssertEqual(try title(store, 2), "trimmed")
            XCTAssertEqual(try pending(store) + pending(store, 2), [])
            XCTAssertEqual(try titles(store) { $0.isPending = true }, [])
            try answer(store, row(1, title: .string("newest")))
            XCTAssertEqual(try title(store), "newest")
        }
    }

    func testAnEditThatIsTakenBackShowsTheNewestValueOfTheServer() throws {
        try withEachStore {
            let store = try makeStore()
            try answer(store, row(1, title: .string("server")))
            let edit = try edit(store, object(store, 1), [Cell.title: .string("mine")])
            try answer(store, row(1, title: .string("newer")))
            let commit = try step(store, .takeBack(edit))
            XCTAssertEqual(commit.changes.map(\.source), [.takenBack])
            XCTAssertEqual(try title(store), "newer")
            XCTAssertEqual(try pending(store), [])
            XCTAssertTrue(try store.edits(ofOutbox: outbox).isEmpty)
        }
    }

    func testEachOfTwoEditsMayEndFirst() throws {
        try withEachStore {
            let store = try makeStore()
            for (id, deliversFirst, takesBack) in [
                (Int64(1), true, false), (2, false, false), (3, true, true), (4, false, true),
            ] {
                try answer(store, row(id, title: .string("server")))
                let first = try edit(store, object(store, id), [Cell.title: .string("first")])
                let second = try edit(store, object(store, id), [Cell.title: .string("second")])
                let (ended, left) = deliversFirst ? (first, second) : (second, first)
                try step(store, takesBack ? .takeBack(ended) : .deliver(ended))
                let shown = deliversFirst ? "second" : "first"
                XCTAssertEqual(try title(store, id), shown)
                let confirmed = takesBack ? "server" : deliversFirst ? "first" : "second"
                XCTAssertEqual(try confirmedTitle(store, id), confirmed)
                // The second edit lies on what is left under it.
                let base = deliversFirst && !takesBack ? "first" : "server"
                XCTAssertEqual(
                    try pending(store, id),
                    [PendingEdit.Cell(Cell.title, before: .string(base), after: .string(shown))])
                try step(store, .takeBack(left))
                XCTAssertEqual(try title(store, id), confirmed)
            }
        }
    }

    func testASuspendedEditIsNotSeenUntilItIsResumedAtItsPlace() throws {
        try withEachStore {
            let store = try makeStore()
            try answer(store, row(1, title: .string("server"), body: .string("text")))
            let first = try edit(
                store, object(store, 1), [Cell.title: .string("first"), Cell.body: .string("b")])
            let second = try edit(store, object(store, 1), [Cell.title: .string("second")])
            var commit = try step(store, .suspend(first))
            XCTAssertEqual(commit.changes.map(\.pendingChanged), [true])
            XCTAssertEqual(try title(store), "second")
            XCTAssertEqual(try object(store, 1).string(at: Cell.body), "text")
            XCTAssertEqual(try store.edits(ofOutbox: outbox).map(\.isSuspended), [true, false])
            XCTAssertEqual(try store.edits(ofOutbox: outbox).map(\.id), [first, second])
            try answer(store, row(1, body: .string("newer text")))
            XCTAssertEqual(try object(store, 1).string(at: Cell.body), "newer text")
            commit = try step(store, .resume(first))
            XCTAssertEqual(commit.changes.map(\.source), [.local])
            XCTAssertEqual(try title(store), "second")
            XCTAssertEqual(try object(store, 1).string(at: Cell.body), "b")
            XCTAssertEqual(
                try pending(store),
                [
                    .init(Cell.title, before: .string("server"), after: .string("second")),
                    .init(Cell.body, before: .string("newer text"), after: .string("b")),
                ])
            try step(store, .takeBack(second))
            XCTAssertEqual(try title(store), "first")
            try step(store, .suspend(first), .takeBack(first))
            XCTAssertEqual(try title(store), "server")
            XCTAssertEqual(try object(store, 1).string(at: Cell.body), "newer text")
        }
    }

    func testAStepIsRepeatedWithoutEffect() throws {
        try withEachStore {
            let store = try makeStore()
            try answer(store, row(1, title: .string("server")))
            let known = try edit(store, object(store, 1), [Cell.title: .string("mine")])
            // Laying a known edit again changes nothing.
            let draft = Draft(copying: try object(store, 1))
            try draft.set(.string("other"), attribute: Cell.title)
            let again = try lay(store, draft) { $0.laying = known }.commit
            XCTAssertNil(again.laid)
            XCTAssertEqual(try title(store), "mine")
            for step in [EditStep.suspend(known), .resume(known), .deliver(known)] {
                try self.step(store, step)
                let repeated = try self.step(store, step)
                XCTAssertFalse(repeated.hasChanges, "\(step)")
                XCTAssertTrue(repeated.changes.isEmpty)
            }
            let unknown = EditID.random(outbox: outbox)
            let commit = try step(
                store, .deliver(unknown), .takeBack(known), .suspend(unknown), .resume(unknown))
            XCTAssertFalse(commit.hasChanges)
            XCTAssertEqual(try title(store), "mine")
        }
    }

    func testAnOlderAnswerCompletesOnlyWhatTheServersValuesLack() throws {
        try withEachStore {
            let store = try makeStore()
            try answer(store, row(1, title: .string("server")))
            try edit(
                store, object(store, 1), [Cell.title: .string("mine"), Cell.body: .string("b")])
            try answer(store, row(1, title: .string("old"), body: .string("old"))) {
                $0.onlyCompletes = true
            }
            let object = try object(store, 1)
            let confirmed = try XCTUnwrap(store.confirmed(note, storeKey: object.storeKey))
            XCTAssertEqual(confirmed.string(at: Cell.title), "server")
            XCTAssertEqual(confirmed.string(at: Cell.body), "old")
            XCTAssertEqual(object.string(at: Cell.title), "mine")
            XCTAssertEqual(object.string(at: Cell.body), "b")
        }
    }

    func testAValueOfTheProgramThatIsNoPendingEditCountsForBoth() throws {
        try withEachStore {
            let store = try makeStore()
            try answer(store, row(1, title: .string("server")))
            let pending = try edit(store, object(store, 1), [Cell.title: .string("mine")])
            try edit(store, object(store, 1), [Cell.title: .string("local")]) { $0.laying = nil }
            XCTAssertEqual(try title(store), "local")
            XCTAssertEqual(try confirmedTitle(store), "local")
            try answer(store, row(1, title: .string("newer")))
            XCTAssertEqual(try title(store), "local")
            try step(store, .takeBack(pending))
            XCTAssertEqual(try title(store), "newer")
        }
    }

    func testATransactionOfTheProgramCountsForBoth() throws {
        try withEachStore {
            let store = try makeStore()
            try answer(store, row(1, title: .string("server")), row(2, title: .string("two")))
            let pending = try edit(store, object(store, 1), [Cell.title: .string("mine")])
            try edit(store, object(store, 2), [Cell.title: .string("mine")])
            let draft = Draft(copying: try object(store, 1))
            try draft.set(.string("local"), attribute: Cell.title)
            var steps = ChangeSteps()
            try steps.insert(draft.capture())
            XCTAssertTrue(steps.delete(try object(store, 2)))
            let commit = try store.commit(steps)
            XCTAssertEqual(commit.changes.map(\.kind), [.updated, .deleted])
            XCTAssertEqual(commit.changes.map(\.source), [.local, .local])
            XCTAssertEqual(commit.changes.map(\.pendingChanged), [false, true])
            try step(store, .takeBack(pending))
            XCTAssertEqual(try title(store), "local")
        }
    }

    func testADeletionByTheServerEndsTheLayersAndTheEditIsStillKnown() throws {
        try withEachStore {
            let store = try makeStore()
            try answer(store, row(1, title: .string("server")))
            let draft = Draft(copying: try object(store, 1))
            try draft.set(.string("mine"), attribute: Cell.title)
            let (edit, commit) = try lay(store, draft)
            let laid = try XCTUnwrap(commit.laid)
            try answer(store) { $0.deletions = [.identity(self.note, .integer(1))] }
            XCTAssertNil(try store.object(note, .integer(1)))
            XCTAssertEqual(try store.edits(ofOutbox: outbox).map(\.id), [edit])
            // It is not laid again over an object that has gone.
            try layAgain(store, laid)
            XCTAssertNil(try store.object(note, .integer(1)))
            try answer(store, row(1, title: .string("again")))
            XCTAssertEqual(try title(store), "again")
            try step(store, .deliver(edit))
            XCTAssertEqual(try title(store), "again")
            XCTAssertTrue(try store.edits(ofOutbox: outbox).isEmpty)
        }
    }

    func testDeletingAllObjectsEndsTheLayers() throws {
        try withEachStore {
            let store = try makeStore()
            for deletion in [ChangeSet.Deletion.all(note), .everything] {
                try answer(store, row(1, title: .string("server")))
                try edit(store, object(store, 1), [Cell.title: .string("mine")])
                _ = try hide(store, object(store, 1))
                let commit = try answer(store) { $0.deletions = [deletion] }
                XCTAssertEqual(commit.changes.map(\.wasHidden), [true])
                XCTAssertEqual(try store.hiddenKeys(), [])
                try answer(store, row(1, title: .string("again")))
                XCTAssertEqual(try title(store), "again")
                XCTAssertEqual(try pending(store), [])
            }
        }
    }

    func testValuesThatWereDeliveredMeanwhileAreLeftOut() throws {
        try withEachStore {
            let store = try makeStore()
            try answer(store, row(1, title: .string("server")), row(2, title: .string("server")))
            let edit = try edit(store, object(store, 1), [Cell.title: .string("mine")])
            let settled = try step(store, .deliver(edit)).settled
            // The request of this list left before the delivery.
            let list = try answer(
                store, row(1, title: .string("server"), body: .string("text")),
                row(2, title: .string("newer"))
            ) { $0.settledSince = settled }
            XCTAssertEqual(list.objects.map { $0.string(at: Cell.title) }, ["mine", "newer"])
            XCTAssertEqual(try object(store, 1).string(at: Cell.body), "text")
            try answer(store, row(1, title: .string("server")))
            XCTAssertEqual(try title(store), "server")
        }
    }

    func testEveryTypeOfValueIsKeptUnderAnEdit() throws {
        let all = Entity(
            name: "All", index: 0,
            attributes: [Attribute(name: "id"), Attribute(name: "value")], identityIndex: 0)
        let values: [Value] = [
            .absent, .null, .bool(true), .int64(.min), .double(-0.0), .double(.nan), .date(5),
            .string("é\u{0}"), .bytes([0, 255]), .json("[1]"),
        ]
        try withEachStore {
            let store = try makeStore([all])
            for (id, base) in values.enumerated() {
                for (other, mine) in values.enumerated() where mine != .absent {
                    let identity = Int64(id * 100 + other)
                    let row = Snapshot.make(all, [.int64(identity), base])
                    let object = try store.commit(ChangeSet(rows: [row])).objects[0]
                    let edit = try edit(store, object, [1: mine])
                    let newest = try XCTUnwrap(store.newest(all, storeKey: object.storeKey))
                    XCTAssertTrue(newest.value(at: 1).isSame(as: mine))
                    let confirmed = try store.confirmed(all, storeKey: object.storeKey)
                    XCTAssertTrue(try XCTUnwrap(confirmed).value(at: 1).isSame(as: base))
                    try step(store, .takeBack(edit))
                    let left = try XCTUnwrap(store.newest(all, storeKey: object.storeKey))
                    XCTAssertTrue(left.value(at: 1).isSame(as: base))
                }
            }
        }
    }
}
