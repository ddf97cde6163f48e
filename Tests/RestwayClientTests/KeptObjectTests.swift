import Foundation
import RestwayObjects
import XCTest

@testable import RestwayCalls
@testable import RestwayClient

/// Objects without identity that an answer brings again.
final class KeptObjectTests: EachStoreTestCase {
    override class var document: String {
        """
        {"restway": 1, "environments": {"live": {"baseURL": "http://example.test"}},
        "entities": {
            "Order": {"identity": "id",
                "attributes": {"id": {"type": "int"}, "total": {"type": "int"}},
                "relationships": {
                    "address": {"entity": "Address"},
                    "lines": {"entity": "Line", "many": true}}},
            "Address": {"attributes": {"street": {"type": "string"}},
                "relationships": {"place": {"entity": "Place"}}},
            "Line": {"attributes": {"text": {"type": "string"},
                    "count": {"type": "int", "default": 1}},
                "relationships": {"product": {"entity": "Product"}}},
            "Place": {"attributes": {"name": {"type": "string"}}},
            "Product": {"identity": "id", "attributes": {"id": {"type": "int"}}}},
        "routes": {"order": {"path": "orders/1", "response": {"entity": "Order"}}}}
        """
    }

    private static func body(_ address: String, _ lines: String...) -> String {
        """
        {"id": 1, "total": 3, "address": \(address), "lines": [\(lines.joined(separator: ", "))]}
        """
    }

    private static let address = #"{"street": "Elm", "place": {"name": "Ulm"}}"#
    private static let line = #"{"text": "a", "product": {"id": 1}}"#
    private static let twice = #"{"text": "b", "count": 2}"#

    /// Gets an order. Returns whether that has changed something in the store.
    private func changes(_ body: String, _ client: Client) throws -> Bool {
        let before = client.store.changeCount
        try get("orders/1", body, client)
        return client.store.changeCount != before
    }

    private func keys(_ client: Client) throws -> (address: [Int64], lines: [Int64]) {
        let orders = try client.store.objects(Query(client.api.entity(named: "Order")))
        let order = try XCTUnwrap(orders.first)
        return (order.relatedKeys(at: 0), order.relatedKeys(at: 1))
    }

    func testAnAnswerWithoutNewsChangesNothing() throws {
        try withEachStore { client in
            let body = Self.body(Self.address, Self.line, Self.twice, Self.twice)
            XCTAssertTrue(try changes(body, client))
            XCTAssertEqual(try client.store.count(nil), 7)
            for _ in 0..<2 { XCTAssertFalse(try changes(body, client)) }
            XCTAssertEqual(try client.store.count(nil), 7)
        }
    }

    func testEqualObjectsStayWhereOthersAreNew() throws {
        try withEachStore { client in
            try get("orders/1", Self.body(Self.address, Self.line, Self.twice), client)
            let before = try keys(client)
            let new = #"{"text": "new"}"#
            try get("orders/1", Self.body(Self.address, new, Self.line, Self.twice), client)
            let grown = try keys(client)
            XCTAssertEqual(grown.address, before.address)
            XCTAssertEqual(Array(grown.lines.dropFirst()), before.lines)
            XCTAssertFalse(before.lines.contains(grown.lines[0]))
            // The place in a new address is the one that it was.
            let places = try client.store.count(client.api.entity(named: "Place"))
            let address = Self.address.replacingOccurrences(of: "Elm", with: "Oak")
            try get("orders/1", Self.body(address, Self.twice, Self.line), client)
            let moved = try keys(client)
            XCTAssertNotEqual(moved.address, before.address)
            XCTAssertEqual(try client.store.count(client.api.entity(named: "Place")), places)
            XCTAssertEqual(moved.lines, before.lines.reversed())
        }
    }

    func testAnObjectThatLacksAValueOrLeadsElsewhereIsAnother() throws {
        try withEachStore { client in
            try get("orders/1", Self.body(Self.address, Self.line), client)
            let first = try keys(client)
            for other in [#"{"product": {"id": 1}}"#, #"{"text": "a", "product": {"id": 2}}"#] {
                XCTAssertTrue(try changes(Self.body(Self.address, other), client))
                XCTAssertNotEqual(try keys(client).lines, first.lines)
            }
        }
    }
}
