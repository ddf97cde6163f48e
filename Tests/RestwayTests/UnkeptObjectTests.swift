import LoopbackServer
import Restway
import XCTest

/// Objects of answers that no store keeps.
final class UnkeptObjectTests: DemoTestCase {
    private let document: JSON = [
        "restway": 1,
        "environments": ["local": ["baseURL": "http://127.0.0.1:1"]],
        "entities": [
            "Order": [
                "identity": "id", "keep": false,
                "attributes": ["id": ["type": "int"]],
                "relationships": [
                    "lines": ["entity": "Line", "many": true, "empty": "gap"],
                    "previous": ["entity": "Order"],
                ],
            ],
            "Line": [
                "attributes": ["count": ["type": "int"]],
                "relationships": ["product": ["entity": "Product"]],
            ],
            "Product": [
                "identity": "sku", "attributes": ["sku": "sku", "name": ["type": "string"]],
            ],
        ],
    ]

    private static let orders = """
        [{"id": 1, "previous": {"id": 2},
          "lines": [{"count": 3, "product": {"sku": "p", "name": "Pen"}}, null, {"count": 4}]},
         {"id": 2, "previous": {"id": 1}}]
        """

    private struct Product: Decodable, Equatable {
        let name: String
    }

    private struct Line: Decodable, Equatable {
        let count: Int
        let product: Product?

        private enum CodingKeys: String, CodingKey { case count, product }

        init(count: Int, product: Product?) {
            (self.count, self.product) = (count, product)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            count = try container.decode(Int.self, forKey: .count)
            product = try container.decodeIfPresent(Product.self, forKey: .product)
        }
    }

    private struct Order: Decodable {
        let id: Int
        let lines: [Line]
    }

    func testTheStoreHasNoneAndTheLinksAreRead() async throws {
        for file in [nil, try temporaryFile("objects.db")] {
            var options = Client.Options()
            options.files.store = file
            let client = try ending(Client(API(document: document), options: options))
            let response = try await client.map(Array(Self.orders.utf8), by: .entity("Order"))
            let order = try XCTUnwrap(response.object)
            XCTAssertEqual(try client.store.count(), 1)
            XCTAssertEqual(try client.store.count("Order"), 0)
            XCTAssertNil(try client.store.newest(order))
            let lines = try order.related("lines")
            XCTAssertEqual(lines.map { $0["count"] as Int? }, [3, 4])
            XCTAssertEqual(
                try order.places(of: "lines").map { $0?["count"] as Int? }, [3, nil, 4])
            XCTAssertEqual(try lines[0].related("product").first?["name"] as String?, "Pen")
            XCTAssertTrue(
                try order.related("previous")[0].related("previous")[0].isSame(as: order))
            let decoded = try order.decode(Order.self)
            XCTAssertEqual(decoded.id, 1)
            XCTAssertEqual(
                decoded.lines,
                [Line(count: 3, product: Product(name: "Pen")), Line(count: 4, product: nil)])
        }
    }

    func testADraftIsRefused() async throws {
        let client = try ending(Client(API(document: document)))
        let response = try await client.map(Array(Self.orders.utf8), by: .entity("Order"))
        let order = try XCTUnwrap(response.object)
        for make in [{ try client.draft("Order") }, { try client.draft(of: order) }] {
            XCTAssertThrowsError(try make()) { error in
                XCTAssertEqual((error as? RestwayError)?.kind, .invalidArgument)
            }
        }
    }
}
