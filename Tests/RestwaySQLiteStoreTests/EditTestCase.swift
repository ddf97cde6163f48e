import RestwayObjects
import XCTest

/// Tests of pending edits: helpers for notes with comments.
class EditTestCase: StoreTestCase {
    enum Cell {
        static let id = 0
        static let title = 1
        static let body = 2
        static let comments = 3
    }

    static let model = EntityModel()
    var note = EditTestCase.note(.assign)
    let comment = Entity(
        name: "Comment", index: 1,
        attributes: [Attribute(name: "id"), Attribute(name: "text", type: .string)],
        identityIndex: 0, model: EditTestCase.model)
    let outbox: Int64 = 7

    static func note(
        _ policy: Relationship.Policy, version: VersionRule? = nil
    ) -> Entity {
        Entity(
            name: "Note", index: 0,
            attributes: [
                Attribute(name: "id"), Attribute(name: "title", type: .string),
                Attribute(name: "body", type: .string),
            ],
            relationships: [
                Relationship(
                    name: "comments", targetName: "Comment", targetIndex: 1, isMany: true,
                    policy: policy)
            ],
            identityIndex: 0, model: model, version: version)
    }

    func makeStore() throws -> any ObjectStore { try makeStore([note, comment]) }

    // MARK: The server

    func row(
        _ id: Int64?, title: Value = .absent, body: Value = .absent, comments: Value = .absent
    ) -> Snapshot {
        Snapshot.make(note, [id.map { .int64($0) } ?? .absent, title, body, comments])
    }

    /// Commits the objects of an answer, after steps of edits.
    @discardableResult
    func answer(
        _ store: any ObjectStore, _ rows: Snapshot..., steps: EditStep...,
        change: (inout ChangeSet) -> Void = { _ in }
    ) throws -> Commit {
        var changes = ChangeSet(rows: rows)
        changes.editSteps = steps
        change(&changes)
        return try store.commit(changes, recordingChanges: true)
    }

    // MARK: The program

    /// Lays a pending edit of an object.
    @discardableResult
    func edit(
        _ store: any ObjectStore, _ object: Snapshot, _ values: [Int: Value],
        change: (inout ChangeSet) -> Void = { _ in }
    ) throws -> EditID {
        let draft = Draft(copying: object)
        for (cell, value) in values { try draft.set(value, attribute: cell) }
        return try lay(store, draft, change: change).edit
    }

    /// Lays a pending edit that makes an object.
    func make(
        _ store: any ObjectStore, _ values: [Int: Value]
    ) throws -> (edit: EditID, object: Snapshot) {
        let draft = Draft(note)
        for (cell, value) in values { try draft.set(value, attribute: cell) }
        let (edit, commit) = try lay(store, draft)
        return (edit, commit.objects[0])
    }

    func lay(
        _ store: any ObjectStore, _ draft: Draft, change: (inout ChangeSet) -> Void = { _ in }
    ) throws -> (edit: EditID, commit: Commit) {
        let edit = EditID.random(outbox: outbox)
        var changes = ChangeSet(origin: .host)
        draft.capture().add(to: &changes)
        changes.laying = edit
        change(&changes)
        return (edit, try store.commit(changes, recordingChanges: true))
    }

    /// Lays a pending edit that hides an object.
    func hide(
        _ store: any ObjectStore, _ object: Snapshot
    ) throws -> (edit: EditID, commit: Commit) {
        let edit = EditID.random(outbox: outbox)
        var changes = ChangeSet(origin: .host)
        let hidden = PendingEdit.Object(object.entity, storeKey: object.storeKey, hides: true)
        changes.relaid = [PendingEdit(edit, objects: [hidden])]
        return (edit, try store.commit(changes, recordingChanges: true))
    }

    @discardableResult
    func step(_ store: any ObjectStore, _ steps: EditStep...) throws -> Commit {
        var changes = ChangeSet(origin: .host)
        changes.editSteps = steps
        return try store.commit(changes, recordingChanges: true)
    }

    @discardableResult
    func layAgain(_ store: any ObjectStore, _ edits: PendingEdit...) throws -> Commit {
        var changes = ChangeSet(origin: .host)
        changes.relaid = edits
        return try store.commit(changes, recordingChanges: true)
    }

    // MARK: Reading

    func object(_ store: any ObjectStore, _ id: Int64) throws -> Snapshot {
        try XCTUnwrap(store.object(note, .integer(id)))
    }

    func key(_ store: any ObjectStore, _ id: Int64 = 1) throws -> Int64 {
        try object(store, id).storeKey
    }

    func title(_ store: any ObjectStore, _ id: Int64 = 1) throws -> String? {
        try object(store, id).string(at: Cell.title)
    }

    func confirmedTitle(_ store: any ObjectStore, _ id: Int64 = 1) throws -> String? {
        let key = try object(store, id).storeKey
        return try store.confirmed(note, storeKey: key)?.string(at: Cell.title)
    }

    /// The pending cells of a note with their values and the values that they were made on.
    func pending(_ store: any ObjectStore, _ id: Int64 = 1) throws -> [PendingEdit.Cell] {
        try store.pendingCells(note, storeKey: object(store, id).storeKey)
    }

    func titles(_ store: any ObjectStore, _ change: (inout Query) -> Void) throws -> [String?] {
        var query = Query(note)
        change(&query)
        let found = try store.objects(query)
        XCTAssertEqual(try store.count(query), found.count)
        return found.map { $0.string(at: Cell.title) }
    }
}
