import Glibc
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

/// Every order of the commits of the outbox's file and the store's file, with the end of the
/// process in between: nothing is lost, nothing is sent twice, and each edit in the store has its
/// item.
final class OutboxCrashTests: PendingEditTestCase {
    // MARK: Files at an earlier moment

    private enum File: String { case outbox = "outbox.db", store = "objects.db" }

    /// Keeps a copy of a file as it is on the disk now.
    private func keep(_ file: File) throws {
        for suffix in ["", "-wal"] {
            let from = directory + "/" + file.rawValue + suffix
            try copy(from, to: from + "-kept")
        }
    }

    /// Ends the client, and brings back the file as it was when it was kept: that is what a process
    /// leaves that was killed between the two commits.
    private func crash(backTo file: File? = nil) throws {
        client.close()
        if let file {
            for suffix in ["", "-wal", "-shm"] {
                let path = directory + "/" + file.rawValue + suffix
                unlink(path)
                guard suffix != "-shm" else { continue }
                try copy(path + "-kept", to: path)
                unlink(path + "-kept")
            }
        }
        try reopen()
    }

    private func copy(_ from: String, to: String) throws {
        let bytes = bytes(from)
        let file = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        XCTAssertGreaterThanOrEqual(file, 0)
        XCTAssertEqual(bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }, bytes.count)
        close(file)
    }

    /// Lets the client become the sender, without sending anything.
    private func becomeSender() throws {
        // A second flush would cut short the wait after the failure, and send the item again.
        try flush(client)
        let exchange = wire.next()
        XCTAssertEqual(try name(1), "mine", "before anything is sent")
        try checkEdits()
        exchange.answer(503)
        _ = nextFlushed()
    }

    // MARK: Storing

    /// The store is written first. The call has promised nothing yet.
    func testAnEditWhoseRequestWasNotStoredIsTakenBack() throws {
        try begin()
        try tell(1, "old")
        let journal = try client.requireOutbox().journal
        let edit = EditID.random(outbox: journal.number)
        _ = try client.store.insert(draft(1, "mine").capture(), laying: edit)
        let made = Draft(try entity)
        try made.set(.string("new"), attribute: 1)
        let other = EditID.random(outbox: journal.number)
        _ = try client.store.insert(made.capture(), laying: other)
        XCTAssertEqual(try name(1), "mine")
        try crash()
        XCTAssertEqual(try name(1), "old")
        XCTAssertEqual(try client.store.count(nil), 1)
        try checkEdits()
    }

    /// The store's file lost its last commit, for example at a power failure.
    func testAnItemWithoutAnEditGetsItAgain() throws {
        try begin()
        try tell(1, "old")
        try keep(.store)
        let item = try rename(1, "mine")
        try crash(backTo: .store)
        XCTAssertEqual(try name(1), "mine")
        try checkEdits()
        try becomeSender()
        XCTAssertEqual(try client.requireOutbox().list().all.map(\.id), [item])
        try drop(item)
        XCTAssertEqual(try name(1), "old")
        try checkEdits()
    }

    // MARK: Delivery

    /// The store has the answer, and the outbox still has the item: it is sent again with its key.
    func testADeliveryThatOnlyTheStoreKnowsIsRepeated() throws {
        try begin()
        try tell(1, "old")
        let item = try rename(1, "mine")
        let key = try client.requireOutbox().find(item).idempotencyKey
        try keep(.outbox)
        XCTAssertEqual(
            try flushAll((200, #"{"id":1,"name":"mine"}"#)), ["\(item) delivered 200"])
        try crash(backTo: .outbox)
        XCTAssertEqual(try name(1), "mine")
        XCTAssertEqual(try confirmed(1), "mine")
        try checkEdits()
        try client.setReachability(.unknown)
        try flush(client)
        let again = wire.next()
        XCTAssertEqual(self.key(again.exchange), key)
        try checkEdits()
        again.answer(200, #"{"id":1,"name":"mine"}"#)
        XCTAssertEqual(words(nextFlushed()), ["\(item) delivered 200"])
        XCTAssertEqual(try name(1), "mine")
        try checkEdits()
    }

    // MARK: Drops

    func testADropThatOnlyTheOutboxKnowsIsTakenBackInTheStore() throws {
        try begin()
        try tell(1, "old")
        let two = try tell(2, "two")
        let items = [try rename(1, "mine"), try queue(client, deletion(two))]
        let journal = try client.requireOutbox().journal
        for item in items { _ = try journal.drop(item) }
        XCTAssertEqual(try name(1), "mine")
        XCTAssertNil(try client.store.seen(two))
        try crash()
        XCTAssertEqual(try name(1), "old")
        XCTAssertNotNil(try client.store.seen(entity, .integer(2)))
        XCTAssertEqual(try client.store.pending(of: object(1)), [])
        try checkEdits()
    }

    func testAStoreThatRefusedADropFollowsWithTheNextOne() throws {
        try begin()
        try tell(1, "old")
        try tell(2, "two")
        let items = [try rename(1, "mine"), try rename(2, "other")]
        _ = try client.requireOutbox().journal.drop(items[0])
        client.outbox?.changes.noteFailure()
        try drop(items[1])
        XCTAssertEqual([try name(1), try name(2)], ["old", "two"])
        try checkEdits()
    }

    // MARK: Refusals and retries

    func testARefusalThatOnlyTheOutboxKnowsIsShown() throws {
        try begin()
        try tell(1, "old")
        let item = try rename(1, "mine")
        let journal = try client.requireOutbox().journal
        XCTAssertTrue(try journal.becomeSender())
        _ = try journal.settle(
            [
                .bury(
                    id: item,
                    trouble: OutboxTrouble(code: "http", httpStatus: 422, message: "no"),
                    answer: nil)
            ], now: 0)
        XCTAssertEqual(try name(1), "mine")
        try crash()
        XCTAssertEqual(try name(1), "old")
        try checkEdits()
        _ = try client.requireOutbox().journal.retry(item)
        try crash()
        XCTAssertEqual(try name(1), "mine")
        try checkEdits()
    }

    // MARK: Several clients

    /// Two outboxes over one store: each compares only its own edits.
    func testAClientLeavesTheEditsOfAnotherOutboxAlone() throws {
        try begin()
        try tell(1, "old")
        try rename(1, "mine")
        let other = directory + "/other.db"
        defer { for suffix in ["", "-wal", "-shm", "-sender"] { unlink(other + suffix) } }
        func open() throws -> Client {
            let second = try client("", "", transport: FakeTransport()) {
                $0.files.store = self.directory + "/objects.db"
                $0.files.outbox = other
            }
            try second.setReachability(.unreachable)
            return second
        }
        var second = try open()
        let entity = try second.api.entity(named: "Thing")
        let object = try XCTUnwrap(second.store.object(entity, .integer(1)))
        XCTAssertEqual(object.value(at: 1), .string("mine"))
        let draft = Draft(copying: object)
        try draft.set(.string("theirs"), attribute: 1)
        let spec = RequestSpec(
            target: .subject(.patch), subject: .draft(draft, second.store))
        let item = try queue(second, spec)
        XCTAssertEqual(try name(1), "theirs")
        second.close()
        try crash()
        XCTAssertEqual(try name(1), "theirs")
        second = try open()
        _ = try second.requireOutbox().drop(item)
        XCTAssertEqual(try name(1), "mine")
        second.close()
        try checkEdits()
    }

    /// Two clients over one outbox and one store: the one that does not send sees what the other
    /// one delivers and drops.
    func testTwoClientsWithOneOutboxAndOneStoreSeeTheSame() throws {
        try begin()
        try tell(1, "old")
        let items = [try rename(1, "a"), try rename(1, "b")]
        let second = try client("", "", transport: FakeTransport()) {
            $0.files.store = self.directory + "/objects.db"
        }
        try second.setReachability(.unreachable)
        XCTAssertEqual(try name(1), "b", "opening the files takes nothing back")
        _ = try second.requireOutbox().drop(items[1])
        XCTAssertEqual(try name(1), "a")
        XCTAssertEqual(try flushAll((204, "")), ["\(items[0]) delivered 204"])
        let entity = try second.api.entity(named: "Thing")
        let object = try XCTUnwrap(second.store.object(entity, .integer(1)))
        XCTAssertEqual(object.value(at: 1), .string("a"))
        XCTAssertEqual(try second.store.pending(of: object), [])
        second.close()
        try checkEdits()
    }

    /// Two clients with stores in memory: the sender's answers reach the other store as deliveries.
    func testAStoreInMemoryLearnsWhatAnotherClientHasDelivered() throws {
        try begin(isFile: false)
        try tell(1, "old")
        try tell(2, "two")
        let items = [try rename(1, "mine"), try rename(2, "dropped")]
        let theirs = FakeTransport()
        let second = try client("", "", transport: theirs)
        try second.setReachability(.unreachable)
        let entity = try second.api.entity(named: "Thing")
        func shown(_ id: Int64) throws -> Value? {
            try second.store.object(entity, .integer(id))?.value(at: 1)
        }
        // It shows the edits of items that it has not stored itself.
        XCTAssertEqual(try shown(1), .string("mine"))
        _ = try second.requireOutbox().drop(items[1])
        try flush(second)
        theirs.answer(204)
        XCTAssertEqual(words(nextFlushed()), ["\(items[0]) delivered 204"])
        XCTAssertEqual(try shown(1), .string("mine"))
        XCTAssertEqual(try shown(2), .absent)
        XCTAssertEqual(try name(1), "mine")
        XCTAssertEqual(try confirmed(1), "old", "it does not know yet")
        try client.requireOutbox().changes.compareIfChanged()
        XCTAssertEqual(try confirmed(1), "mine")
        XCTAssertEqual(try name(2), "two")
        try checkEdits()
        second.close()
    }

    // MARK: Stores in memory

    func testAStoreInMemoryHasItsEditsAgainAfterARestart() throws {
        try begin(isFile: false)
        let (owner, gone) = (try tell(2, "owner"), try tell(3, "gone"))
        try tell(1, "old")
        let draft = try draft(1, "mine")
        try draft.set([.object(owner)], relationship: 0)
        try queue(client, spec(.patch, draft))
        try rename(1, "newer")
        try queue(client, deletion(gone))
        let made = Draft(try entity)
        try made.set(.string("new"), attribute: 1)
        let part = Draft(try entity)
        try part.set(.string("part"), attribute: 1)
        try made.set([.draft(part)], relationship: 1)
        try queue(client, spec(.post, made))
        try crash()
        XCTAssertEqual(try name(1), "newer")
        try checkEdits()
        try get("things/1", #"{"id":1,"name":"theirs"}"#)
        try get("things/3", #"{"id":3,"name":"gone"}"#)
        XCTAssertEqual(try name(1), "newer")
        XCTAssertEqual(try confirmed(1), "theirs")
        XCTAssertNil(try client.store.seen(entity, .integer(3)))
        let present = try XCTUnwrap(client.store.object(entity, .integer(2)))
        XCTAssertEqual(try object(1).relatedKeys(at: 0), [present.storeKey])
        let all = try client.store.objects(Query(entity))
        let new = try XCTUnwrap(all.first { $0.value(at: 1) == .string("new") })
        XCTAssertTrue(try client.requireOutbox().hasPending(new))
        let inner = try client.store.related(new, relationship: 1)
        XCTAssertEqual(inner.map { $0.value(at: 1) }, [.string("part")])
        // The answers belong to the objects that were made again.
        XCTAssertEqual(
            try flushAll((204, ""), (204, ""), (204, ""), (201, #"{"id":9}"#)).count, 4)
        XCTAssertEqual(try object(9).storeKey, new.storeKey)
        XCTAssertEqual(try name(1), "newer")
        XCTAssertNil(try client.store.object(entity, .integer(3)))
        try checkEdits()
        XCTAssertEqual(try edits().shown, [])
    }

    func testARefusedEditIsNotSeenAfterARestartInMemory() throws {
        try begin(isFile: false)
        try tell(1, "old")
        let item = try rename(1, "mine")
        XCTAssertEqual(try flushAll((422, "")), ["\(item) dead 422"])
        try crash()
        try tell(1, "theirs")
        XCTAssertEqual(try name(1), "theirs")
        try checkEdits()
        try client.requireOutbox().retry(item)
        XCTAssertEqual(try name(1), "mine")
    }
}
