import RestwayObjects
import RestwaySQLiteStore
import XCTest

/// Pending edits in a file: they outlast the store, and other stores of the file see them.
final class PendingEditFileTests: EditTestCase {
    private lazy var file: StoreFile = {
        let file = StoreFile()
        addTeardownBlock { file.remove() }
        return file
    }()

    private func open() throws -> SQLiteStore { try file.open([note, comment]) }

    func testAnotherStoreOfTheFileGoesOnWithThem() throws {
        let (edit, hidden) = try {
            let store = try open()
            try answer(store, row(1, title: .string("server")), row(2, title: .string("two")))
            let edit = try self.edit(store, object(store, 1), [Cell.title: .string("mine")])
            return (edit, try hide(store, object(store, 2)).edit)
        }()
        let store = try open()
        XCTAssertEqual(try store.edits(ofOutbox: outbox).map(\.id), [edit, hidden])
        XCTAssertEqual(try title(store), "mine")
        XCTAssertEqual(try confirmedTitle(store), "server")
        XCTAssertEqual(try store.count(note, .hide), 1)
        try answer(store, row(1, title: .string("newer")))
        XCTAssertEqual(try title(store), "mine")
        try step(store, .takeBack(edit), .takeBack(hidden))
        XCTAssertEqual(try title(store), "newer")
        for table in ["edits", "layers", "layer_cells", "base"] {
            XCTAssertEqual(try file.integer("SELECT count(*) FROM restway_\(table)"), 0, table)
        }
    }

    func testTwoStoresOfAFileSeeEachOthersEdits() throws {
        let (first, second) = (try open(), try open())
        try answer(first, row(1, title: .string("server")))
        XCTAssertEqual(try title(second), "server")
        let edit = try self.edit(second, object(second, 1), [Cell.title: .string("mine")])
        XCTAssertEqual(try title(first), "mine")
        // The first store does not know the edit yet when it commits.
        try answer(first, row(1, title: .string("newer")))
        XCTAssertEqual(try title(second), "mine")
        XCTAssertEqual(try confirmedTitle(second), "newer")
        try step(first, .takeBack(edit))
        XCTAssertEqual(try title(second), "newer")
        try answer(second, row(1, title: .string("newest")))
        XCTAssertEqual(try title(first), "newest")
        _ = try hide(first, object(first, 1))
        XCTAssertEqual(try second.hiddenKeys().count, 1)
        XCTAssertEqual(try second.count(note, .hide), 0)
        XCTAssertEqual(try second.count(note), 1)
    }

    func testEditsOfOtherOutboxesAreNotListed() throws {
        let store = try open()
        try answer(store, row(1, title: .string("server")))
        let edit = try self.edit(store, object(store, 1), [Cell.title: .string("mine")])
        XCTAssertEqual(try store.edits(ofOutbox: outbox).map(\.id), [edit])
        XCTAssertTrue(try store.edits(ofOutbox: outbox + 1).isEmpty)
    }

    func testParkedEditsAndVersionsOutlastTheStore() throws {
        note = Self.note(.assign, version: VersionRule(.entityTag))
        let version = ObjectVersion("W/\"1\"")
        let (edit, off) = try {
            let store = try open()
            try answer(store, row(1, title: .string("base"), body: .string("base"))) {
                $0.versions = [0: version]
            }
            let edit = try self.edit(
                store, object(store, 1), [Cell.title: .string("mine"), Cell.body: .string("b")])
            let off = EditID.random(outbox: outbox)
            try step(
                store, .split(edit, off: off, storeKey: key(store), cells: [Cell.title]),
                .park(off))
            return (edit, off)
        }()
        let (first, second) = (try open(), try open())
        XCTAssertEqual(try first.version(note, storeKey: key(first)), version)
        XCTAssertEqual(try first.edits(ofOutbox: outbox).map(\.id), [off, edit])
        XCTAssertEqual(try first.edits(ofOutbox: outbox).map(\.isParked), [true, false])
        XCTAssertEqual(try titles(first) { $0.isConflicted = true }, ["mine"])
        // Another store of the file sees what this one does.
        try step(first, .resume(off))
        XCTAssertEqual(try titles(second) { $0.isConflicted = true }, [])
        try answer(first, row(1, title: .string("newer")))
        XCTAssertNil(try second.version(note, storeKey: key(second)))
        try step(second, .takeBack(off), .takeBack(edit))
        XCTAssertEqual(try title(first), "newer")
        try answer(second) { $0.deletions = [.everything] }
        XCTAssertEqual(try file.integer("SELECT count(*) FROM restway_versions"), 0)
        for table in ["edits", "layers", "layer_cells", "base"] {
            XCTAssertEqual(try file.integer("SELECT count(*) FROM restway_\(table)"), 0, table)
        }
    }

    func testAFileKnowsWhichValuesAreOlderThanTheVersion() throws {
        note = Self.note(.assign, version: VersionRule(.attribute(Cell.body)))
        try answer(open(), row(1, title: .string("a"), body: .string("1")))
        try answer(open(), row(1, body: .string("2")))
        let store = try open()
        let version = { (store: any ObjectStore, cells: Set<Int>?) in
            try store.version(self.note, storeKey: self.key(store), of: cells)?.text
        }
        XCTAssertNil(try version(store, nil))
        XCTAssertNil(try version(store, [Cell.title]))
        XCTAssertEqual(try version(store, [Cell.comments]), "2")
        // The document no longer has the attribute that the file names.
        try file.shell("UPDATE restway_versions SET stale = 'gone'")
        XCTAssertNil(try version(open(), [Cell.comments]))
        try answer(store, row(1, title: .string("a"), body: .string("3")))
        XCTAssertEqual(try version(open(), nil), "3")
    }

    func testAFileOfVersion6KeepsItsEditsAndGetsVersions() throws {
        note = Self.note(.assign, version: VersionRule(.entityTag))
        let edit = try {
            let store = try open()
            try answer(store, row(1, title: .string("server")))
            return try self.edit(store, object(store, 1), [Cell.title: .string("mine")])
        }()
        try file.shell(
            """
            DROP TABLE restway_versions; DROP INDEX restway_parked_layers;
            ALTER TABLE restway_layers DROP COLUMN parked;
            ALTER TABLE restway_edits DROP COLUMN parked; PRAGMA user_version = 6
            """)
        let store = try open()
        XCTAssertEqual(try file.integer("PRAGMA user_version"), 7)
        XCTAssertEqual(try title(store), "mine")
        XCTAssertEqual(try store.edits(ofOutbox: outbox).map(\.id), [edit])
        XCTAssertEqual(try store.edits(ofOutbox: outbox).map(\.isParked), [false])
        XCTAssertNil(try store.version(note, storeKey: key(store)))
        try step(store, .park(edit))
        XCTAssertEqual(try titles(store) { $0.isConflicted = true }, ["mine"])
        try answer(store, row(1, title: .string("newer"))) {
            $0.versions = [0: ObjectVersion("\"2\"")]
        }
        XCTAssertEqual(try store.version(note, storeKey: key(store))?.text, "\"2\"")
    }

    func testACommitThatFailsLeavesVersionsAndParkedEditsAsTheyWere() throws {
        note = Self.note(.assign, version: VersionRule(.entityTag))
        let store = try open()
        try answer(store, row(1, title: .string("server"))) {
            $0.versions = [0: ObjectVersion("1")]
        }
        let edit = try self.edit(store, object(store, 1), [Cell.title: .string("mine")])
        try file.shell(
            """
            CREATE TRIGGER refusal BEFORE UPDATE ON Note WHEN new.body = 'refused'
            BEGIN SELECT RAISE(FAIL, 'refused'); END
            """)
        XCTAssertThrowsError(
            try answer(store, row(1, body: .string("refused")), steps: .park(edit)))
        XCTAssertEqual(try store.version(note, storeKey: key(store))?.text, "1")
        XCTAssertEqual(try store.edits(ofOutbox: outbox).map(\.isParked), [false])
        XCTAssertEqual(try titles(store) { $0.isConflicted = true }, [])
    }

    func testAFileOfAnEarlierVersionGetsTheTables() throws {
        try answer(open(), row(1, title: .string("server")))
        try file.shell(StoreFile.withoutEdits)
        let store = try open()
        let edit = try self.edit(store, object(store, 1), [Cell.title: .string("mine")])
        try answer(store, row(1, title: .string("newer")))
        try step(store, .takeBack(edit))
        XCTAssertEqual(try title(store), "newer")
    }

    func testACommitThatFailsLeavesTheEditsAsTheyWere() throws {
        let store = try open()
        try answer(store, row(1, title: .string("server")))
        let edit = try self.edit(store, object(store, 1), [Cell.title: .string("mine")])
        try file.shell(
            """
            CREATE TRIGGER refusal BEFORE UPDATE ON Note WHEN new.body = 'refused'
            BEGIN SELECT RAISE(FAIL, 'refused'); END
            """)
        XCTAssertThrowsError(
            try answer(store, row(1, body: .string("refused")), steps: .deliver(edit)))
        XCTAssertEqual(try store.edits(ofOutbox: outbox).map(\.id), [edit])
        XCTAssertEqual(try confirmedTitle(store), "server")
        try answer(store, row(1, title: .string("newer")))
        XCTAssertEqual(try title(store), "mine")
        try step(store, .takeBack(edit))
        XCTAssertEqual(try title(store), "newer")
    }

    func testAnEditOfAnEntityThatTheDocumentLostEndsWithoutATrace() throws {
        let edit = try {
            let store = try open()
            try answer(store, row(1, title: .string("server")))
            return try self.edit(store, object(store, 1), [Cell.title: .string("mine")])
        }()
        let alone = Entity(
            name: "Comment", index: 0,
            attributes: [Attribute(name: "id"), Attribute(name: "text", type: .string)],
            identityIndex: 0)
        let store = try file.open([alone])
        let named = { (text: String) in Snapshot.make(alone, [.int64(1), .string(text)]) }
        let stored = try store.commit(ChangeSet(rows: [named("server")])).objects[0]
        try step(store, .takeBack(edit))
        let other = try self.edit(store, stored, [1: .string("mine")])
        XCTAssertEqual(try file.integer("SELECT count(*) FROM restway_layers"), 1)
        try answer(store, named("newer"))
        try step(store, .takeBack(other))
        XCTAssertEqual(try store.object(alone, .integer(1))?.string(at: 1), "newer")
    }

    func testAnAttributeWhoseTypeChangedEndsWithItsEdit() throws {
        let edit = try {
            let store = try open()
            try answer(store, row(1, title: .string("1"), body: .string("text")))
            return try self.edit(
                store, object(store, 1), [Cell.title: .string("2"), Cell.body: .string("b")])
        }()
        let other = Entity(
            name: "Note", index: 0,
            attributes: [
                Attribute(name: "id"), Attribute(name: "title", type: .int),
                Attribute(name: "body", type: .string),
            ], identityIndex: 0)
        let store = try file.open([other])
        let key = try XCTUnwrap(store.object(other, .integer(1))).storeKey
        XCTAssertEqual(try store.pendingCells(other, storeKey: key).map(\.index), [Cell.body])
        try step(store, .takeBack(edit))
        let left = try XCTUnwrap(store.object(other, .integer(1)))
        XCTAssertEqual(left.value(at: Cell.title), .int64(2))
        XCTAssertEqual(left.string(at: Cell.body), "text")
    }

    func testAnAttributeThatTheDocumentLostEndsWithItsEdit() throws {
        let edit = try {
            let store = try open()
            try answer(store, row(1, title: .string("server"), body: .string("text")))
            return try self.edit(
                store, object(store, 1), [Cell.title: .string("mine"), Cell.body: .string("b")])
        }()
        let smaller = Entity(
            name: "Note", index: 0,
            attributes: [Attribute(name: "id"), Attribute(name: "title", type: .string)],
            identityIndex: 0)
        let store = try file.open([smaller])
        let key = try XCTUnwrap(store.object(smaller, .integer(1))).storeKey
        XCTAssertEqual(
            try store.pendingCells(smaller, storeKey: key).map(\.index), [Cell.title])
        try step(store, .takeBack(edit))
        XCTAssertEqual(
            try store.object(smaller, .integer(1))?.string(at: Cell.title), "server")
        XCTAssertEqual(try file.integer("SELECT count(*) FROM restway_layer_cells"), 0)
    }
}
