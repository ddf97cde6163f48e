import RestwayObjects
import XCTest

/// The versions of objects: a store knows one as long as it has the server's values of it.
final class VersionTests: EditTestCase {
    private enum Header {
        static let first = ObjectVersion("\"1\"")
        static let second = ObjectVersion("\"2\"")
    }

    /// Notes whose versions stand in the header of an answer.
    private func tagged() { note = Self.note(.assign, version: VersionRule(.entityTag)) }

    /// Notes whose versions stand in the attribute `revision`.
    private func revised(_ type: AttributeType = .int, isOrdered: Bool = false) {
        note = Entity(
            name: "Note", index: 0,
            attributes: [
                Attribute(name: "id"), Attribute(name: "title", type: .string),
                Attribute(name: "body", type: .string), Attribute(name: "revision", type: type),
            ],
            identityIndex: 0, model: Self.model,
            version: VersionRule(.attribute(3), isOrdered: isOrdered))
    }

    private func revision(
        _ id: Int64?, _ revision: Value = .absent, title: String? = nil, body: String? = nil
    ) -> Snapshot {
        Snapshot.make(
            note,
            [
                id.map { .int64($0) } ?? .absent, title.map { .string($0) } ?? .absent,
                body.map { .string($0) } ?? .absent, revision,
            ])
    }

    private func version(_ store: any ObjectStore, _ id: Int64 = 1) throws -> String? {
        try store.version(note, storeKey: key(store, id))?.text
    }

    /// Commits the answer of a GET of one object, whose header states its version.
    @discardableResult
    private func get(
        _ store: any ObjectStore, _ row: Snapshot, _ version: ObjectVersion?,
        steps: EditStep..., change: (inout ChangeSet) -> Void = { _ in }
    ) throws -> Commit {
        var changes = ChangeSet(rows: [row])
        changes.editSteps = steps
        if let version { changes.versions = [0: version] }
        change(&changes)
        return try store.commit(changes, recordingChanges: true)
    }

    // MARK: Headers

    func testAHeaderStatesTheVersionOfOneObject() throws {
        try withEachStore {
            tagged()
            let store = try makeStore()
            try get(store, row(1, title: .string("a")), Header.first)
            XCTAssertEqual(try version(store), "\"1\"")
            try get(store, row(1, title: .string("b")), Header.second)
            XCTAssertEqual(try version(store), "\"2\"")
            let weak = ObjectVersion("W/\"é\"")
            try get(store, row(1, title: .string("b")), weak)
            XCTAssertEqual(try version(store), "W/\"é\"")
            XCTAssertNil(try store.version(comment, storeKey: key(store)))
            XCTAssertNil(try store.version(note, storeKey: 999))
        }
    }

    func testARowWithoutAVersionKeepsItOnlyIfItChangesNothing() throws {
        try withEachStore {
            tagged()
            let store = try makeStore()
            try get(store, row(1, title: .string("a"), body: .string("text")), Header.first)
            try answer(store, row(1, title: .string("a")), row(2))
            XCTAssertEqual(try version(store), "\"1\"")
            XCTAssertNil(try version(store, 2))
            try answer(store, row(1, title: .string("b")))
            XCTAssertNil(try version(store))
            try get(store, row(1, title: .string("b")), Header.second)
            XCTAssertEqual(try version(store), "\"2\"")
        }
    }

    func testAnEntityWithoutVersionsKeepsNone() throws {
        try withEachStore {
            note = Self.note(.assign)
            let store = try makeStore()
            try get(store, row(1, title: .string("a")), Header.first)
            XCTAssertNil(try version(store))
        }
    }

    func testTheProgramsOwnValuesLeaveTheVersion() throws {
        try withEachStore {
            tagged()
            let store = try makeStore()
            try get(store, row(1, title: .string("a")), Header.first)
            var changes = ChangeSet(rows: [row(1, title: .string("b"))], origin: .host)
            _ = try store.commit(changes)
            XCTAssertEqual(try version(store), "\"1\"")
            let edit = try self.edit(store, object(store, 1), [Cell.title: .string("mine")])
            try step(store, .takeBack(edit))
            XCTAssertEqual(try version(store), "\"1\"")
            changes = ChangeSet(rows: [row(5, title: .string("new"))], origin: .host)
            changes.versions = [0: Header.first]
            _ = try store.commit(changes)
            XCTAssertNil(try version(store, 5))
        }
    }

    func testARowUnderAPendingEditBringsItsVersion() throws {
        try withEachStore {
            tagged()
            let store = try makeStore()
            try get(store, row(1, title: .string("a")), Header.first)
            try edit(store, object(store, 1), [Cell.title: .string("mine")])
            XCTAssertEqual(try version(store), "\"1\"")
            try get(store, row(1, title: .string("b")), Header.second)
            XCTAssertEqual(try version(store), "\"2\"")
            try answer(store, row(1, title: .string("b")))
            XCTAssertEqual(try version(store), "\"2\"")
            // The same value as the edit is another value of the server.
            try answer(store, row(1, title: .string("mine")))
            XCTAssertNil(try version(store))
            try get(store, row(1, title: .string("mine")), Header.first)
            XCTAssertEqual(try version(store), "\"1\"")
        }
    }

    func testADeliveryThatChangesAValueNeedsANewVersion() throws {
        try withEachStore {
            tagged()
            let store = try makeStore()
            let given = { (store: any ObjectStore) in
                try self.edit(store, self.object(store, 1), [Cell.title: .string("mine")])
            }
            try get(store, row(1, title: .string("a")), Header.first)
            try answer(store, steps: .deliver(given(store)))
            XCTAssertNil(try version(store))

            try get(store, row(1, title: .string("a")), Header.first)
            let key = try key(store)
            try answer(store, steps: .deliver(given(store))) {
                $0.versionsOfDelivered = [key: Header.second, 999: Header.first]
            }
            XCTAssertEqual(try version(store), "\"2\"")

            try get(store, row(1, title: .string("a")), Header.first)
            let edit = try given(store)
            try get(
                store, row(1, title: .string("mine")), Header.second, steps: .deliver(edit))
            XCTAssertEqual(try version(store), "\"2\"")

            // Somebody else has given the server the same value.
            try get(store, row(1, title: .string("a")), Header.first)
            let late = try given(store)
            try get(store, row(1, title: .string("mine")), Header.second)
            try answer(store, steps: .deliver(late))
            XCTAssertEqual(try version(store), "\"2\"")
        }
    }

    func testAnAnswerAboutADraftThatWasSentAtOnceNeedsANewVersion() throws {
        try withEachStore {
            tagged()
            let store = try makeStore()
            for stated in [nil, Header.second] {
                try get(store, row(1, title: .string("a")), Header.first)
                let draft = Draft(copying: try object(store, 1))
                try draft.set(.string("mine"), attribute: Cell.title)
                var changes = ChangeSet()
                draft.capture().add(to: &changes)
                let key = try key(store)
                if let stated { changes.versionsOfDelivered = [key: stated] }
                _ = try store.commit(changes)
                XCTAssertEqual(try title(store), "mine")
                XCTAssertEqual(try version(store), stated?.text)
            }
        }
    }

    func testARowThatIsOlderThanADeliveryBringsNoVersion() throws {
        try withEachStore {
            tagged()
            let store = try makeStore()
            try get(store, row(1, title: .string("a"), body: .string("a")), Header.first)
            let key = try key(store)
            let edit = try self.edit(store, object(store, 1), [Cell.title: .string("mine")])
            try answer(store, steps: .deliver(edit)) {
                $0.versionsOfDelivered = [key: Header.second]
            }
            // The request of this row left before the delivery.
            try get(store, row(1, title: .string("a"), body: .string("a")), Header.first) {
                $0.settledSince = [key: [Cell.title]]
            }
            XCTAssertEqual(try title(store), "mine")
            XCTAssertEqual(try version(store), "\"2\"")
            try get(
                store, row(1, title: .string("b"), body: .string("b")), ObjectVersion("\"3\"")
            ) { $0.settledSince = [key: [Cell.title]] }
            XCTAssertEqual(try title(store), "mine")
            XCTAssertNil(try version(store))
        }
    }

    func testAKeptAnswerCompletesAnObjectWithoutItsVersion() throws {
        try withEachStore {
            tagged()
            let store = try makeStore()
            let complete = { (row: Snapshot) in
                try self.get(store, row, Header.first) { $0.onlyCompletes = true }
            }
            _ = try complete(row(1, title: .string("a")))
            XCTAssertEqual(try version(store), "\"1\"")
            try get(store, row(1, title: .string("b")), Header.second)
            _ = try complete(row(1, title: .string("a")))
            XCTAssertEqual(try version(store), "\"2\"")
            _ = try complete(row(1, title: .string("a"), body: .string("text")))
            XCTAssertEqual(try object(store, 1).string(at: Cell.body), "text")
            XCTAssertNil(try version(store))
        }
    }

    // MARK: Life

    func testADeletedObjectForgetsItsVersion() throws {
        try withEachStore {
            tagged()
            let store = try makeStore()
            for deletion in [
                ChangeSet.Deletion.identity(note, .integer(1)), .all(note), .everything,
            ] {
                try get(store, row(1, title: .string("a")), Header.first)
                try answer(store) { $0.deletions = [deletion] }
                try answer(store, row(1, title: .string("a")))
                XCTAssertNil(try version(store))
            }
        }
    }

    func testAnObjectKeepsItsVersionWhenAnotherTurnsOutToBeTheSame() throws {
        try withEachStore {
            tagged()
            let store = try makeStore()
            let (_, made) = try make(store, [Cell.title: .string("mine")])
            try get(store, row(7, title: .string("server")), Header.first)
            // The answer gives the new object the identity of the other one.
            try answer(store, row(7, title: .string("server"))) {
                $0.answers = [
                    ChangeSet.Answer(storeKey: made.storeKey, entity: self.note, row: 0)
                ]
            }
            XCTAssertEqual(try key(store, 7), made.storeKey)
            XCTAssertEqual(try version(store, 7), "\"1\"")
        }
    }

    func testAnObjectThatIsRenamedKeepsItsVersion() throws {
        try withEachStore {
            tagged()
            let store = try makeStore()
            try get(store, row(1, title: .string("a")), Header.first)
            let key = try key(store)
            try answer(store, row(2)) {
                $0.answers = [
                    ChangeSet.Answer(
                        storeKey: key, entity: self.note, row: 0,
                        formerIdentities: [.integer(1)])
                ]
            }
            XCTAssertEqual(try self.key(store, 2), key)
            // The identity is a value of the server, too.
            XCTAssertNil(try version(store, 2))
            try get(store, row(3), Header.second) {
                $0.answers = [
                    ChangeSet.Answer(
                        storeKey: key, entity: self.note, row: 0,
                        formerIdentities: [.integer(2)])
                ]
            }
            XCTAssertEqual(try version(store, 3), "\"2\"")
        }
    }

    // MARK: Attributes

    func testAnAttributeStatesTheVersionOfEachRow() throws {
        try withEachStore {
            revised()
            let store = try makeStore()
            try answer(
                store, revision(1, .int64(4), title: "a"), revision(2, .int64(9), title: "b"),
                revision(3, .null, title: "c"), revision(4, title: "d"))
            XCTAssertEqual(try (1...4).map { try version(store, $0) }, ["4", "9", nil, nil])
            try answer(store, revision(1, .int64(5), title: "a2"))
            XCTAssertEqual(try version(store), "5")
            try answer(store, revision(1, .int64(3), title: "a3"))
            XCTAssertEqual(try version(store), "3")
            XCTAssertEqual(try title(store), "a3")
        }
    }

    func testAVersionStandsAsAText() throws {
        try withEachStore {
            for (type, value, text) in [
                (AttributeType.string, Value.string("\"x\""), "\"x\""),
                (.int, .int64(-3), "-3"), (.any, .double(1.5), "1.5"),
                (.date, .date(1_709_214_310_000_000), "2024-02-29T13:45:10Z"),
                (.date, .date(1_709_214_310_250_000), "2024-02-29T13:45:10.250Z"),
                (.date, .date(-1), "1969-12-31T23:59:59.999999Z"),
                (.any, .null, nil), (.bytes, .bytes([1]), nil),
            ] {
                revised(type)
                let store = try makeStore()
                try answer(store, revision(1, value))
                XCTAssertEqual(try version(store), text)
            }
        }
    }

    private func versions(_ store: any ObjectStore) throws -> [String?] {
        try [nil, [Cell.title], [Cell.body], [Cell.title, Cell.body]].map { cells in
            try store.version(note, storeKey: key(store), of: cells)?.text
        }
    }

    /// The row of a list may have fewer attributes than the object: those that it leaves out may be
    /// older than its version.
    func testARowBringsNoVersionForAttributesThatItLeavesOut() throws {
        try withEachStore {
            revised()
            let store = try makeStore()
            try answer(store, revision(1, .int64(1), title: "a", body: "text"))
            try answer(store, revision(1, .int64(1), title: "a"))
            XCTAssertEqual(try versions(store), ["1", "1", "1", "1"])
            try answer(store, revision(1, .int64(2), title: "b"))
            XCTAssertEqual(try versions(store), [nil, "2", nil, nil])
            try answer(store, revision(1, .int64(2), title: "b"))
            XCTAssertEqual(try versions(store), [nil, "2", nil, nil])
            try answer(store, revision(1, .int64(2), body: "text"))
            XCTAssertEqual(try versions(store), ["2", "2", "2", "2"])
            // The answer of a request about the one object speaks for all of its attributes.
            try get(store, revision(1, .int64(3), title: "c"), ObjectVersion("3"))
            XCTAssertEqual(try versions(store), ["3", "3", "3", "3"])
        }
    }

    /// The change was made under the condition of the version that only some values came with.
    func testAnAcceptedChangeLeavesOtherValuesAsOldAsTheyWere() throws {
        try withEachStore {
            revised()
            let store = try makeStore()
            for answersWithRow in [true, false] {
                try answer(store, revision(1, .int64(1), title: "a", body: "text"))
                try answer(store, revision(1, .int64(2), title: "b"))
                let edit = try self.edit(store, object(store, 1), [Cell.title: .string("mine")])
                let key = try key(store)
                if answersWithRow {
                    try get(
                        store, revision(1, .int64(3), title: "mine"), ObjectVersion("3"),
                        steps: .deliver(edit))
                } else {
                    try answer(store, steps: .deliver(edit)) {
                        $0.versionsOfDelivered = [key: ObjectVersion("3")]
                    }
                }
                XCTAssertEqual(try versions(store), [nil, "3", nil, nil])
            }
        }
    }

    func testValuesThatNoAnswerBringsAreNotStale() throws {
        try withEachStore {
            var rules = ValueRules()
            rules.initial = .string("none")
            note = Entity(
                name: "Note", index: 0,
                attributes: [
                    Attribute(name: "id"), Attribute(name: "title", type: .string),
                    Attribute(name: "body", shape: .one(.string), rules: rules),
                    Attribute(name: "revision", type: .int),
                    Attribute(name: "owner", type: .string, origin: .variable("owner")),
                ],
                identityIndex: 0, model: Self.model, version: VersionRule(.attribute(3)))
            let row = { (revision: Int64, body: Value, owner: Value) in
                Snapshot.make(
                    self.note, [.int64(1), .string("a"), body, .int64(revision), owner])
            }
            let store = try makeStore()
            try answer(store, row(1, .absent, .string("me")))
            XCTAssertEqual(try object(store, 1).string(at: Cell.body), "none")
            try answer(store, row(2, .absent, .absent))
            XCTAssertEqual(try version(store), "2")
            try answer(store, row(3, .string("text"), .absent))
            try answer(store, row(4, .absent, .absent))
            XCTAssertNil(try version(store))
        }
    }

    func testAnOlderRowChangesNothingIfVersionsAreOrdered() throws {
        try withEachStore {
            for type in [AttributeType.int, .date] {
                revised(type, isOrdered: true)
                let number = { (number: Int64) -> Value in
                    type == .int ? .int64(number) : .date(number * 1_000_000)
                }
                let store = try makeStore()
                try answer(store, revision(1, number(9), title: "nine", body: "text"))
                let commit = try answer(store, revision(1, number(8), title: "eight"))
                XCTAssertEqual(commit.objects[0].string(at: Cell.title), "nine")
                XCTAssertEqual(commit.updatedCount, 0)
                XCTAssertEqual(try title(store), "nine")
                // 10 is newer than 9, although its text comes first.
                try answer(store, revision(1, number(10), title: "ten", body: "text"))
                XCTAssertEqual(try title(store), "ten")
                XCTAssertNotNil(try version(store))
                // A change without a version leaves the order known.
                try answer(store, revision(1, title: "without"))
                XCTAssertNil(try version(store))
                try answer(store, revision(1, number(9), title: "nine"))
                XCTAssertEqual(try title(store), "without")
                try answer(store, revision(1, number(10), title: "ten again", body: "text"))
                XCTAssertEqual(try title(store), "ten again")
                XCTAssertNotNil(try version(store))
                // Also under an edit.
                try edit(store, object(store, 1), [Cell.title: .string("mine")])
                try answer(store, revision(1, number(9), title: "nine", body: "nine"))
                XCTAssertEqual(try confirmedTitle(store), "ten again")
                XCTAssertEqual(try object(store, 1).string(at: Cell.body), "text")
            }
        }
    }

    func testVersionsAreNotOrderedUnlessTheDocumentSaysSo() throws {
        try withEachStore {
            revised()
            let store = try makeStore()
            try answer(store, revision(1, .int64(9), title: "nine"))
            try answer(store, revision(1, .int64(8), title: "eight"))
            XCTAssertEqual(try title(store), "eight")
            XCTAssertEqual(try version(store), "8")
        }
    }

    // MARK: What an edit was made on

    func testAnEditIsMadeOnTheObjectThatTheProgramKnew() throws {
        try withEachStore {
            for isVersioned in [true, false] {
                note = Self.note(.assign, version: isVersioned ? VersionRule(.entityTag) : nil)
                let store = try makeStore()
                try answer(store, row(1, title: .string("seen"), body: .string("seen")))
                let draft = Draft(copying: try object(store, 1))
                try draft.set(.string("mine"), attribute: Cell.title)
                // This comes while the program shows the object to its user.
                try answer(store, row(1, title: .string("newer"), body: .string("newer")))
                let laid = try XCTUnwrap(lay(store, draft).commit.laid)
                let before = Value.string(isVersioned ? "seen" : "newer")
                XCTAssertEqual(
                    laid.objects[0].cells,
                    [PendingEdit.Cell(Cell.title, before: before, after: .string("mine"))])
                XCTAssertEqual(try pending(store), laid.objects[0].cells)
                XCTAssertEqual(try confirmedTitle(store), "newer")
            }
        }
    }

    func testAnEditOverAnotherEditIsMadeOnThatEdit() throws {
        try withEachStore {
            tagged()
            let store = try makeStore()
            try answer(store, row(1, title: .string("seen"), body: .string("seen")))
            let draft = Draft(copying: try object(store, 1))
            try draft.set(.string("second"), attribute: Cell.title)
            try draft.set(.string("second"), attribute: Cell.body)
            let first = try edit(store, object(store, 1), [Cell.title: .string("first")])
            try answer(store, row(1, title: .string("newer"), body: .string("newer")))
            let laid = try XCTUnwrap(lay(store, draft).commit.laid)
            XCTAssertEqual(
                laid.objects[0].cells.map(\.before), [.string("first"), .string("seen")])
            try step(store, .takeBack(first))
            XCTAssertEqual(try pending(store).map(\.before), [.string("seen"), .string("seen")])
            XCTAssertEqual(try title(store), "second")
            XCTAssertEqual(try confirmedTitle(store), "newer")
        }
    }

    /// The server accepts the first value of a draft while the second one is on its way.
    func testAnEditIsMadeOnTheValueThatTheServerHasTakenFromTheSameDraft() throws {
        try withEachStore {
            tagged()
            let store = try makeStore()
            try answer(store, row(1, title: .string("seen"), body: .string("seen")))
            let draft = Draft(copying: try object(store, 1))
            try draft.set(.string("first"), attribute: Cell.title)
            let sent = draft.capture().sent(0)
            try draft.set(.string("second"), attribute: Cell.title)
            let second = draft.capture()
            try answer(store, row(1, title: .string("first"), body: .string("seen")))
            sent.settle(on: try object(store, 1), withholding: [])
            var changes = ChangeSet(origin: .host)
            second.add(to: &changes)
            changes.laying = .random(outbox: outbox)
            _ = try store.commit(changes)
            XCTAssertEqual(try pending(store).map(\.before), [.string("first")])
        }
    }

    func testARetriedEditIsStillMadeOnWhatItWasMadeOn() throws {
        try withEachStore {
            for isVersioned in [true, false] {
                note = Self.note(.assign, version: isVersioned ? VersionRule(.entityTag) : nil)
                let store = try makeStore()
                try answer(store, row(1, title: .string("seen")))
                let edit = try self.edit(store, object(store, 1), [Cell.title: .string("mine")])
                try step(store, .suspend(edit))
                try answer(store, row(1, title: .string("newer")))
                try step(store, .resume(edit))
                XCTAssertEqual(
                    try pending(store).map(\.before), [.string(isVersioned ? "seen" : "newer")])
                XCTAssertEqual(try title(store), "mine")
            }
        }
    }
}
