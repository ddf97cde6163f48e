import RestwayObjects
import RestwayOutcome
import RestwayThreads
import XCTest

@testable import RestwayStore

/// Pending edits as the program sees them in the store of a client.
final class PendingSightTests: XCTestCase {
    private final class Observer: StoreObserver {
        private let lists = Lock<[ChangeList]>([])

        func append(_ notice: StoreNotice) -> Bool {
            if case .changes(let list) = notice { lists.withLock { $0.append(list) } }
            return false
        }
        func start() {}
        func remove() {}
        func close() {}

        /// Returns the changes since the last call.
        func take() -> [Change] {
            lists.withLock { lists in
                defer { lists = [] }
                return lists.flatMap(\.changes)
            }
        }
    }

    private static let model = EntityModel()
    private let note = Entity(
        name: "Note", index: 0,
        attributes: [Attribute(name: "id"), Attribute(name: "title", type: .string)],
        relationships: [
            Relationship(name: "next", targetName: "Note", targetIndex: 0, isMany: true)
        ],
        identityIndex: 0, model: PendingSightTests.model)
    private let clock = ManualClock()

    private func makeStore(_ pendingDeletes: Query.PendingDeletes = .hide) -> ObservedStore {
        ObservedStore(
            MemoryStore(), clock: clock, timers: clock, pendingDeletes: pendingDeletes)
    }

    private func row(_ id: Int64, _ title: String, next: [Int64]? = nil) -> Snapshot {
        Snapshot.make(
            note, [.int64(id), .string(title), next.map { .links($0) } ?? .absent])
    }

    private func hide(_ store: ObservedStore, _ object: Snapshot) throws -> EditID {
        let edit = EditID.random(outbox: 1)
        var changes = ChangeSet(origin: .host)
        let hidden = PendingEdit.Object(note, storeKey: object.storeKey, hides: true)
        changes.relaid = [PendingEdit(edit, objects: [hidden])]
        _ = try store.commit(changes)
        return edit
    }

    private func edit(
        _ store: ObservedStore, _ object: Snapshot, _ title: String
    ) throws -> EditID {
        let (draft, edit) = (try store.draft(copying: object), EditID.random(outbox: 1))
        try draft.set(.string(title), attribute: 1)
        _ = try store.insert(draft.capture(), laying: edit)
        return edit
    }

    private func step(_ store: ObservedStore, _ step: EditStep) throws {
        var changes = ChangeSet(origin: .host)
        changes.editSteps = [step]
        _ = try store.commit(changes)
    }

    func testAHiddenObjectIsInNoReadUnlessItIsToBeShown() throws {
        for shows in [false, true] {
            let store = makeStore(shows ? .show : .hide)
            let keys = try store.commit(ChangeSet(rows: [row(1, "a"), row(2, "b")])).objects
            let linking = try store.commit(
                ChangeSet(rows: [row(3, "c", next: keys.map(\.storeKey))])).objects[0]
            _ = try hide(store, keys[0])
            XCTAssertEqual(try store.seen(note, .integer(1)) != nil, shows)
            XCTAssertEqual(try store.seen(keys[0]) != nil, shows)
            XCTAssertEqual(
                try store.seen(anyOf: [note], storeKeys: keys.map(\.storeKey)).count,
                shows ? 2 : 1)
            XCTAssertEqual(
                try store.related(linking, relationship: 0).count, shows ? 2 : 1)
            XCTAssertEqual(try store.count(note), shows ? 3 : 2)
            XCTAssertEqual(try store.count(nil), shows ? 3 : 2)
            XCTAssertEqual(try store.objects(Query(note)).count, shows ? 3 : 2)
            var query = HostQuery(Query(note))
            XCTAssertEqual(try store.count(query), shows ? 3 : 2)
            XCTAssertEqual(
                try store.groups(query, by: "title").map(\.count), shows ? [1, 1, 1] : [1, 1])
            query.query.pendingDeletes = .show
            XCTAssertEqual(try store.objects(query).count, 3)
            query.query.pendingDeletes = .hide
            XCTAssertEqual(try store.objects(query).count, 2)
            // The server's view still has it, and so do the parts of the client.
            XCTAssertEqual(try store.confirmed(of: keys[0])?.string(at: 1), "a")
            XCTAssertNotNil(try store.object(note, .integer(1)))
            XCTAssertTrue(try store.isHidden(keys[0]))
        }
    }

    func testObserversSeeAHidingAsADeletionAndItsEndAsAnInsertion() throws {
        let (store, observer) = (makeStore(), Observer())
        let objects = try store.commit(ChangeSet(rows: [row(1, "a"), row(2, "b")])).objects
        _ = try store.add(observer, .everything)
        var edit = try hide(store, objects[0])
        var told = observer.take()
        XCTAssertEqual(told.map(\.kind), [.deleted])
        XCTAssertEqual(told.map(\.source), [.local])
        // Observers are not told of changes and marks of a hidden object.
        _ = try store.commit(ChangeSet(rows: [row(1, "newer")]))
        store.tellMarks(of: [objects[0]], from: .local)
        XCTAssertTrue(observer.take().isEmpty)
        try step(store, .takeBack(edit))
        told = observer.take()
        XCTAssertEqual(told.map(\.kind), [.inserted])
        XCTAssertEqual(told.map(\.source), [.takenBack])
        XCTAssertEqual(told[0].object.string(at: 1), "newer")
        // The deletion itself tells nothing more.
        edit = try hide(store, objects[1])
        XCTAssertEqual(observer.take().map(\.kind), [.deleted])
        var changes = ChangeSet()
        changes.editSteps = [.deliver(edit)]
        changes.deletions = [.identity(note, .integer(2))]
        XCTAssertEqual(try store.commit(changes).deletedCount, 1)
        XCTAssertTrue(observer.take().isEmpty)
    }

    func testObserversOfAStoreThatShowsHiddenObjectsSeeThemChange() throws {
        let (store, observer) = (makeStore(.show), Observer())
        let object = try store.commit(ChangeSet(rows: [row(1, "a")])).objects[0]
        _ = try store.add(observer, .everything)
        _ = try hide(store, object)
        let told = observer.take()
        XCTAssertEqual(told.map(\.kind), [.updated])
        XCTAssertEqual(told.map(\.pendingChanged), [true])
    }

    func testObserversAreToldOfTheEndOfAnEditThatChangesNoValue() throws {
        let (store, observer) = (makeStore(), Observer())
        let object = try store.commit(ChangeSet(rows: [row(1, "a")])).objects[0]
        _ = try store.add(observer, .object(object))
        let edit = try self.edit(store, object, "mine")
        XCTAssertEqual(observer.take().map(\.pendingChanged), [true])
        _ = try store.commit(ChangeSet(rows: [row(1, "newer")]))
        XCTAssertTrue(observer.take().isEmpty)
        XCTAssertEqual(
            try store.pending(of: object),
            [PendingEdit.Cell(1, before: .string("a"), after: .string("mine"))])
        XCTAssertEqual(try store.edits(ofOutbox: 1).map(\.id), [edit])
        try step(store, .deliver(edit))
        let told = observer.take()
        XCTAssertEqual(told.map(\.pendingChanged), [true])
        XCTAssertEqual(told.map { $0.changes(cellAt: 1) }, [false])
        XCTAssertTrue(try store.pending(of: object).isEmpty)
    }

    func testAnAnswerToAnOlderRequestLeavesDeliveredValues() throws {
        let store = makeStore()
        let object = try store.commit(ChangeSet(rows: [row(1, "a")])).objects[0]
        let edit = try self.edit(store, object, "mine")
        let older = store.moment()
        try step(store, .deliver(edit))
        let newer = store.moment()
        _ = try store.commit(ChangeSet(rows: [row(1, "a")]), since: older)
        XCTAssertEqual(try store.seen(object)?.string(at: 1), "mine")
        _ = try store.commit(ChangeSet(rows: [row(1, "b")]), since: newer)
        XCTAssertEqual(try store.seen(object)?.string(at: 1), "b")
    }

    func testTheProgramSeesVersionsAndIsToldOfConflicts() throws {
        let (store, observer) = (makeStore(), Observer())
        let tagged = Entity(
            name: "Tagged", index: 1,
            attributes: [Attribute(name: "id"), Attribute(name: "title", type: .string)],
            identityIndex: 0, model: Self.model, version: VersionRule(.entityTag))
        let answer = { (title: String, version: String) throws in
            let row = Snapshot.make(tagged, [.int64(1), .string(title)])
            var changes = ChangeSet(rows: [row])
            changes.versions = [0: ObjectVersion(version)]
            return try store.commit(changes).objects[0]
        }
        let object = try answer("a", "\"1\"")
        XCTAssertEqual(try store.version(of: object)?.text, "\"1\"")
        // An older snapshot shows the same object.
        let newer = try answer("b", "\"2\"")
        XCTAssertEqual(try store.version(of: object)?.text, "\"2\"")
        XCTAssertNil(try store.version(of: Snapshot.make(tagged, [.int64(2), .null])))

        let older = store.moment()
        let delivered = try edit(store, newer, "delivered")
        try step(store, .deliver(delivered))
        XCTAssertNil(try store.version(of: object))
        let late = Snapshot.make(tagged, [.int64(1), .string("late")])
        var changes = ChangeSet(rows: [late])
        changes.versions = [0: ObjectVersion("\"3\"")]
        _ = try store.commit(changes, since: older)
        XCTAssertNil(try store.version(of: object))

        let edit = try self.edit(store, XCTUnwrap(store.seen(object)), "mine")
        _ = try store.add(observer, .object(object))
        var query = HostQuery(Query(tagged))
        query.query.isConflicted = true
        XCTAssertEqual(try store.count(query), 0)
        try step(store, .park(edit))
        XCTAssertEqual(observer.take().map(\.pendingChanged), [true])
        XCTAssertEqual(try store.objects(query).map { $0.string(at: 1) }, ["mine"])
        XCTAssertEqual(try store.edits(ofOutbox: 1).map(\.isParked), [true])
        try step(store, .takeBack(edit))
        XCTAssertEqual(observer.take().map(\.pendingChanged), [true])
        XCTAssertEqual(try store.count(query), 0)
    }

    func testDeliveriesAreForgottenWithTheLastOlderRequest() {
        var deliveries = Deliveries()
        deliveries.note([1: [0]])
        XCTAssertTrue(deliveries.isEmpty)
        let first = deliveries.begin()
        deliveries.note([1: [1]])
        let second = deliveries.begin()
        deliveries.note([1: [2], 2: [1]])
        XCTAssertEqual(deliveries.settled(since: first), [1: [1, 2], 2: [1]])
        XCTAssertEqual(deliveries.settled(since: second), [1: [2], 2: [1]])
        deliveries.end(first)
        XCTAssertFalse(deliveries.isEmpty)
        XCTAssertEqual(deliveries.settled(since: second), [1: [2], 2: [1]])
        let third = deliveries.begin()
        deliveries.end(second)
        XCTAssertTrue(deliveries.isEmpty)
        XCTAssertEqual(deliveries.settled(since: third), [:])
    }

    func testATransactionTellsChangesAsTheProgramSeesThem() throws {
        let store = makeStore()
        let object = try store.commit(ChangeSet(rows: [row(1, "a")])).objects[0]
        _ = try hide(store, object)
        let transaction = StoreTransaction(store)
        XCTAssertTrue(try transaction.delete(object))
        XCTAssertNil(try transaction.commit())
        XCTAssertNil(try store.object(note, .integer(1)))
    }
}
