import RestwayObjects
import XCTest

/// Pending edits of relationships.
final class PendingLinkTests: EditTestCase {
    private func comments(_ store: any ObjectStore, _ note: Entity) throws -> [Int64] {
        let object = try XCTUnwrap(store.object(note, .integer(1)))
        return try store.related(object, relationship: 0).map { $0.cell(at: 0).integer }
    }

    private func confirmed(_ store: any ObjectStore, _ note: Entity) throws -> [Int64] {
        let key = try XCTUnwrap(store.object(note, .integer(1))).storeKey
        let object = try XCTUnwrap(store.confirmed(note, storeKey: key))
        return try store.related(object, relationship: 0).map { $0.cell(at: 0).integer }
    }

    /// Commits a note with these comments.
    private func list(
        _ store: any ObjectStore, _ note: Entity, _ comments: [Int64], steps: EditStep...
    ) throws {
        let links = comments.indices.map { RestwayObjects.Cell.reference(toRow: $0 + 1) }
        var changes = ChangeSet(
            rows: [Snapshot.make(note, [.int64(1), .absent, .absent, .links(links)])]
                + comments.map { Snapshot.make(comment, [.int64($0), .string("text")]) })
        changes.editSteps = steps
        _ = try store.commit(changes)
    }

    /// Lays an edit of the note that has only these comments.
    private func keep(
        _ store: any ObjectStore, _ note: Entity, _ comments: [Int64]
    ) throws -> EditID {
        let draft = Draft(copying: try XCTUnwrap(store.object(note, .integer(1))))
        let kept = try comments.map { try XCTUnwrap(store.object(comment, .integer($0))) }
        try draft.set(kept.map { .object($0) }, relationship: 0)
        return try lay(store, draft).edit
    }

    func testAListOfTheServerGoesUnderAPendingListByThePolicy() throws {
        let expected: [(Relationship.Policy, [Int64])] = [
            (.assign, [2, 3]), (.merge, [1, 2, 3]), (.replace, [2, 3]),
        ]
        for (policy, served) in expected {
            let note = Self.note(policy)
            try withEachStore {
                let store = try makeStore([note, comment])
                try list(store, note, [1, 2])
                let edit = try keep(store, note, [2])
                XCTAssertEqual(try comments(store, note), [2])
                XCTAssertEqual(try store.count(comment), 2)
                try list(store, note, [2, 3])
                XCTAssertEqual(try comments(store, note), [2])
                XCTAssertEqual(try confirmed(store, note), served)
                XCTAssertEqual(try store.count(comment), policy == .replace ? 2 : 3)
                try step(store, .takeBack(edit))
                XCTAssertEqual(try comments(store, note), served)
            }
        }
    }

    func testObjectsThatReplaceDoesNotKeepEndWhenTheServerTakesTheEdit() throws {
        let note = Self.note(.replace)
        try withEachStore {
            let store = try makeStore([note, comment])
            try list(store, note, [1, 2, 3])
            let edit = try keep(store, note, [2])
            XCTAssertEqual(try store.count(comment), 3)
            var changes = ChangeSet()
            changes.editSteps = [.deliver(edit)]
            _ = try store.commit(changes)
            XCTAssertEqual(try comments(store, note), [2])
            XCTAssertEqual(try store.count(comment), 1)
        }
    }

    func testAnObjectToWhichAnEditLinksIsNotReplaced() throws {
        let note = Self.note(.replace)
        try withEachStore {
            let store = try makeStore([note, comment])
            try list(store, note, [1, 2])
            _ = try keep(store, note, [1])
            try list(store, note, [3])
            XCTAssertEqual(try comments(store, note), [1])
            XCTAssertNil(try store.object(comment, .integer(2)))
        }
    }

    func testNestedObjectsWithoutIdentityStayUnderAnEdit() throws {
        let nameless = Entity(
            name: "Comment", index: 1,
            attributes: [Attribute(name: "id"), Attribute(name: "text", type: .string)],
            identityIndex: nil, model: Self.model)
        let note = Self.note(.assign)
        try withEachStore {
            let store = try makeStore([note, nameless])
            let changes = {
                ChangeSet(
                    rows: [
                        Snapshot.make(
                            note,
                            [
                                .int64(1), .absent, .absent,
                                .links([RestwayObjects.Cell.reference(toRow: 1)]),
                            ]), Snapshot.make(nameless, [.absent, .string("text")]),
                    ])
            }
            let first = try store.commit(changes()).objects
            let edit = try edit(store, first[1], [1: .string("mine")])
            let again = try store.commit(changes())
            XCTAssertEqual(again.insertedCount, 0)
            XCTAssertEqual(again.objects[1].storeKey, first[1].storeKey)
            XCTAssertEqual(again.objects[1].string(at: 1), "mine")
            try step(store, .takeBack(edit))
            let key = first[1].storeKey
            XCTAssertEqual(try store.newest(nameless, storeKey: key)?.string(at: 1), "text")
        }
    }
}
