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

/// Requests whose changes the store shows while their calls are in flight.
final class OptimisticTests: PendingEditTestCase {
    override var routes: String {
        #", "quick": {"method": ["POST", "PATCH", "DELETE"], "path": "quick/:id", "#
            + #""response": {"entity": "Thing"}, "optimistic": true}"#
    }

    private func quick(
        _ method: RestwayRouting.Method, _ subject: RequestSpec.Subject
    ) -> RequestSpec {
        var spec = RequestSpec(target: .route("quick", method), subject: subject)
        spec.variables["id"] = .value(.string("1"))
        return spec
    }

    private func quick(_ method: RestwayRouting.Method, _ draft: Draft) -> RequestSpec {
        quick(method, .draft(draft, client.store))
    }

    private func online(_ body: () throws -> Void) throws {
        try withStores {
            try client.setReachability(.reachable)
            try tell(1, "old")
            try body()
            XCTAssertEqual(try client.store.edits(ofOutbox: 0).count, 0)
            try checkEdits()
        }
    }

    func testTheStoreShowsAnEditUntilItsCallHasSucceeded() throws {
        try online {
            let draft = try draft(1, "mine")
            let call = try client.send(quick(.patch, draft))
            let exchange = wire.next()
            XCTAssertEqual(try name(1), "mine")
            XCTAssertEqual(try confirmed(1), "old")
            XCTAssertEqual(draft.changedCells, [1])
            try get("things/1", #"{"id":1,"name":"theirs"}"#)
            XCTAssertEqual(try name(1), "mine")
            exchange.answer(204)
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try name(1), "mine")
            XCTAssertEqual(try confirmed(1), "mine")
            XCTAssertEqual(draft.changedCells, [])
        }
    }

    func testTheAnswerReplacesTheEdit() throws {
        try online {
            let call = try client.send(quick(.patch, draft(1, "mine")))
            wire.answer(200, #"{"id":1,"name":"MINE"}"#)
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try name(1), "MINE")
        }
    }

    func testAFailedCallTakesItsEditBackBeforeTheProgramIsTold() throws {
        try online {
            let draft = try draft(1, "mine")
            let seen = Monitor<String?>(nil)
            let (store, entity) = (client.store, try entity)
            let call = try client.send(
                quick(.patch, draft),
                completion: { _, _ in
                    let object = try? store.object(entity, .integer(1))
                    seen.update { $0 = "\(object?.value(at: 1) ?? .absent)" }
                })
            XCTAssertEqual(try name(1), "mine")
            wire.answer(422)
            XCTAssertEqual(failure(of: call)?.httpStatus, 422)
            XCTAssertEqual(seen.wait { $0 }, "\(Value.string("old"))")
            XCTAssertEqual(draft.changedCells, [1], "the draft keeps its changes")
        }
    }

    func testAConnectionErrorACancelAndACloseTakeTheEditBack() throws {
        for end in 0..<3 {
            try withStores {
                try client.setReachability(.reachable)
                try tell(1, "old")
                let call = try client.send(quick(.patch, draft(1, "mine")))
                let exchange = wire.next()
                XCTAssertEqual(try name(1), "mine")
                switch end {
                case 0: exchange.fail(.connect)
                case 1: call.cancel()
                default: client.close()
                }
                XCTAssertNotNil(failure(of: call))
                XCTAssertEqual(try name(1), "old")
                XCTAssertEqual(try client.store.edits(ofOutbox: 0).count, 0)
            }
        }
    }

    func testANewObjectOfAFailedCallIsRemoved() throws {
        try online {
            let draft = Draft(try entity)
            try draft.set(.string("new"), attribute: 1)
            let call = try client.send(quick(.post, draft))
            XCTAssertEqual(try client.store.count(nil), 2)
            wire.answer(422)
            _ = failure(of: call)
            XCTAssertEqual(try client.store.count(nil), 1)
            XCTAssertEqual(draft.storeKey, 0)
            let again = try client.send(quick(.post, draft))
            let key = draft.storeKey
            wire.answer(201, #"{"id":5}"#)
            _ = try again.wait(milliseconds: 0)
            XCTAssertEqual(try object(5).storeKey, key)
            XCTAssertEqual(try name(5), "new")
        }
    }

    func testADeletionIsSeenAtOnceAndUndoneByAFailure() throws {
        try online {
            let object = try object(1)
            let call = try client.send(quick(.delete, .object(object)))
            XCTAssertNil(try client.store.seen(object))
            wire.answer(403)
            _ = failure(of: call)
            XCTAssertNotNil(try client.store.seen(object))
            let again = try client.send(quick(.delete, .object(object)))
            wire.answer(204)
            _ = try again.wait(milliseconds: 0)
            XCTAssertNil(try client.store.newest(entity, storeKey: object.storeKey))
        }
    }

    /// The server has taken the request, although its answer cannot be read.
    func testValuesStayIfOnlyTheAnswerCannotBeUsed() throws {
        try online {
            let call = try client.send(quick(.patch, draft(1, "mine")))
            wire.answer(200, "{")
            XCTAssertNotNil(failure(of: call))
            XCTAssertEqual(try name(1), "mine")
            XCTAssertEqual(try confirmed(1), "mine")
        }
    }

    func testARequestMaySayOtherwiseThanItsRoute() throws {
        try online {
            var slow = quick(.patch, try draft(1, "mine"))
            slow.sending.isOptimistic = false
            let call = try client.send(slow)
            XCTAssertEqual(try name(1), "old")
            wire.answer(204)
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try name(1), "mine")
            var quick = spec(.patch, try draft(1, "other"))
            quick.sending.isOptimistic = true
            let other = try client.send(quick)
            XCTAssertEqual(try name(1), "other")
            wire.answer(422)
            _ = failure(of: other)
            XCTAssertEqual(try name(1), "mine")
        }
    }

    // MARK: With an outbox

    func testTheOutboxTakesTheEditOverWithTheRequest() throws {
        try withStores {
            try client.setReachability(.reachable)
            let log = ChangeLog()
            let object = try tell(1, "old")
            let observer = try client.observe(.object(object), changed: log.add)
            var optimistic = spec(.patch, try draft(1, "mine"))
            optimistic.sending.isOptimistic = true
            let call = try client.send(optimistic)
            let exchange = wire.next()
            XCTAssertEqual(try name(1), "mine")
            // Opening the outbox again compares nothing of calls in flight of this client.
            try client.requireOutbox().changes.compare(laysAgain: false)
            XCTAssertEqual(try name(1), "mine")
            exchange.fail(.connect)
            let queued = failure(of: call)
            XCTAssertEqual(queued?.reason, .queued)
            XCTAssertEqual(try name(1), "mine")
            try checkEdits()
            XCTAssertEqual(try edits().shown.count, 1)
            log.waitForLists(1)
            XCTAssertEqual(log.lists.count, 1, "the screen did not change")
            try drop(queued?.outboxID ?? 0)
            XCTAssertEqual(try name(1), "old")
            client.store.remove(observer)
        }
    }

    func testWhatAKilledProcessHasShownIsTakenBack() throws {
        try begin()
        try tell(1, "old")
        let journal = try client.requireOutbox().journal
        for outbox in [0, journal.number] {
            let edit = EditID.random(outbox: outbox)
            _ = try client.store.insert(draft(1, "mine \(outbox)").capture(), laying: edit)
        }
        client.close()
        try reopen()
        XCTAssertEqual(try name(1), "old")
        XCTAssertEqual(try client.store.edits(ofOutbox: 0).count, 0)
    }
}
