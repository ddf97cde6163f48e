import RestwayHTTP
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

/// What the store shows of requests that are stored before they are sent, and of requests that a
/// close of the client stores.
final class StoredFirstEditTests: PendingEditTestCase {
    /// How a request is stored, and whether the store shows it before.
    private struct Way {
        let storing: StoringRule
        let isOptimistic: Bool

        static let first = Way(storing: .first, isOptimistic: false)
        static let optimistic = Way(storing: .first, isOptimistic: true)
        static let ofClose = [
            first, optimistic, Way(storing: .failed, isOptimistic: false),
            Way(storing: .failed, isOptimistic: true),
        ]
    }

    private func apply(_ way: Way, _ spec: RequestSpec) -> RequestSpec {
        var spec = spec
        spec.sending.storing = way.storing
        spec.sending.isOptimistic = way.isOptimistic
        return spec
    }

    /// Runs `body` with both stores, for requests that the store shows before they are stored, and
    /// for others. The server has the objects 1 and 2, which are called "old".
    private func online(_ body: (Way) throws -> Void) throws {
        for way in [Way.first, .optimistic] {
            try withStores {
                try client.setReachability(.reachable)
                try tell(1, "old")
                try tell(2, "old")
                try body(way)
                try checkEdits()
            }
        }
    }

    private func send(_ way: Way, _ spec: RequestSpec) throws -> Call {
        try client.send(apply(way, spec))
    }

    private var waitingCount: Int {
        get throws { try client.requireOutbox().counts().waiting }
    }

    private func checkNothingIsLeft(line: UInt = #line) throws {
        XCTAssertEqual(try edits().shown, [], line: line)
        XCTAssertEqual(try client.requireOutbox().counts(), OutboxCounts(), line: line)
    }

    // MARK: Answers

    func testTheEditOfARequestThatIsStoredFirstEndsWithItsAnswer() throws {
        try online { way in
            let draft = try draft(1, "mine")
            let call = try send(way, spec(.patch, draft))
            let exchange = wire.next()
            XCTAssertEqual(try name(1), "mine")
            XCTAssertEqual(try confirmed(1), "old")
            XCTAssertEqual(try edits().shown.count, 1)
            try checkEdits()
            try get("things/1", #"{"id":1,"name":"theirs"}"#)
            XCTAssertEqual(try name(1), "mine")
            XCTAssertEqual(try confirmed(1), "theirs")
            exchange.answer(200, #"{"id":1,"name":"MINE"}"#)
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try name(1), "MINE")
            XCTAssertEqual(try confirmed(1), "MINE")
            XCTAssertEqual(draft.changedCells, [])
            try checkNothingIsLeft()
        }
    }

    func testARefusalTakesTheEditBackBeforeTheCallEnds() throws {
        try online { way in
            let draft = try draft(1, "mine")
            let seen = Monitor<String?>(nil)
            let (store, entity) = (client.store, try entity)
            let call = try client.send(
                apply(way, spec(.patch, draft)),
                completion: { _, _ in
                    let object = try? store.object(entity, .integer(1))
                    seen.update { $0 = "\(object?.value(at: 1) ?? .absent)" }
                })
            let exchange = wire.next()
            try get("things/1", #"{"id":1,"name":"theirs"}"#)
            exchange.answer(422)
            XCTAssertEqual(failure(of: call)?.httpStatus, 422)
            XCTAssertEqual(seen.wait { $0 }, "\(Value.string("theirs"))")
            XCTAssertEqual(draft.changedCells, [1], "the draft keeps its changes")
            try checkNothingIsLeft()
        }
    }

    func testADeletionThatIsStoredFirstHidesItsObjectUntilItsAnswer() throws {
        try online { way in
            let object = try object(1)
            let refused = try send(way, deletion(object))
            let exchange = wire.next()
            XCTAssertNil(try client.store.seen(object))
            exchange.answer(403)
            _ = failure(of: refused)
            XCTAssertNotNil(try client.store.seen(object))
            try checkNothingIsLeft()
            let again = try send(way, deletion(object))
            wire.answer(204)
            _ = try again.wait(milliseconds: 0)
            XCTAssertNil(try client.store.newest(entity, storeKey: object.storeKey))
            try checkNothingIsLeft()
        }
    }

    func testARefusedNewObjectIsRemovedAndItsDraftCanBeSentAgain() throws {
        try online { way in
            let draft = Draft(try entity)
            try draft.set(.string("new"), attribute: 1)
            for status in [422, 201] {
                var request = spec(.post, draft)
                request.sending.idempotencyKey = .given("key")
                let call = try send(way, request)
                let exchange = wire.next()
                XCTAssertEqual(try client.store.count(nil), 3)
                exchange.answer(status, status == 201 ? #"{"id":5,"name":"new"}"# : "")
                if status == 201 {
                    _ = try call.wait(milliseconds: 0)
                } else {
                    XCTAssertEqual(failure(of: call)?.httpStatus, status)
                    XCTAssertEqual(try client.store.count(nil), 2)
                    XCTAssertEqual(draft.storeKey, 0)
                }
                try checkNothingIsLeft()
            }
            XCTAssertEqual(try object(5).storeKey, draft.storeKey)
            XCTAssertEqual(draft.changedCells, [])
        }
    }

    /// An error that is not of the request leaves the item, and the edit with it.
    func testTheEditStaysWithAnItemThatWaits() throws {
        try online { way in
            let call = try send(way, spec(.patch, draft(1, "mine")))
            wire.answer(503)
            let queued = failure(of: call)
            XCTAssertEqual(queued?.reason, .queued)
            XCTAssertEqual(try name(1), "mine")
            XCTAssertEqual(try edits().shown.count, 1)
            try checkEdits()
            try drop(queued?.outboxID ?? 0)
            XCTAssertEqual(try name(1), "old")
            try checkNothingIsLeft()
        }
    }

    // MARK: Cancelling

    func testACancelOfARequestThatWasNeverSentTakesItsEditBack() throws {
        try online { way in
            let sent = try send(way, spec(.patch, draft(1, "mine")))
            let exchange = wire.next()
            let draft = try draft(2, "mine")
            let waiting = try send(way, spec(.patch, draft))
            while try waitingCount < 1 { sched_yield() }
            XCTAssertEqual(try name(2), "mine")
            try checkEdits()
            waiting.cancel()
            XCTAssertEqual(failure(of: waiting)?.reason, .cancelled)
            XCTAssertEqual(try name(2), "old")
            XCTAssertEqual(draft.changedCells, [1])
            XCTAssertEqual(try name(1), "mine")
            try checkEdits()
            exchange.answer(204)
            _ = try sent.wait(milliseconds: 0)
            try checkNothingIsLeft()
        }
    }

    func testACancelOfARequestThatMayHaveArrivedLeavesItsEdit() throws {
        try online { way in
            let call = try send(way, spec(.patch, draft(1, "mine")))
            let exchange = wire.next()
            call.cancel()
            XCTAssertEqual(failure(of: call)?.reason, .cancelled)
            XCTAssertEqual(try name(1), "mine")
            XCTAssertEqual(try confirmed(1), "old")
            try checkEdits()
            try observe(client)
            exchange.answer(204)
            XCTAssertEqual(words(nextFlushed()), ["1 delivered 204"])
            XCTAssertEqual(try confirmed(1), "mine")
            try checkNothingIsLeft()
        }
    }

    // MARK: Handing over

    func testObserversSeeAnOptimisticRequestThatIsStoredFirstOnce() throws {
        for status in [204, 422] {
            try withStores {
                try client.setReachability(.reachable)
                let object = try tell(1, "old")
                let log = ChangeLog()
                let observer = try client.observe(.object(object), changed: log.add)
                let call = try send(.optimistic, spec(.patch, draft(1, "mine")))
                let exchange = wire.next()
                log.waitForLists(1)
                exchange.answer(status)
                _ = try? call.wait(milliseconds: 0)
                // One of the values, and one of their end as pending ones.
                log.waitForLists(2)
                XCTAssertEqual(log.lists.count, 2)
                XCTAssertEqual(try name(1), status == 204 ? "mine" : "old")
                client.store.remove(observer)
                try checkNothingIsLeft()
            }
        }
    }

    // MARK: Closing

    func testTheEditOfARequestThatACloseStoresIsThereAfterwards() throws {
        for way in Way.ofClose {
            try withStores {
                try client.setReachability(.reachable)
                try tell(1, "old")
                // The second request waits behind the first one in their lane.
                let calls = try [
                    send(way, spec(.patch, draft(1, "mine"))),
                    send(way, spec(.patch, draft(1, "newest"))),
                ]
                _ = wire.next()
                client.close()
                for call in calls { XCTAssertEqual(failure(of: call)?.reason, .queued) }
                try reopen()
                if !isFile { try tell(1, "old") }
                XCTAssertEqual(try name(1), "newest", "\(way)")
                XCTAssertEqual(try confirmed(1), "old", "\(way)")
                XCTAssertEqual(try edits().shown.count, 2, "\(way)")
                try checkEdits()
                let words = try flushAll((204, ""), (422, ""))
                XCTAssertEqual(words, ["1 delivered 204", "2 dead 422"], "\(way)")
                XCTAssertEqual(try name(1), "mine", "\(way)")
                XCTAssertEqual(try confirmed(1), "mine", "\(way)")
                try checkEdits()
            }
        }
    }

    func testADeletionThatACloseStoresHidesItsObjectAfterwards() throws {
        for way in Way.ofClose {
            try withStores {
                try client.setReachability(.reachable)
                let call = try send(way, deletion(tell(1, "old")))
                _ = wire.next()
                client.close()
                XCTAssertEqual(failure(of: call)?.reason, .queued)
                try reopen()
                let object = try isFile ? object(1) : tell(1, "old")
                XCTAssertNil(try client.store.seen(object), "\(way)")
                try checkEdits()
                try drop(failure(of: call)?.outboxID ?? 0)
                XCTAssertNotNil(try client.store.seen(object), "\(way)")
            }
        }
    }
}
