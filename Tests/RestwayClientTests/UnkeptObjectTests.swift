import Foundation
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayPages
import RestwayThreads
import XCTest

@testable import RestwayBodies
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests
@testable import RestwayStore

/// Objects of answers that the document does not keep, with both kinds of stores.
final class UnkeptObjectTests: EachStoreTestCase {
    override class var document: String {
        """
        {"restway": 1, "environments": {"live": {"baseURL": "http://example.test"}},
        "entities": {
            "Order": {"keep": false, "identity": "id",
                "attributes": {"id": {"type": "int"}, "total": {"type": "int", "default": 5}},
                "relationships": {
                    "address": {"entity": "Address"},
                    "previous": {"entity": "Order"},
                    "lines": {"entity": "Line", "many": true},
                    "buyer": {"entity": "Person"}}},
            "Address": {"attributes": {"street": {"type": "string"}},
                "relationships": {"country": {"entity": "Country"}}},
            "Country": {"attributes": {"name": {"type": "string"}}},
            "Line": {"attributes": {"text": {"type": "string"}},
                "relationships": {"product": {"entity": "Product"}, "order": {"entity": "Order"},
                    "extras": {"entity": "Product", "many": true}}},
            "Product": {"identity": "id",
                "attributes": {"id": {"type": "int"}, "name": {"type": "string"}}},
            "Person": {"identity": "id",
                "attributes": {"id": {"type": "int"}, "name": {"type": "string"}},
                "relationships": {
                    "orders": {"entity": "Order", "many": true},
                    "last": {"entity": "Order"},
                    "chief": {"entity": "Person"},
                    "things": {"entity": {"oneOf": ["Order", "Product"],
                        "discriminator": "kind"}, "many": true}}},
            "Alert": {"keep": false, "attributes": {"text": {"type": "string"}}}},
        "routes": {
            "order": {"method": ["GET", "PUT", "DELETE"], "path": "orders/:id", "entity": "Order",
                "request": {"entity": "Order"}, "response": {"entity": "Order"}},
            "alerts": {"path": "alerts", "pages": {"next": "link"},
                "response": {"entity": "Alert", "keyPath": "list"}},
            "people": {"method": ["GET", "POST"], "path": "people",
                "response": {"entity": "Person"}, "request": {"entity": "Person"}},
            "found": {"path": "found",
                "response": {"entity": "Person", "keep": false}},
            "invite": {"method": "POST", "path": "invitations", "entity": "Person",
                "response": {"entity": "Person", "keep": false}, "request": {"entity": "Person"}},
            "street": {"path": "streets/:address.street"}}}
        """
    }

    private static let order = """
        {"id": 1, "address": {"street": "Elm", "country": {"name": "Italy"}},
         "lines": [{"text": "a", "product": {"id": 7, "name": "Pen"}},
                   {"text": "b", "product": {"id": 7},
                    "extras": [{"id": 7}, {"name": "Ink"}, {"id": 8}]}],
         "buyer": {"id": 3, "name": "Ann", "last": {"id": 1}}}
        """

    private func related(
        _ object: Snapshot, _ relationship: String, _ client: Client
    ) throws -> [Snapshot] {
        let index = try XCTUnwrap(object.entity.relationshipIndex(named: relationship))
        return try client.store.related(object, relationship: index)
    }

    private func count(_ entity: String, _ client: Client) throws -> Int {
        try client.store.count(client.api.entity(named: entity))
    }

    private func find(_ entity: String, _ identity: Int64, _ client: Client) throws -> Snapshot? {
        try client.store.object(client.api.entity(named: entity), .integer(identity))
    }

    // MARK: What the store has

    func testTheStoreHasNoneOfTheObjects() throws {
        try withEachStore { client in
            let before = client.store.changeCount
            let told = Lock(0)
            let observer = try client.observe(
                .everything, changed: { _ in told.withLock { $0 += 1 } })
            defer { withExtendedLifetime(observer) {} }
            let body = #"{"list": [{"text": "a"}, {"text": "a"}, {"text": "b"}]}"#
            let response = try get("alerts", body, client)
            XCTAssertEqual(response.objects.map { $0.string(at: 0) }, ["a", "a", "b"])
            XCTAssertFalse(response.objects[0].isSame(as: response.objects[1]))
            XCTAssertTrue(response.objects[0].isEqual(to: response.objects[1]))
            XCTAssertEqual(try client.store.count(nil), 0)
            XCTAssertEqual(client.store.changeCount, before)
            XCTAssertEqual(told.withLock { $0 }, 0)
            XCTAssertNil(try client.store.newest(of: response.objects[0]))
            XCTAssertFalse(try client.store.delete(response.objects[0]))
        }
    }

    func testLinksToKeptObjectsLeadToTheStore() throws {
        try withEachStore { client in
            let order = try get("orders/1", Self.order, client).objects[0]
            XCTAssertEqual(try count("Order", client), 0)
            XCTAssertEqual(try count("Line", client), 0)
            XCTAssertEqual(try count("Address", client), 0)
            XCTAssertEqual(try count("Country", client), 0)
            XCTAssertEqual(order.value(named: "total"), .int64(5))
            let lines = try related(order, "lines", client)
            XCTAssertEqual(lines.map { $0.string(at: 0) }, ["a", "b"])
            let address = try related(order, "address", client)[0]
            XCTAssertEqual(try related(address, "country", client)[0].string(at: 0), "Italy")
            let pen = try related(lines[1], "product", client)[0]
            XCTAssertTrue(pen.isSame(as: try XCTUnwrap(find("Product", 7, client))))
            // A newer value of the store is there at once, and a deleted object is left out.
            _ = try client.store.commit(
                ChangeSet(rows: [.make(pen.entity, [.int64(7), .string("Quill")])]))
            XCTAssertEqual(try related(lines[0], "product", client)[0].string(at: 1), "Quill")
            _ = try client.store.delete(pen)
            XCTAssertEqual(try related(lines[0], "product", client).count, 0)
        }
    }

    func testAListMayLeadToObjectsOfBothKinds() throws {
        try withEachStore { client in
            let order = try get("orders/1", Self.order, client).objects[0]
            let line = try related(order, "lines", client)[1]
            let extras = try related(line, "extras", client)
            XCTAssertEqual(names(extras), ["Product 7", "Product", "Product 8"])
            XCTAssertEqual(extras.map(\.isKept), [true, false, true])
            XCTAssertEqual(extras[1].string(at: 1), "Ink")
            XCTAssertEqual(try count("Product", client), 2)
        }
    }

    func testAKeptObjectHasNoLinksToOthers() throws {
        try withEachStore { client in
            let body = """
                {"id": 3, "orders": [{"id": 1}, {"id": 2}], "last": {"id": 1},
                 "things": [{"kind": "Product", "id": 7}, {"kind": "Order", "id": 2},
                            {"kind": "Product", "id": 8}]}
                """
            let person = try get("people", body, client).objects[0]
            XCTAssertTrue(person.isKept)
            XCTAssertTrue(person.relationshipCell(at: 0).isAbsent)
            XCTAssertTrue(person.relationshipCell(at: 1).isAbsent)
            XCTAssertEqual(try names(related(person, "things", client)), ["Product 7", "Product 8"])
            XCTAssertEqual(try client.store.count(nil), 3)
            let order = try get("orders/1", Self.order, client).objects[0]
            let buyer = try XCTUnwrap(related(order, "buyer", client).first)
            XCTAssertEqual(buyer.string(at: 1), "Ann")
            XCTAssertTrue(buyer.relationshipCell(at: 1).isAbsent)
        }
    }

    func testADescriptorKeepsItsResultsOutOfTheStore() throws {
        try withEachStore { client in
            try get("people", #"{"id": 1, "name": "Kept"}"#, client)
            let body = """
                [{"id": 1, "name": "Found", "chief": {"id": 2}},
                 {"id": 2, "name": "Chief", "chief": {"id": 1}},
                 {"id": 4, "chief": {"id": 5, "name": "Other"}}]
                """
            let found = try get("found", body, client).objects
            XCTAssertEqual(found.map(\.isKept), [false, false, false])
            // A link to a result leads to the result, and a link to another object to the store.
            let chief = try related(found[0], "chief", client)[0]
            XCTAssertEqual(chief.string(at: 1), "Chief")
            XCTAssertTrue(chief.isSame(as: found[1]))
            XCTAssertTrue(try related(chief, "chief", client)[0].isSame(as: found[0]))
            XCTAssertEqual(try related(found[2], "chief", client)[0].isKept, true)
            XCTAssertEqual(try find("Person", 1, client)?.string(at: 1), "Kept")
            XCTAssertNil(try find("Person", 2, client))
            XCTAssertEqual(try find("Person", 5, client)?.string(at: 1), "Other")
            XCTAssertEqual(try count("Person", client), 2)
        }
    }

    func testOneObjectOfAnAnswerIsOneObject() throws {
        try withEachStore { client in
            let body = #"[{"id": 1, "total": 2}, {"id": 1, "previous": {"id": 2}}, {"id": 2}]"#
            let orders = try get("orders/1", body, client).objects
            XCTAssertTrue(orders[0].isSame(as: orders[1]))
            XCTAssertEqual(orders[0].value(named: "total"), .int64(2))
            XCTAssertTrue(try related(orders[0], "previous", client)[0].isSame(as: orders[2]))
            // Another answer has objects of its own.
            let again = try get("orders/1", body, client).objects
            XCTAssertFalse(again[0].isSame(as: orders[0]))
            XCTAssertTrue(again[2].isEqual(to: orders[2]))
        }
    }

    // MARK: How long they live

    /// Waits, because a worker may hold a response for a moment longer than its call takes.
    private func waitUntil(_ isTrue: () -> Bool) {
        let deadline = ContinuousClock.now + .seconds(20)
        while !isTrue(), ContinuousClock.now < deadline { sched_yield() }
    }

    func testAnObjectHoldsWhatItLeadsToAndNothingHoldsItself() throws {
        try withEachStore { client in
            weak var order: Snapshot?
            weak var line: Snapshot?
            weak var unkept: UnkeptObjects?
            try {
                var held: Snapshot? = try get("orders/1", Self.order, client).objects[0]
                XCTAssertEqual(try related(XCTUnwrap(held), "lines", client).count, 2)
                var last: Snapshot? = try related(XCTUnwrap(held), "lines", client)[1]
                (order, line, unkept) = (held, last, held?.unkeptObjects)
                held = nil
                waitUntil { order == nil }
                XCTAssertNil(order, "the response has ended")
                XCTAssertNotNil(unkept, "a line with a link to an object of the answer holds it")
                XCTAssertEqual(try related(XCTUnwrap(last), "extras", client).count, 3)
                last = nil
            }()
            waitUntil { unkept == nil }
            XCTAssertNil(line)
            XCTAssertNil(unkept)
        }
    }

    func testCirclesOfObjectsEnd() throws {
        try withEachStore { client in
            weak var unkept: UnkeptObjects?
            try {
                let body = """
                    [{"id": 1, "previous": {"id": 2}, "lines": [{"order": {"id": 1}}]},
                     {"id": 2, "previous": {"id": 1}}, {"id": 3, "previous": {"id": 3}}]
                    """
                let response = try get("orders/1", body, client)
                unkept = response.objects[0].unkeptObjects
                XCTAssertNotNil(unkept)
                var object = response.objects[0]
                for identity in [2, 1, 2, 1] as [Int64] {
                    object = try related(object, "previous", client)[0]
                    XCTAssertEqual(object.identity, .integer(identity))
                }
                let line = try related(object, "lines", client)[0]
                XCTAssertTrue(try related(line, "order", client)[0].isSame(as: object))
                let last = response.objects[2]
                XCTAssertTrue(try related(last, "previous", client)[0].isSame(as: last))
            }()
            waitUntil { unkept == nil }
            XCTAssertNil(unkept)
        }
    }

    func testEventsBringThem() throws {
        try withEachStore { client in
            let texts = Monitor<[String]>([])
            let receiver = EventReceiver(
                EventReceiver.Options(), receiveHead: { _ in .success(()) },
                receive: { event in
                    texts.update { $0 += event.objects.compactMap { $0.string(at: 0) } }
                    return .success(.proceed)
                })
            var spec = RequestSpec.get("alerts")
            spec.reception.bodyDestination = .events(receiver, nil)
            let call = try client.send(spec)
            let started = transport.begin(
                200, [HeaderField(name: "Content-Type", value: "text/event-stream")])
            let events = ["a", "b"].map { "data: {\"list\": [{\"text\": \"\($0)\"}]}\n\n" }.joined()
            Array(events.utf8).withUnsafeBytes { _ = started.observer.receivedBody($0) }
            XCTAssertEqual(texts.wait { $0.count == 2 ? $0 : nil }, ["a", "b"])
            XCTAssertEqual(try client.store.count(nil), 0)
            call.cancel()
        }
    }

    func testObjectsAreReadAfterTheirClientHasEnded() throws {
        let client = try client(inFile: false)
        let store = client.store
        let order = try get("orders/1", Self.order, client).objects[0]
        client.close()
        XCTAssertEqual(try store.related(order, relationship: 2).count, 2)
    }

    // MARK: Reading

    func testJSONTextAndTablesFollowTheLinks() throws {
        try withEachStore { client in
            let order = try get("orders/1", Self.order, client).objects[0]
            var options = ObjectText.Options()
            options.depth = 2
            let text = try ObjectText.of(order, options, in: client.store)
            XCTAssertEqual(
                String(decoding: text, as: UTF8.self),
                #"{"id":1,"total":5,"address":{"street":"Elm","country":{"name":"Italy"}},"#
                    + #""lines":[{"text":"a","product":{"id":7,"name":"Pen"}},"#
                    + #"{"text":"b","product":{"id":7,"name":"Pen"},"#
                    + #""extras":[{"id":7,"name":"Pen"},{"name":"Ink"},{"id":8}]}],"#
                    + #""buyer":{"id":3,"name":"Ann"}}"#)
            let table = try client.store.table([order], depth: 1, of: client.api)
            let lines = try XCTUnwrap(table.children.first { $0.name == "lines" })
            XCTAssertEqual(lines.children[0].count, 2)
        }
    }

    func testPathsAndBodiesReadTheLinks() throws {
        try withEachStore { client in
            let order = try get("orders/1", Self.order, client).objects[0]
            var spec = RequestSpec(target: .route("street", nil))
            spec.subject = .object(order)
            var call = try client.send(spec)
            XCTAssertEqual(
                transport.answer(200, "").url, "http://example.test/streets/Elm")
            _ = try call.wait(milliseconds: 0)
            call = try client.send(RequestSpec(target: .subject(.put), subject: .object(order)))
            let exchange = transport.answer(200, #"{"id": 1, "total": 6}"#)
            let response = try call.wait(milliseconds: 0)
            guard case .bytes(let bytes) = exchange.body else { return XCTFail("no body") }
            let body = String(decoding: bytes, as: UTF8.self)
            XCTAssertTrue(body.contains(#""country":{"name":"Italy"}"#), body)
            XCTAssertTrue(body.contains(#"{"text":"a","product":{"id":7,"name":"Pen"}}"#), body)
            XCTAssertEqual(response.objects[0].value(named: "total"), .int64(6))
            call = try client.send(RequestSpec(target: .subject(.delete), subject: .object(order)))
            transport.answer(204, "")
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try count("Order", client), 0)
        }
    }

    // MARK: What is refused, and what is kept all the same

    func testDraftsAreRefused() throws {
        try withEachStore { client in
            func refusal(_ body: () throws -> Void) -> String? {
                do {
                    try body()
                    return nil
                } catch {
                    return (error as? Failure)?.message ?? (error as? DraftError)?.message
                }
            }
            let entity = try client.api.entity(named: "Order")
            let order = try get("orders/1", Self.order, client).objects[0]
            let expected =
                "no store keeps this Order (\"keep\": false), so it has no draft, and no draft "
                + "leads to it"
            XCTAssertEqual(refusal { _ = try client.store.draft(entity) }, expected)
            XCTAssertEqual(refusal { _ = try client.store.draft(copying: order) }, expected)
            let person = try client.store.draft(client.api.entity(named: "Person"))
            XCTAssertEqual(
                refusal { try person.set([.object(order)], relationship: 1) }, expected)
            let found = try get("found", #"{"id": 1}"#, client).objects[0]
            XCTAssertNotNil(refusal { _ = try client.store.draft(copying: found) })
        }
    }

    func testTheAnswerToADraftIsKept() throws {
        try withEachStore { client in
            let draft = try client.store.draft(client.api.entity(named: "Person"))
            try draft.set(.string("New"), attribute: 1)
            let call = try client.send(
                RequestSpec(target: .route("invite", nil), subject: .draft(draft, client.store)))
            transport.answer(201, #"{"id": 9, "last": {"id": 4}}"#)
            let person = try call.wait(milliseconds: 0).objects[0]
            XCTAssertTrue(person.isKept)
            XCTAssertEqual(person.string(at: 1), "New")
            XCTAssertTrue(try XCTUnwrap(find("Person", 9, client)) === person)
            XCTAssertEqual(draft.storeKey, person.storeKey)
            XCTAssertEqual(try client.store.count(nil), 1)
        }
    }

    func testListsAreRefusedAndPagesAreNot() throws {
        try withEachStore { client in
            let spec = RequestSpec(target: .route("alerts", nil))
            XCTAssertThrowsError(try PagedList(client.calls, spec)) { error in
                XCTAssertEqual(
                    (error as? Failure)?.message,
                    "a list is in the store, and no store keeps the objects of route \"alerts\" "
                        + "(\"keep\": false); go through its pages instead")
            }
            let pages = try Pages(client.calls, spec)
            let loaded = Monitor<Result<Page?, Failure>?>(nil)
            _ = Thread.start("loading") {
                let result = Result { () throws(Failure) in try pages.next(milliseconds: 0) }
                loaded.update { $0 = result }
            }
            transport.answer(200, #"{"list": [{"text": "a"}, {"text": "b"}], "link": null}"#)
            let page = try XCTUnwrap(try loaded.wait { $0 }!.get())
            XCTAssertEqual(page.objects.map { $0.string(at: 0) }, ["a", "b"])
            XCTAssertEqual(try client.store.count(nil), 0)
        }
    }

    func testAHookCannotLinkAKeptObjectToThem() throws {
        let api = try TestAPI.load(
            Self.document.replacingOccurrences(
                of: #""response": {"entity": "Person"}, "request""#,
                with: #""response": {"entity": "Person", "hook": "last"}, "request""#))
        let order = Lock<Snapshot?>(nil)
        let refusals = Lock<[String]>([])
        try api.addHook("last") { rows throws(Failure) in
            do throws(MappedRows.Refusal) {
                try rows.relate(0, relationship: 1, to: [order.withLock { $0 }].compactMap(\.self))
            } catch {
                refusals.withLock { $0.append(error.message) }
            }
        }
        let transport = FakeTransport()
        let client = try Client(
            api: api, options: ClientOptions(), transport: transport, clock: FakeClock())
        defer { client.close() }
        for (path, body) in [("orders/1", Self.order), ("people", #"{"id": 1}"#)] {
            let call = try client.send(.get(path))
            transport.answer(200, body)
            let response = try call.wait(milliseconds: 0)
            order.withLock { $0 = response.objects[0] }
        }
        XCTAssertEqual(
            refusals.withLock { $0 },
            [
                "\"last\" leads to rows and to objects of the store, and no store keeps this object"
            ])
    }

    // MARK: Kept bodies

    func testAKeptBodyIsMappedEachTime() throws {
        try withEachStore { client in
            let mappings = CachedMappings()
            func take(_ body: String) throws -> Response {
                let call = try client.send(.get("orders/1"))
                let request = try XCTUnwrap(call.request)
                let processor = ResponseProcessor(call, request)
                var answer = Answer(
                    status: 200, headers: Headers([]), url: "http://example.test/orders/1",
                    body: Body(Array(body.utf8)))
                answer.mappings = mappings
                answer.readyAt = FakeClock().now()
                let response = try processor.commit(processor.parse(answer))
                call.cancel()
                return response
            }
            let first = try take(Self.order)
            let pen = try XCTUnwrap(find("Product", 7, client))
            _ = try client.store.commit(
                ChangeSet(rows: [.make(pen.entity, [.int64(7), .string("Quill")])]))
            let second = try take(Self.order)
            XCTAssertFalse(second.objects[0].isSame(as: first.objects[0]))
            let lines = try related(second.objects[0], "lines", client)
            XCTAssertEqual(lines.count, 2)
            // The body is not newer than the store, which has taken its kept objects before.
            XCTAssertEqual(try related(lines[0], "product", client)[0].string(at: 1), "Quill")
            XCTAssertEqual(try count("Order", client), 0)
        }
    }
}
