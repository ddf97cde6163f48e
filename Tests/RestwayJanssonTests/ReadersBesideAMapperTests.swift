import Dispatch
import RestwayMapping
import RestwayObjects
import Synchronization
import XCTest

/// A mapper and its commits run while threads read; mainly for the thread sanitizer.
final class ReadersBesideAMapperTests: XCTestCase {
    private static let nodeCount = 24
    private static let roundCount = 60

    private static let model = EntityModel()
    private static let node = Entity(
        name: "Node", index: 0,
        attributes: [
            Attribute(name: "id", type: .int), Attribute(name: "round", type: .int),
            Attribute(name: "name", type: .string), Attribute(name: "raw", type: .json),
        ],
        relationships: [
            Relationship(name: "next", targetName: "Node", targetIndex: 0),
            Relationship(name: "all", targetName: "Node", targetIndex: 0, isMany: true),
            Relationship(
                name: "leaf", targetName: "Leaf", targetIndex: 1, policy: .replace),
        ],
        identityIndex: 0, model: model)
    private static let leaf = Entity(
        name: "Leaf", index: 1, attributes: [Attribute(name: "round", type: .int)], model: model)

    private static let mappings = [
        EntityMapping(
            entity: node,
            attributes: [
                AttributeMapping(attribute: 0, source: ["id"], conversion: .int),
                AttributeMapping(attribute: 1, source: ["round"], conversion: .int),
                AttributeMapping(attribute: 2, source: ["text", "name"], conversion: .string),
                AttributeMapping(attribute: 3, source: ["text"], conversion: .json),
            ],
            relationships: [
                RelationshipMapping(relationship: 0, source: ["next"]),
                RelationshipMapping(relationship: 1, source: ["all"]),
                RelationshipMapping(relationship: 2, source: ["leaf"]),
            ]),
        EntityMapping(
            entity: leaf,
            attributes: [AttributeMapping(attribute: 0, source: ["round"], conversion: .int)]),
    ]

    private final class Mapper: Sendable {
        let hasBegun = DispatchSemaphore(value: 0)
        let isOver = Atomic(false)
    }

    /// Makes nodes in a ring, which each version rotates. Every node links to all nodes, and to a
    /// leaf of this version that replaces the leaf of the previous version.
    private static func json(round: Int) -> String {
        let all = (0..<nodeCount).map { "\(($0 + round) % nodeCount)" }.joined(separator: ",")
        let nodes = (0..<nodeCount).map { id in
            """
            {"id":\(id),"round":\(round),"text":{"name":"\(round)"},"all":[\(all)],
             "next":{"id":\((id + round) % nodeCount)},"leaf":{"round":\(round)}}
            """
        }
        return "[\(nodes.joined(separator: ","))]"
    }

    private static func roundNumber(_ object: Snapshot) -> Int {
        guard case .int64(let round) = object.value(named: "round") else { return -1 }
        return Int(round)
    }

    func testReadersSeeWholeObjectsAndNothingOlderBehindARelationship() {
        let store = MemoryStore()
        let plan = MappingPlan(
            [ResponseDescriptor(mapping: Self.mappings[0])], entities: Self.mappings)
        let mapper = Mapper()
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            if thread == 0 {
                defer { mapper.isOver.store(true, ordering: .releasing) }
                for round in 1...Self.roundCount {
                    let result = try? map(Self.json(round: round), plan)
                    XCTAssertNotNil(try? result.map { try store.commit($0.changeSet) })
                    if round == 1 { for _ in 1...3 { mapper.hasBegun.signal() } }
                }
                return
            }
            mapper.hasBegun.wait()
            var last = 0
            while !mapper.isOver.load(ordering: .acquiring) {
                for id in 0..<Self.nodeCount {
                    last = max(last, Self.check(store, id, atLeast: last))
                }
                Self.checkQuery(store)
            }
        }
        XCTAssertEqual(store.count(Self.node), Self.nodeCount)
        XCTAssertEqual(store.count(Self.leaf), Self.nodeCount)
    }

    /// A commit is visible as a whole: a reader that has seen a version sees nothing older any
    /// more.
    private static func check(_ store: MemoryStore, _ id: Int, atLeast last: Int) -> Int {
        guard let object = store.object(node, .integer(Int64(id))) else {
            XCTFail("node \(id) is gone")
            return roundCount
        }
        let round = roundNumber(object)
        XCTAssertGreaterThanOrEqual(round, last)
        XCTAssertEqual(object.string(at: 2), "\(round)")
        XCTAssertEqual(object.value(at: 3), .json(#"{"name":"\#(round)"}"#))
        let all = store.related(object, relationship: 1)
        XCTAssertEqual(all.count, nodeCount)
        XCTAssertEqual(all.first?.identity, .integer(Int64(round % nodeCount)))
        let related = all + store.related(object, relationship: 0)
        XCTAssertNil(related.first { roundNumber($0) < round })
        // The leaf may have been deleted meanwhile; if it exists, it belongs to this version.
        let leaf = store.related(object, relationship: 2)
        XCTAssertEqual(leaf.map(roundNumber), leaf.map { _ in round })
        let newest = store.newest(node, storeKey: object.storeKey)
        XCTAssertGreaterThanOrEqual(newest.map(roundNumber) ?? -1, round)
        return round
    }

    private static func checkQuery(_ store: MemoryStore) {
        var query = Query(node)
        query.order = [Query.Order(attribute: 0, isDescending: true)]
        let found = store.objects(query)
        XCTAssertEqual(
            found.map(\.identity), (0..<nodeCount).reversed().map { .integer(Int64($0)) })
        XCTAssertEqual(Set(found.map(roundNumber)).count, 1, "half of a commit")
        if let first = found.first {
            query.conditions = [
                .compares(attribute: 1, .less, .int64(Int64(roundNumber(first))))
            ]
            XCTAssertEqual(store.count(query), 0, "older than what has been seen")
        }
    }
}
