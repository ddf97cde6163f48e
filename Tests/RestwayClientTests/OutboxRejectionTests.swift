import RestwayObjects
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests
@testable import RestwayStore

/// An object is marked as rejected while a dead letter about it exists, until the dead letter is
/// retried, edited or dropped.
final class OutboxRejectionTests: OutboxTestCase {
    private let log = ChangeLog()
    /// The observer belongs to the client and ends with it.
    private lazy var wire = transport

    private func thing(_ client: Client, _ id: Int64) throws -> Snapshot {
        let entity = try client.api.entity(named: "Thing")
        var changes = ChangeSet()
        changes.rows = [Snapshot.make(entity, [.int64(id), .string("n")])]
        return try client.store.commit(changes).objects[0]
    }

    private func rejected(_ client: Client, _ isRejected: Bool = true) throws -> [Identity?] {
        var query = HostQuery(Query(try client.api.entity(named: "Thing")))
        query.isRejected = isRejected
        let found = try client.store.objects(query)
        XCTAssertEqual(try client.store.count(query), found.count)
        for object in found {
            XCTAssertEqual(try client.store.isRejected(object), isRejected)
        }
        return found.map(\.identity)
    }

    /// Stores a PUT of the object, which the server then refuses.
    ///
    /// - Parameter count: How many other requests are sent before it and accepted.
    private func reject(
        _ client: Client, _ object: Snapshot, behind count: Int = 0
    ) throws -> Int64 {
        let draft = Draft(copying: object)
        try draft.set(.string("refused"), attribute: 1)
        let spec = RequestSpec(target: .subject(.put), subject: .draft(draft, client.store))
        let item = try queueOffline(client, spec)[0]
        try flush(client)
        for _ in 0..<count { wire.answer(204) }
        wire.answer(422)
        XCTAssertEqual(words(nextFlushed()).last, "\(item) dead 422")
        try client.setReachability(.unreachable)
        return item
    }

    func testADeadLetterMarksItsObjectUntilItIsRetriedEditedOrDropped() throws {
        for path in [nil, directory + "/objects.db"] {
            wire = FakeTransport()
            let client = try client(transport: wire) { $0.files.store = path }
            let outbox = try client.requireOutbox()
            let (one, two) = (try thing(client, 1), try thing(client, 2))
            XCTAssertEqual(try rejected(client), [])
            let retried = try reject(client, one)
            XCTAssertEqual(try rejected(client), [.integer(1)])
            XCTAssertEqual(try rejected(client, false), [.integer(2)])
            try outbox.retry(retried)
            XCTAssertEqual(try rejected(client), [])
            let edited = try reject(client, two, behind: 1)
            XCTAssertEqual(try rejected(client), [.integer(2)])
            try outbox.edit(edited, body: Array("{}".utf8), mediaType: nil)
            XCTAssertEqual(try rejected(client), [])
            XCTAssertEqual(try outbox.dropAll(), 1)
            let dropped = try reject(client, one)
            XCTAssertEqual(try rejected(client), [.integer(1)])
            _ = try outbox.drop(dropped)
            XCTAssertEqual(try rejected(client), [])
            _ = try reject(client, one)
            XCTAssertEqual(try outbox.dropAll(), 1)
            XCTAssertEqual(try rejected(client), [])
            client.close()
            removeFiles()
        }
    }

    func testTheMarkOutlivesTheProcessAndMeetsTheOtherConditions() throws {
        let file = directory + "/objects.db"
        let first = try client { $0.files.store = file }
        let objects = try (1...3).map { try thing(first, $0) }
        _ = try reject(first, objects[0])
        _ = try reject(first, objects[2])
        first.close()
        let client = try client(transport: FakeTransport()) { $0.files.store = file }
        XCTAssertEqual(try rejected(client), [.integer(1), .integer(3)])
        var query = HostQuery(Query(try client.api.entity(named: "Thing")))
        query.isRejected = true
        try query.query.addCondition("id", .greater, .int64(1))
        XCTAssertEqual(try client.store.objects(query).map(\.identity), [.integer(3)])
        try query.query.addOrder("id", isDescending: true)
        query.query.conditions = []
        query.query.limit = 1
        XCTAssertEqual(try client.store.objects(query).map(\.identity), [.integer(3)])
    }

    func testARequestByPathMarksTheObjectOfItsLane() throws {
        let client = try client()
        _ = try thing(client, 7)
        try queueOffline(client, put(7))
        try flush(client)
        transport.answer(422)
        _ = nextFlushed()
        XCTAssertEqual(try rejected(client), [.integer(7)])
    }

    func testARefusedCreationMarksWhatItMakes() throws {
        let client = try client()
        let entity = try client.api.entity(named: "Thing")
        let (draft, part) = (Draft(entity), Draft(entity))
        try draft.set([.draft(part)], relationship: 1)
        try queueOffline(
            client, RequestSpec(target: .subject(.post), subject: .draft(draft, client.store)))
        XCTAssertEqual(try rejected(client), [])
        try flush(client)
        transport.answer(422)
        _ = nextFlushed()
        XCTAssertEqual(try rejected(client), [nil, nil])
        _ = try client.requireOutbox().drop(1)
        XCTAssertEqual(try client.store.count(nil), 0)
    }

    func testObserversAreToldOfMarksWithTheValuesThatAreSeen() throws {
        let client = try client()
        let one = try thing(client, 1)
        _ = try thing(client, 2)
        let observer = try client.observe(.object(one), changed: log.add)
        let item = try reject(client, one)
        log.waitForLists(2)
        try client.requireOutbox().retry(item)
        log.waitForLists(3)
        XCTAssertEqual(log.texts, ["~1", "~1", "~1"])
        // A refused change is not seen, and is seen again when it is retried.
        XCTAssertTrue(log.lists.allSatisfy { $0.changes[0].changes(cellAt: 1) })
        XCTAssertEqual(log.lists.map { $0.changes[0].source }, [.local, .takenBack, .local])
        try flush(client)
        transport.answer(422)
        _ = nextFlushed()
        _ = try client.requireOutbox().drop(item)
        log.waitForLists(5)
        XCTAssertEqual(log.lists.count, 5)
        // Only the mark goes.
        XCTAssertFalse((0..<4).contains { log.lists[4].changes[0].changes(cellAt: $0) })
        XCTAssertEqual(log.lists[4].changes[0].source, .local)
        client.store.remove(observer)
    }

    func testWithoutAnOutboxNothingIsRejectedAndAClosedOneIsNotAsked() throws {
        let observed = try ObservedClient()
        let object = try observed.store(observed.row(1)).objects[0]
        XCTAssertFalse(try observed.client.store.isRejected(object))
        observed.client.close()
        XCTAssertFalse(try observed.client.store.isRejected(object))
        let client = try client()
        let one = try thing(client, 1)
        client.close()
        XCTAssertEqual(refusal { _ = try client.store.isRejected(one) }?.reason, .closed)
    }
}
