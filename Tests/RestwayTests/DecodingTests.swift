import Foundation
import LoopbackServer
import Restway
import XCTest

/// Objects that are read into `Decodable` types, whatever the order in which a type asks for its
/// keys.
final class DecodingTests: DemoTestCase {
    private static let document: JSON = [
        "restway": 1,
        "entities": [
            "Node": [
                "identity": "id",
                "attributes": [
                    "id": ["type": "int"], "name": "name", "note": "note",
                    "weight": ["type": "double"], "made": ["type": "date"],
                    "isOpen": ["type": "bool"], "data": ["type": "json"],
                ],
                "relationships": [
                    "parent": ["entity": "Node"], "leaves": ["entity": "Leaf", "many": true],
                ],
            ],
            "Leaf": [
                "identity": "id", "attributes": ["name": "name", "id": ["type": "int"]],
            ],
        ],
        "routes": ["nodes": ["path": "nodes", "response": ["entity": "Node"]]],
    ]

    private static let body = """
        [{"id": 1, "name": "one", "weight": 1, "made": "1970-01-02T00:00:00Z", "isOpen": true,
          "leaves": [{"id": 7, "name": "seven"}, {"id": 8, "name": "eight"}]},
         {"id": 2, "name": "two, which is longer than fifteen bytes", "note": "kept", "weight": 2.5,
          "isOpen": false, "data": {"a": [1]}, "parent": {"id": 1}, "leaves": []},
         {"id": 3, "name": "", "note": null, "parent": {"id": 2}, "leaves": [{"id": 7}]}]
        """

    private func nodes<Value: Decodable>(_ type: Value.Type = Value.self) async throws -> Value {
        let server = try TestServer.answering { _ in
            response(Self.body, headers: "Content-Type: application/json\r\n")
        }
        defer { server.stop() }
        return try await client(of: server, Self.document).get(.route("nodes"))
    }

    private struct Leaf: Decodable, Equatable {
        let id: Int
        let name: String
    }

    private struct Node: Decodable, Equatable {
        let id: Int
        let name: String
        let note: String?
        let weight: Double?
        let made: Date?
        let isOpen: Bool?
        let data: JSON?
        let leaves: [Leaf]
    }

    private static let nodes = [
        Node(
            id: 1, name: "one", note: nil, weight: 1, made: Date(timeIntervalSince1970: 86_400),
            isOpen: true, data: nil,
            leaves: [Leaf(id: 7, name: "seven"), Leaf(id: 8, name: "eight")]),
        Node(
            id: 2, name: "two, which is longer than fifteen bytes", note: "kept", weight: 2.5,
            made: nil, isOpen: false, data: ["a": [1]], leaves: []),
        Node(
            id: 3, name: "", note: nil, weight: nil, made: nil, isOpen: nil, data: nil,
            leaves: [Leaf(id: 7, name: "seven")]),
    ]

    func testATypeAsksForItsKeysInTheOrderOfItsProperties() async throws {
        let nodes: [Node] = try await nodes()
        XCTAssertEqual(nodes, Self.nodes)
    }

    /// Reads the properties of a node in another order for each node, and its parent, which is of
    /// the same entity, between them.
    private struct Shuffled: Decodable {
        enum Key: String, CodingKey, CaseIterable {
            case id, name, note, weight, isOpen, parent, leaves
        }

        private struct Parent: Decodable { let name: String }

        let seen: [String: String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let id = try container.decode(Int.self, forKey: .id)
            var seen: [String: String] = [:]
            let keys = Key.allCases
            for key in keys[id...] + keys[..<id] where container.contains(key) {
                let isNull = try container.decodeNil(forKey: key)
                seen[key.rawValue] =
                    switch key {
                    case _ where isNull: "null"
                    case .id: try "\(container.decode(Int64.self, forKey: key))"
                    case .name, .note: try container.decode(String.self, forKey: key)
                    case .weight: try "\(container.decode(Float.self, forKey: key))"
                    case .isOpen: try "\(container.decode(Bool.self, forKey: key))"
                    case .parent: try container.decode(Parent.self, forKey: key).name
                    case .leaves: try "\(container.decode([Leaf].self, forKey: key).map(\.id))"
                    }
            }
            self.seen = seen
        }
    }

    func testATypeAsksForItsKeysInAnyOrder() async throws {
        let seen = try await nodes([Shuffled].self).map(\.seen)
        XCTAssertEqual(
            seen,
            [
                [
                    "id": "1", "name": "one", "weight": "1.0", "isOpen": "true",
                    "leaves": "[7, 8]",
                ],
                [
                    "id": "2", "name": "two, which is longer than fifteen bytes", "note": "kept",
                    "weight": "2.5", "isOpen": "false", "parent": "one", "leaves": "[]",
                ],
                [
                    "id": "3", "name": "", "note": "null",
                    "parent": "two, which is longer than fifteen bytes", "leaves": "[7]",
                ],
            ])
    }

    func testObjectsOfAMapAreReadByTheirKeys() async throws {
        struct Contact: Decodable, Equatable { let name: String }
        struct Site: Decodable, Equatable {
            let contacts: [String: Contact]
            let shelves: [Int: Contact]
        }
        struct ListSite: Decodable { let contacts: [Contact] }
        let document: JSON = [
            "restway": 1,
            "entities": [
                "Contact": ["attributes": ["role": "role", "name": "name"]],
                "Shelf": ["attributes": ["number": ["type": "int"], "name": "name"]],
                "Site": [
                    "attributes": ["name": "name"],
                    "relationships": [
                        "contacts": ["entity": "Contact", "many": true, "map": "role"],
                        "shelves": ["entity": "Shelf", "many": true, "map": "number"],
                    ],
                ],
            ],
            "routes": ["site": ["path": "site", "response": ["entity": "Site"]]],
        ]
        let body = """
            {"name": "n", "contacts": {"boss": {"name": "Ann"}, "desk": {"name": "Bob"}},
             "shelves": {"7": {"name": "seven"}}}
            """
        let server = try TestServer.answering { _ in
            response(body, headers: "Content-Type: application/json\r\n")
        }
        defer { server.stop() }
        let client = try client(of: server, document)
        let site: Site = try await client.get(.route("site"))
        XCTAssertEqual(
            site.contacts, ["boss": Contact(name: "Ann"), "desk": Contact(name: "Bob")])
        XCTAssertEqual(site.shelves, [7: Contact(name: "seven")])
        let list: ListSite = try await client.get(.route("site"))
        XCTAssertEqual(list.contacts.map(\.name), ["Ann", "Bob"])
    }

    func testNumbersAreConvertedIfTheyFit() async throws {
        struct Narrow: Decodable {
            let id: UInt8
            let weight: Int?
        }
        struct Wide: Decodable { let id: Double }
        let wide: [Wide] = try await nodes()
        XCTAssertEqual(wide.map(\.id), [1, 2, 3])
        let error = try await failure { () async throws(RestwayError) in
            do {
                let _: [Narrow] = try await self.nodes()
            } catch {
                throw error as! RestwayError
            }
        }
        XCTAssertEqual(error.kind, .mapping)
        XCTAssertEqual(error.field, "[1].weight")
        XCTAssertEqual(
            error.message,
            "Array<Narrow>.[1].weight: expected Int, is a number with a fraction")
    }

    func testAnErrorNamesTheFirstObjectWithoutAValue() async throws {
        struct Strict: Decodable {
            let name: String
            let note: String
        }
        let error = try await failure { () async throws(RestwayError) in
            do {
                let _: [Strict] = try await self.nodes()
            } catch {
                throw error as! RestwayError
            }
        }
        XCTAssertEqual(error.field, "[0].note")
        XCTAssertEqual(
            error.message, "Array<Strict>.[0].note: the Node has no value for it")
    }
}
