import RestwayJansson
import RestwayMapping
import RestwayObjects
import XCTest

/// Null and `{}` in the list of a relationship, which is dropped, an object or a gap.
final class EmptyElementTests: XCTestCase {
    private func mapping(
        _ empty: Relationship.EmptyElements, _ policy: Relationship.Policy = .assign,
        isByIdentity: Bool = false
    ) -> EntityMapping {
        let entity = Entity(
            name: "Node", index: 0, attributes: [Attribute(name: "id", type: .int)],
            relationships: [
                Relationship(
                    name: "many", targetName: "Node", targetIndex: 0, isMany: true, policy: policy,
                    emptyElements: empty)
            ],
            identityIndex: 0)
        return EntityMapping(
            entity: entity,
            attributes: [AttributeMapping(attribute: 0, source: ["id"], conversion: .int)],
            relationships: [
                RelationshipMapping(
                    relationship: 0, source: ["many"], form: isByIdentity ? .identity : .object)
            ])
    }

    /// Maps a node with `list`, and returns what is at each place: an identity, "object" for an
    /// object without values, or "gap".
    private func places(
        _ list: String, _ mapping: EntityMapping, in store: MemoryStore = MemoryStore(keyBefore: 0)
    ) throws -> (places: [String], issues: [String], node: Snapshot, store: MemoryStore) {
        let plan = MappingPlan([ResponseDescriptor(mapping: mapping)], entities: [mapping])
        let result = try map(#"{"id":1,"many":\#(list)}"#, plan)
        let commit = try store.commit(result.changeSet)
        let node = commit.objects[result.results[0][0]]
        let places = node.relatedKeys(at: 0).map { key in
            guard key != 0 else { return "gap" }
            guard case .int64(let id)? = store.newest(mapping.entity, storeKey: key)?.value(at: 0)
            else { return "object" }
            return "\(id)"
        }
        return (places, result.paths, node, store)
    }

    private static let list = #"[2,null,{"id":3},{},null,2,[],{"x":1}]"#

    func testEmptyElementsAreDroppedByDefault() throws {
        let found = try places(Self.list, mapping(.drop))
        XCTAssertEqual(found.places, ["2", "3"])
        XCTAssertEqual(found.issues, ["many[6]", "many[7]"])
    }

    func testEmptyElementsAreObjects() throws {
        let mapping = mapping(.object)
        let found = try places(Self.list, mapping)
        XCTAssertEqual(found.places, ["2", "object", "3", "object", "object"])
        XCTAssertEqual(found.issues, ["many[6]", "many[7]"])
        XCTAssertEqual(Set(found.node.relatedKeys(at: 0)).count, 5)
        XCTAssertEqual(
            try encoded(.object(found.node), mapping, found.store),
            #"{"id":1,"many":[{"id":2},{},{"id":3},{},{}]}"#)
    }

    func testEmptyElementsAreGaps() throws {
        let mapping = mapping(.gap)
        let found = try places(Self.list, mapping)
        XCTAssertEqual(found.places, ["2", "gap", "3", "gap", "gap"])
        XCTAssertEqual(found.issues, ["many[6]", "many[7]"])
        XCTAssertEqual(found.store.related(found.node, relationship: 0).count, 2)
        XCTAssertEqual(
            try encoded(.object(found.node), mapping, found.store),
            #"{"id":1,"many":[{"id":2},null,{"id":3},null,null]}"#)
        let byIdentity = self.mapping(.gap, isByIdentity: true)
        let ids = try places("[null,2]", byIdentity)
        XCTAssertEqual(
            try encoded(.object(ids.node), byIdentity, ids.store), #"{"id":1,"many":[null,2]}"#)
    }

    func testListsOfEmptyElementsAlone() throws {
        XCTAssertEqual(try places("[null,{}]", mapping(.gap)).places, ["gap", "gap"])
        XCTAssertEqual(try places("[null]", mapping(.object)).places, ["object"])
        XCTAssertEqual(try places("[]", mapping(.gap)).places, [])
        // Outside of a list, null and an empty object mean no object, whatever `empty` says.
        XCTAssertEqual(try places("{}", mapping(.gap)).places, [])
        XCTAssertEqual(try places("null", mapping(.object)).places, [])
    }

    func testDraftsKeepGapsUntilTheListIsSet() throws {
        let mapping = mapping(.gap)
        let found = try places("[2,null,3]", mapping)
        let objects = found.store.related(found.node, relationship: 0)
        let draft = Draft(copying: found.node)
        XCTAssertEqual(draft.changedCells, [])
        try draft.remove(.object(objects[0]), relationship: 0)
        XCTAssertEqual(
            draft.snapshot().relatedKeys(at: 0), [0, objects[1].storeKey])
        try draft.add(.object(objects[0]), relationship: 0)
        XCTAssertEqual(
            draft.snapshot().relatedKeys(at: 0), [0, objects[1].storeKey, objects[0].storeKey])
        try draft.set([.object(objects[1])], relationship: 0)
        XCTAssertEqual(draft.snapshot().relatedKeys(at: 0), [objects[1].storeKey])
    }

    func testThePolicyReplaceDeletesObjectsAndNoGaps() throws {
        let mapping = mapping(.gap, .replace)
        let first = try places("[2,null,3,null]", mapping)
        let second = try places("[null,3]", mapping, in: first.store)
        XCTAssertEqual(second.places, ["gap", "3"])
        XCTAssertNil(first.store.object(mapping.entity, .integer(2)))
        XCTAssertNotNil(first.store.object(mapping.entity, .integer(3)))
    }

    /// Lists with and without identities, in random order, longer and shorter than what a list
    /// compares without a set.
    func testRandomListsKeepTheirPlaces() throws {
        var random = Seeded(8)
        for _ in 0..<300 {
            let empty = Relationship.EmptyElements.allCases.randomElement(using: &random)!
            var (texts, expected) = ([String](), [String]())
            for _ in 0..<Int.random(in: 0...24, using: &random) {
                let id = Int.random(in: 2...12, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: texts.append("null")
                case 1: texts.append("{}")
                case 2: texts.append("\(id)")
                default: texts.append(#"{"id":\#(id)}"#)
                }
                if texts.last == "null" || texts.last == "{}" {
                    if empty != .drop { expected.append(empty.rawValue) }
                } else if !expected.contains("\(id)") {
                    expected.append("\(id)")
                }
            }
            let list = "[\(texts.joined(separator: ","))]"
            XCTAssertEqual(try places(list, mapping(empty)).places, expected, list)
        }
    }
}
