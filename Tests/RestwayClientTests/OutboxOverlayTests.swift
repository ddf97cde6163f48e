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

/// Tests that the store shows what stored requests change, over all that the server says.
final class OutboxOverlayTests: PendingEditTestCase {
    override var routes: String {
        #", "list": {"path": "things", "response": {"entity": "Thing"}}"#
    }

    // MARK: Answers

    func testAnAnswerGoesUnderAWaitingEdit() throws {
        try withStores {
            let object = try tell(1, "old")
            let item = try rename(1, "mine")
            for (path, body) in [
                ("things/1", #"{"id":1,"name":"theirs","owner_id":5}"#),
                ("things", #"[{"id":1,"name":"theirs"},{"id":2,"name":"other"}]"#),
            ] {
                try get(path, body)
                XCTAssertEqual(try name(1), "mine")
                XCTAssertEqual(try confirmed(1), "theirs")
            }
            XCTAssertEqual(try name(2), "other")
            // What the edit does not change is taken from the answer.
            XCTAssertEqual(try self.object(1).relatedKeys(at: 0).count, 1)
            XCTAssertTrue(try client.requireOutbox().hasPending(object))
            let pending = try client.store.pending(of: object)
            XCTAssertEqual(pending.map(\.index), [1])
            XCTAssertEqual(pending.map(\.after), [.string("mine")])
            XCTAssertEqual(pending.map(\.before), [.string("old")])
            try drop(item)
            XCTAssertEqual(try name(1), "theirs")
            XCTAssertEqual(try client.store.pending(of: object), [])
        }
    }

    func testTheAnswerToAnEarlierItemGoesUnderALaterOne() throws {
        try withStores {
            try tell(1, "old")
            let items = [try rename(1, "first"), try rename(1, "second")]
            try flush(client)
            wire.answer(200, #"{"id":1,"name":"FIRST"}"#)
            let second = wire.next()
            XCTAssertEqual(try name(1), "second")
            XCTAssertEqual(try confirmed(1), "FIRST")
            second.answer(204)
            XCTAssertEqual(words(nextFlushed()).map { $0.prefix(1) }, items.map { "\($0)" })
            XCTAssertEqual(try name(1), "second")
            XCTAssertEqual(try confirmed(1), "second")
            try checkEdits()
        }
    }

    func testAnAnswerThatLeftBeforeADeliveryDoesNotBringTheOldValue() throws {
        try withStores {
            try tell(1, "old")
            try rename(1, "mine")
            let call = try client.send(.get("things/1"))
            let late = wire.next()
            XCTAssertEqual(try flushAll((204, "")), ["1 delivered 204"])
            late.answer(200, #"{"id":1,"name":"old","owner_id":7}"#)
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try name(1), "mine")
            XCTAssertEqual(try object(1).relatedKeys(at: 0).count, 1)
            // A request that leaves now has the newer values.
            try get("things/1", #"{"id":1,"name":"newer"}"#)
            XCTAssertEqual(try name(1), "newer")
        }
    }

    func testTheAnswerOfABatchGoesUnderTheItemsThatFollow() throws {
        try begin()
        client.close()
        wire = FakeTransport()
        let batch = #", "batch": {"path": "/batch", "limit": 10}"#
        let batching = try client("", batch, transport: wire)
        try batching.setReachability(.unreachable)
        var changes = ChangeSet()
        let entity = try batching.api.entity(named: "Thing")
        changes.rows = [Snapshot.make(entity, [.int64(1), .string("old")])]
        let object = try batching.store.commit(changes).objects[0]
        for name in ["first", "second"] {
            let draft = Draft(copying: object)
            try draft.set(.string(name), attribute: 1)
            let spec = RequestSpec(
                target: .subject(.patch), subject: .draft(draft, batching.store))
            try queue(batching, spec)
        }
        func shown() throws -> Value? {
            try batching.store.newest(entity, storeKey: object.storeKey)?.value(at: 1)
        }
        try flush(batching)
        wire.answer(200, #"[{"code": 200, "body": "{\"id\":1,\"name\":\"server\"}"}]"#)
        let second = wire.next()
        XCTAssertEqual(try shown(), .string("second"))
        second.answer(200, #"[{"code": 204}]"#)
        XCTAssertEqual(nextFlushed().all.count, 2)
        XCTAssertEqual(try shown(), .string("second"))
    }

    // MARK: Observers

    func testObserversAreToldOfAnEditOnceAndOfItsEnd() throws {
        try withStores {
            let log = ChangeLog()
            let object = try tell(1, "old")
            let observer = try client.observe(.object(object), changed: log.add)
            try rename(1, "mine")
            log.waitForLists(1)
            try get("things/1", #"{"id":1,"name":"theirs"}"#)
            XCTAssertEqual(log.lists.count, 1, "nothing is seen of it")
            XCTAssertEqual(try flushAll((204, "")), ["1 delivered 204"])
            log.waitForLists(2)
            let changes = log.lists.map { $0.changes[0] }
            XCTAssertEqual(changes.map(\.source), [.local, .server])
            XCTAssertEqual(changes.map(\.pendingChanged), [true, true])
            XCTAssertEqual(changes.map { $0.changes(cellAt: 1) }, [true, false])
            client.store.remove(observer)
        }
    }

    // MARK: Ends

    func testARefusedEditShowsTheServersValueUntilItIsRetried() throws {
        try withStores {
            try tell(1, "old")
            let item = try rename(1, "mine")
            XCTAssertEqual(try flushAll((422, "")), ["\(item) dead 422"])
            XCTAssertEqual(try name(1), "old")
            try get("things/1", #"{"id":1,"name":"theirs"}"#)
            XCTAssertEqual(try name(1), "theirs")
            try checkEdits()
            try client.requireOutbox().retry(item)
            XCTAssertEqual(try name(1), "mine")
            try checkEdits()
            XCTAssertEqual(try flushAll((204, "")), ["\(item) delivered 204"])
            XCTAssertEqual(try name(1), "mine")
            XCTAssertEqual(try confirmed(1), "mine")
        }
    }

    func testARefusedCreationLeavesItsObject() throws {
        try withStores {
            let draft = Draft(try entity)
            try draft.set(.string("new"), attribute: 1)
            let item = try queue(client, spec(.post, draft))
            XCTAssertEqual(try flushAll((422, "")), ["\(item) dead 422"])
            let object = try XCTUnwrap(client.store.newest(entity, storeKey: draft.storeKey))
            XCTAssertEqual(object.value(at: 1), .string("new"))
            XCTAssertTrue(try client.store.isUnsent(entity, storeKey: object.storeKey))
            XCTAssertTrue(try client.store.isRejected(object))
            try drop(item)
            XCTAssertEqual(try client.store.count(nil), 0)
        }
    }

    /// The server has taken the request, although its answer cannot be read.
    func testValuesOfADeliveryWhoseAnswerCannotBeReadStay() throws {
        try withStores {
            try tell(1, "old")
            let item = try rename(1, "mine")
            XCTAssertEqual(try flushAll((200, "{\"id\":")), ["\(item) delivered 200"])
            XCTAssertEqual(try name(1), "mine")
            XCTAssertEqual(try confirmed(1), "mine")
            try checkEdits()
        }
    }

    func testALaterEditOfAnObjectThatIsNamedMeanwhileIsStillSeen() throws {
        try withStores {
            let draft = Draft(try entity)
            try draft.set(.string("made"), attribute: 1)
            try queue(client, spec(.post, draft))
            try draft.set(.string("changed"), attribute: 1)
            try queue(client, spec(.put, draft))
            try flush(client)
            wire.answer(201, #"{"id":7}"#)
            let put = wire.next()
            XCTAssertEqual(try name(7), "changed")
            XCTAssertEqual(try confirmed(7), "made")
            put.answer(204)
            _ = nextFlushed()
            XCTAssertEqual(try name(7), "changed")
        }
    }

    // MARK: Deletions

    func testAnObjectWhoseDeletionWaitsIsHidden() throws {
        try withStores {
            let log = ChangeLog()
            let object = try tell(1, "old")
            let observer = try client.observe(.entity(entity), changed: log.add)
            let item = try queue(client, deletion(object))
            log.waitForLists(1)
            XCTAssertNil(try client.store.seen(entity, .integer(1)))
            XCTAssertNil(try client.store.seen(object))
            XCTAssertEqual(try client.store.objects(Query(entity)).count, 0)
            XCTAssertEqual(try client.store.count(entity), 0)
            XCTAssertNotNil(try client.store.confirmed(of: object))
            // An answer does not bring it back.
            try get("things", #"[{"id":1,"name":"theirs"}]"#)
            XCTAssertEqual(try client.store.objects(Query(entity)).count, 0)
            try drop(item)
            log.waitForLists(2)
            XCTAssertEqual(try client.store.seen(entity, .integer(1))?.value(at: 1),
                .string("theirs"))
            XCTAssertEqual(log.texts, ["-1", "+1"])
            XCTAssertEqual(log.lists.map { $0.changes[0].source }, [.local, .takenBack])
            client.store.remove(observer)
        }
    }

    func testADeliveredDeletionRemovesTheObjectAndARefusedOneShowsIt() throws {
        try withStores {
            let (one, two) = (try tell(1, "a"), try tell(2, "b"))
            let items = [try queue(client, deletion(one)), try queue(client, deletion(two))]
            XCTAssertEqual(
                try flushAll((404, ""), (403, "")),
                ["\(items[0]) delivered 404", "\(items[1]) dead 403"])
            XCTAssertNil(try client.store.newest(entity, storeKey: one.storeKey))
            XCTAssertNotNil(try client.store.seen(entity, .integer(2)))
            try checkEdits()
            try client.requireOutbox().retry(items[1])
            XCTAssertNil(try client.store.seen(entity, .integer(2)))
        }
    }

    /// An answer brings the object for the first time while its deletion waits.
    func testADeletionByPathHidesAnObjectThatAnAnswerBringsLater() throws {
        try withStores {
            try queue(client, RequestSpec(target: .path(.delete, "things/3")))
            try get("things", #"[{"id":3,"name":"c"},{"id":4,"name":"d"}]"#)
            XCTAssertEqual(try client.store.objects(Query(entity)).map(\.identity), [.integer(4)])
        }
    }

    // MARK: Whole objects

    private func bodies() throws -> [String] {
        try client.requireOutbox().list().all.map {
            String(decoding: $0.body ?? [], as: UTF8.self)
        }
    }

    func testAWholeObjectIsMadeOfTheNewestValuesAndTheEditsBeforeIt() throws {
        try withStores {
            let object = try tell(1, "old")
            try rename(1, "mine", .put)
            // The server still has the old name.
            try get("things", #"[{"id":1,"name":"old"}]"#)
            // This draft is older than the edit.
            let draft = Draft(copying: object)
            try draft.set([.object(try tell(2, "owner"))], relationship: 0)
            try queue(client, spec(.put, draft))
            XCTAssertEqual(
                try bodies(),
                [#"{"id":1,"name":"mine"}"#, #"{"id":1,"name":"mine","owner_id":2}"#])
        }
    }

    func testAValueThatTheProgramHasSetIsSentAlsoIfItIsTheOldOne() throws {
        try withStores {
            let object = try tell(1, "old")
            try tell(1, "theirs")
            let draft = Draft(copying: object)
            try draft.set(.string("old"), attribute: 1)
            let call = try client.send(spec(.put, draft))
            XCTAssertEqual(failure(of: call)?.reason, .queued)
            XCTAssertEqual(try bodies(), [#"{"id":1,"name":"old"}"#])
            // One that was sent at once is the same.
            try client.setReachability(.unknown)
            XCTAssertEqual(try flushAll((204, "")).count, 1)
        }
    }

    func testAnOlderDraftThatIsSentAtOnceTakesBackNothing() throws {
        try withStores {
            try client.setReachability(.reachable)
            let object = try tell(1, "old")
            let draft = Draft(copying: object)
            try draft.set([.object(try tell(2, "owner"))], relationship: 0)
            try tell(1, "theirs")
            let call = try client.send(spec(.put, draft))
            let exchange = wire.answer(204)
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(
                text(exchange), #"PUT things/1 {"id":1,"name":"theirs","owner_id":2}"#)
            XCTAssertEqual(try name(1), "theirs")
        }
    }
}
