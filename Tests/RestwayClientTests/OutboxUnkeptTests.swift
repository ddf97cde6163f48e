import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// Requests about objects that no store keeps, on their way through the outbox.
final class OutboxUnkeptTests: OutboxTestCase {
    override func document(_ outbox: String, _ rest: String, routes: String) -> String {
        """
        {"restway": 1, "environments": {"test": {"baseURL": "http://api.test/v1"}},
         "entities": {
            "Order": {"keep": false, "identity": "id",
                "attributes": {"id": {"type": "int"}, "total": {"type": "int"}},
                "relationships": {"lines": {"entity": "Line", "many": true}}},
            "Line": {"attributes": {"count": {"type": "int"}}}},
         "outbox": {"path": "unused.db", "baseMilliseconds": 1000},
         "routes": {
            "order": {"method": ["GET", "PUT", "DELETE"], "path": "orders/:id", "entity": "Order",
                "response": {"entity": "Order"}, "request": {}, "offline": true}}}
        """
    }

    func testAStoredRequestSendsTheObjectAsItWasAndItsAnswerIsNotKept() throws {
        for inFile in [false, true] {
            // A client closes its transport.
            let transport = FakeTransport()
            let client = try client(transport: transport) { [directory] options in
                if inFile { options.files.store = directory + "/objects.db" }
            }
            try client.setReachability(.reachable)
            let call = try client.send(.get("orders/1"))
            transport.answer(200, #"{"id": 1, "total": 3, "lines": [{"count": 2}]}"#)
            let order = try call.wait(milliseconds: 0).objects[0]
            try queueOffline(
                client, RequestSpec(target: .subject(.put), subject: .object(order)),
                RequestSpec(target: .subject(.delete), subject: .object(order)))
            XCTAssertEqual(try client.store.count(nil), 0)
            XCTAssertFalse(try client.store.isRejected(order))
            try observe(client)
            try client.setReachability(.reachable)
            let sent = transport.answer(200, #"{"id": 1, "total": 4}"#)
            XCTAssertEqual(text(sent), #"PUT orders/1 {"id":1,"total":3,"lines":[{"count":2}]}"#)
            XCTAssertEqual(text(transport.answer(204, "")), "DELETE orders/1")
            XCTAssertEqual(words(nextFlushed()), ["1 delivered 200", "2 delivered 204"])
            XCTAssertEqual(try client.store.count(nil), 0)
            client.close()
            removeFiles()
        }
    }
}
