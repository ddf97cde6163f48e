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

/// The changes that a dropped request made in the store are taken back.
final class OutboxTakeBackTests: OutboxTestCase {
    private var client: Client!
    private var wire = FakeTransport()
    private let log = ChangeLog()

    override func tearDown() {
        client = nil
        super.tearDown()
    }

    /// Runs `body` with a store in memory, and with a store in a file.
    private func withStores(_ body: () throws -> Void) throws {
        for isFile in [false, true] {
            try begin(isFile: isFile)
            try body()
            client.close()
            removeFiles()
        }
    }

    private func begin(isFile: Bool = true, _ outbox: String = "") throws {
        wire = FakeTransport()
        client = try client(outbox, transport: wire) {
            if isFile { $0.files.store = directory + "/objects.db" }
        }
        try client.setReachability(.unreachable)
    }

    private var entity: Entity { get throws { try client.api.entity(named: "Thing") } }

    private func thing(_ id: Int64, _ name: String) throws -> Snapshot {
        var changes = ChangeSet()
        changes.rows = [try Snapshot.make(entity, [.int64(id), .string(name)])]
        return try client.store.commit(changes).objects[0]
    }

    /// Stores a request that changes the name of the object.
    @discardableResult
    private func rename(_ id: Int64, _ name: String, lane: String? = nil) throws -> Int64 {
        let object = try XCTUnwrap(client.store.object(entity, .integer(id)))
        let draft = Draft(copying: object)
        try draft.set(.string(name), attribute: 1)
        var spec = spec(.put, draft)
        spec.sending.lane = lane
        return try queue(client, spec)
    }

    private func spec(_ method: RestwayRouting.Method, _ draft: Draft) -> RequestSpec {
        RequestSpec(target: .subject(method), subject: .draft(draft, client.store))
    }

    private func name(_ id: Int64) throws -> Value? {
        try client.store.object(entity, .integer(id))?.value(named: "name")
    }

    private func drop(_ id: Int64) throws -> Int { try client.requireOutbox().drop(id) }

    // MARK: Attributes

    func testADroppedChangeIsTakenBackAndObserversAreTold() throws {
        try withStores {
            let object = try thing(1, "old")
            let observer = try client.observe(.object(object), changed: log.add)
            let item = try rename(1, "new")
            XCTAssertEqual(try name(1), .string("new"))
            XCTAssertEqual(try drop(item), 1)
            XCTAssertEqual(try name(1), .string("old"))
            XCTAssertFalse(try client.requireOutbox().hasPending(object))
            client.store.remove(observer)
        }
        log.waitForLists(2)
    }

    func testObserversAreToldOfWhatIsTakenBackAsOfAnyOtherChange() throws {
        try begin()
        let object = try thing(1, "old")
        let observer = try client.observe(.object(object), changed: log.add)
        let item = try rename(1, "new")
        _ = try drop(item)
        log.waitForLists(2)
        let changes = log.lists.map { $0.changes[0] }
        XCTAssertEqual(changes[1].before?.value(at: 1), .string("new"))
        XCTAssertEqual(changes[1].after?.value(at: 1), .string("old"))
        XCTAssertTrue(changes[1].changes(cellAt: 1))
        client.store.remove(observer)
    }

    func testTheDropOfOneInTheMiddleLeavesWhatALaterOneChanges() throws {
        try withStores {
            _ = try thing(1, "old")
            let items = try ["a", "b", "c"].map { try rename(1, $0) }
            _ = try drop(items[1])
            XCTAssertEqual(try name(1), .string("c"))
            _ = try drop(items[2])
            XCTAssertEqual(try name(1), .string("a"), "b was dropped before")
            _ = try drop(items[0])
            XCTAssertEqual(try name(1), .string("old"))
        }
    }

    func testADropShowsTheNewestValueOfTheServer() throws {
        try withStores {
            _ = try thing(1, "old")
            let item = try rename(1, "new")
            _ = try thing(1, "the server's")
            XCTAssertEqual(try name(1), .string("new"))
            _ = try drop(item)
            XCTAssertEqual(try name(1), .string("the server's"))
        }
    }

    func testWhatTheServerHasTakenIsNotTakenBackWithAnOlderDeadLetter() throws {
        try begin(#", "deadHead": "goOn""#)
        let object = try thing(1, "old")
        try rename(1, "new", lane: "one")
        // It sets the same value again.
        let draft = Draft(copying: object)
        try draft.set(.string("new"), attribute: 1)
        try queue(client, spec(.put, draft))
        try flush(client)
        wire.answer(422)
        wire.answer(204)
        XCTAssertEqual(words(nextFlushed()), ["1 dead 422", "2 delivered 204"])
        XCTAssertEqual(try name(1), .string("new"))
        _ = try drop(1)
        XCTAssertEqual(try name(1), .string("new"), "the server has it from the second request")
    }

    func testAnEditedItemKeepsWhatWasThereBeforeTheFirst() throws {
        try withStores {
            _ = try thing(1, "old")
            let item = try rename(1, "new")
            try flush(client)
            wire.answer(422)
            XCTAssertEqual(words(nextFlushed()), ["\(item) dead 422"])
            try client.setReachability(.unreachable)
            let body = Array(#"{"name":"newer"}"#.utf8)
            try client.requireOutbox().edit(item, body: body, mediaType: nil)
            _ = try drop(item)
            XCTAssertEqual(try name(1), .string("old"))
        }
    }

    // MARK: Relationships

    func testRelationshipsAreTakenBack() throws {
        try withStores {
            let (owner, part) = (try thing(2, "owner"), try thing(3, "part"))
            let draft = Draft(copying: try thing(1, "old"))
            try draft.set([.object(owner)], relationship: 0)
            try draft.set([.object(part), .object(owner)], relationship: 1)
            let first = try queue(client, spec(.put, draft))
            let newest = try XCTUnwrap(client.store.object(entity, .integer(1)))
            let other = Draft(copying: newest)
            try other.remove(.object(part), relationship: 1)
            let second = try queue(client, spec(.put, other))
            func links() throws -> [[Int64]] {
                let object = try XCTUnwrap(client.store.object(entity, .integer(1)))
                return [object.relatedKeys(at: 0), object.relatedKeys(at: 1)]
            }
            XCTAssertEqual(try links(), [[owner.storeKey], [owner.storeKey]])
            _ = try drop(second)
            XCTAssertEqual(try links(), [[owner.storeKey], [part.storeKey, owner.storeKey]])
            _ = try drop(first)
            XCTAssertEqual(try links(), [[], []])
        }
    }

    // MARK: Objects that were made

    func testWhatOnlyADroppedItemMadeIsDeletedAndItsDraftCanBeSentAnew() throws {
        try withStores {
            let draft = Draft(try entity)
            let part = Draft(try entity)
            try draft.set(.string("new"), attribute: 1)
            try part.set(.string("part"), attribute: 1)
            try draft.set([.draft(part)], relationship: 1)
            let item = try queue(client, spec(.post, draft))
            XCTAssertEqual(try client.store.count(nil), 2)
            // A request about the object is removed with it.
            try queue(client, spec(.put, part))
            XCTAssertEqual(try drop(item), 2)
            XCTAssertEqual(try client.store.count(nil), 0)
            XCTAssertEqual([draft.storeKey, part.storeKey], [0, 0])
            XCTAssertEqual(draft.changedCells, [1, 3], "it keeps its changes")
            try queue(client, spec(.post, draft))
            XCTAssertEqual(try client.store.count(nil), 2)
        }
    }

    func testAnObjectThatWasThereBeforeItsRequestStays() throws {
        try withStores {
            let draft = Draft(try entity)
            try draft.set(.string("mine"), attribute: 1)
            let object = try client.store.insert(draft)
            let item = try queue(client, spec(.post, draft))
            _ = try drop(item)
            XCTAssertNotNil(try client.store.newest(entity, storeKey: object.storeKey))
            XCTAssertEqual(draft.storeKey, object.storeKey)
        }
    }

    func testAnObjectThatALaterItemIsAboutStaysWithWhatThatSays() throws {
        try withStores {
            let draft = Draft(try entity)
            try draft.set(.int64(5), attribute: 0)
            try draft.set(.string("made"), attribute: 1)
            try draft.set([.object(try thing(2, "owner"))], relationship: 0)
            let maker = try queue(client, spec(.put, draft))
            let later = try rename(5, "renamed")
            _ = try drop(maker)
            let object = try XCTUnwrap(client.store.object(entity, .integer(5)))
            XCTAssertEqual(object.value(at: 1), .string("renamed"))
            XCTAssertEqual(object.relatedKeys(at: 0), [], "only the first had said that")
            _ = try drop(later)
            XCTAssertNil(try client.store.object(entity, .integer(5)))
        }
    }

    func testAnObjectThatTheServerKnowsByNowStays() throws {
        try withStores {
            let draft = Draft(try entity)
            try draft.set(.int64(5), attribute: 0)
            try draft.set(.string("made"), attribute: 1)
            let item = try queue(client, spec(.put, draft))
            var answer = ChangeSet()
            answer.rows = [try Snapshot.make(entity, [.int64(5)])]
            _ = try client.store.commit(answer)
            XCTAssertEqual(try name(5), .string("made"))
            _ = try drop(item)
            XCTAssertEqual(try name(5), .absent, "the server has said nothing about it")
        }
    }

    func testAWithdrawnRequestTakesBackWhatItChangedBesideItsObject() throws {
        try withStores {
            let owner = Draft(copying: try thing(1, "old"))
            try owner.set(.string("changed along"), attribute: 1)
            let draft = Draft(try entity)
            try draft.set([.draft(owner)], relationship: 1)
            try queue(client, spec(.post, draft))
            XCTAssertEqual(try name(1), .string("changed along"))
            let object = try XCTUnwrap(client.store.newest(entity, storeKey: draft.storeKey))
            XCTAssertTrue(try client.store.delete(object))
            XCTAssertEqual(try states(client), [])
            XCTAssertEqual(try name(1), .string("old"))
        }
    }

    // MARK: Deletions

    /// The object exists until the server has accepted the deletion, so nothing is restored.
    func testADroppedDeletionLeavesTheObjectAsItIs() throws {
        try withStores {
            let object = try thing(1, "old")
            let deletion = RequestSpec(target: .subject(.delete), subject: .object(object))
            let item = try queue(client, deletion)
            XCTAssertEqual(try name(1), .string("old"))
            _ = try drop(item)
            XCTAssertEqual(try name(1), .string("old"))
        }
    }

    // MARK: All

    func testTheDropOfAllTakesEverythingBack() throws {
        try withStores {
            _ = try thing(1, "old")
            let draft = Draft(try entity)
            try queue(client, spec(.post, draft))
            for name in ["a", "b", "a"] { try rename(1, name) }
            XCTAssertEqual(try client.requireOutbox().dropAll(), 4)
            XCTAssertEqual(try name(1), .string("old"))
            XCTAssertEqual(try client.store.count(nil), 1)
            XCTAssertEqual(draft.storeKey, 0)
        }
    }

    // MARK: Restarts and failures

    func testAfterARestartADropStillShowsTheValueOfTheServer() throws {
        for isFile in [true, false] {
            try begin(isFile: isFile)
            _ = try thing(1, "old")
            let item = try rename(1, "new")
            client.close()
            try begin(isFile: isFile)
            XCTAssertEqual(try name(1), .string("new"), "a store in memory has the edit again")
            if !isFile { _ = try thing(1, "old") }
            XCTAssertEqual(try name(1), .string("new"))
            _ = try drop(item)
            XCTAssertEqual(try name(1), .string("old"))
            client.close()
            removeFiles()
        }
    }

    /// The process ends after the transaction of the outbox and before the transaction of the
    /// store.
    func testWhatACrashLeavesOverIsTakenBackWhenTheFileIsOpenedAgain() throws {
        try begin()
        _ = try thing(1, "old")
        let item = try rename(1, "new")
        let journal = try client.requireOutbox().journal
        _ = try journal.drop(item)
        XCTAssertEqual(try name(1), .string("new"))
        client.close()
        try begin()
        XCTAssertEqual(try name(1), .string("old"))
    }

    func testARequestThatCouldNotBeStoredLeavesTheStoreAsItWas() throws {
        try withStores {
            let draft = Draft(copying: try thing(1, "old"))
            try draft.set(.string("new"), attribute: 1)
            let made = Draft(try entity)
            try client.requireOutbox().journal.close()
            for spec in [spec(.put, draft), spec(.post, made)] {
                XCTAssertNotEqual(failure(of: try client.send(spec))?.reason, .queued)
            }
            XCTAssertEqual(try name(1), .string("old"))
            XCTAssertEqual(draft.changedCells, [1])
            XCTAssertEqual(made.storeKey, 0)
            XCTAssertEqual(try client.store.count(nil), 1)
        }
    }
}
