import RestwayJSON
import RestwayJansson
import RestwayMapping
import RestwayObjects
import XCTest

/// Attributes and relationships that are read from the whole object.
final class WholeObjectTests: XCTestCase {
    private let model = EntityModel()

    /// Address: street, and a raw copy of its object.
    private lazy var address = EntityMapping(
        entity: Entity(
            name: "Address", index: 1,
            attributes: [Attribute(name: "street", type: .string), Attribute(name: "city")],
            relationships: [Relationship(name: "country", targetName: "Country", targetIndex: 2)],
            model: model),
        attributes: [
            AttributeMapping(attribute: 0, source: ["street"], conversion: .string),
            AttributeMapping(attribute: 1, source: ["at", "city"], conversion: .any),
        ],
        relationships: [RelationshipMapping(relationship: 0, source: [])])

    private lazy var country = EntityMapping(
        entity: Entity(
            name: "Country", index: 2, attributes: [Attribute(name: "code", type: .string)],
            identityIndex: 0, model: model),
        attributes: [AttributeMapping(attribute: 0, source: ["country"], conversion: .string)])

    /// Person: id, raw (the whole object), address (of the whole object), friends.
    private lazy var person = EntityMapping(
        entity: Entity(
            name: "Person", index: 0,
            attributes: [
                Attribute(name: "id", type: .int), Attribute(name: "raw", type: .json),
            ],
            relationships: [
                Relationship(name: "address", targetName: "Address", targetIndex: 1),
                Relationship(
                    name: "friends", targetName: "Person", targetIndex: 0, isMany: true),
            ],
            identityIndex: 0, model: model),
        attributes: [
            AttributeMapping(attribute: 0, source: ["id"], conversion: .int),
            AttributeMapping(attribute: 1, source: [], conversion: .json),
        ],
        relationships: [
            RelationshipMapping(relationship: 0, source: []),
            RelationshipMapping(relationship: 1, source: ["friends"]),
        ])

    private var mappings: [EntityMapping] { [person, address, country] }

    private func mapped(
        _ json: String
    ) throws -> (result: MappingResult, store: MemoryStore, commit: Commit) {
        let plan = MappingPlan([ResponseDescriptor(mapping: person)], entities: mappings)
        let result = try map(json, plan)
        let store = MemoryStore(keyBefore: 0)
        return (result, store, try store.commit(result.changeSet))
    }

    func testAnAttributeIsTheTextOfTheObject() throws {
        let (result, _, _) = try mapped(#"[{"id": 1, "x": [true, null]}, {"y": 2}]"#)
        XCTAssertEqual(
            result.results[0].map { result.rows[$0].value(at: 1) },
            [.json(#"{"id":1,"x":[true,null]}"#), .json(#"{"y":2}"#)])
        XCTAssertEqual(result.paths, [])
    }

    func testARelationshipIsReadFromTheSameObject() throws {
        let (result, store, commit) = try mapped(
            #"{"id":1,"street":"A","at":{"city":"B"},"country":"CH"}"#)
        XCTAssertEqual(result.paths, [])
        let object = commit.objects[result.results[0][0]]
        let addresses = store.related(object, relationship: 0)
        XCTAssertEqual(addresses.map { $0.value(at: 0) }, [.string("A")])
        XCTAssertEqual(addresses.map { $0.value(at: 1) }, [.string("B")])
        let countries = store.related(addresses[0], relationship: 0)
        XCTAssertEqual(countries.map { $0.value(at: 0) }, [.string("CH")])
    }

    func testAnObjectWithoutItsPartsHasNoLink() throws {
        let (result, store, commit) = try mapped(
            #"[{"id":1},{"id":2,"country":"CH"},{},{"id":3,"street":null}]"#)
        XCTAssertEqual(result.paths, [])
        let objects = result.results[0].map { commit.objects[$0] }
        XCTAssertEqual(objects.map { $0.value(at: 0) }, [.int64(1), .int64(2), .int64(3)])
        XCTAssertEqual(
            objects.map { store.related($0, relationship: 0).count }, [0, 1, 1])
        XCTAssertEqual(objects[0].relationshipCell(at: 0).kind, .absent)
    }

    func testNestedObjectsHaveTheirOwnParts() throws {
        let (result, store, commit) = try mapped(
            #"{"id":1,"street":"A","friends":[{"id":2,"street":"B"},{"id":3},7,{"id":2}]}"#)
        XCTAssertEqual(result.paths, [])
        let object = commit.objects[result.results[0][0]]
        let friends = store.related(object, relationship: 1)
        XCTAssertEqual(friends.map { $0.value(at: 0) }, [.int64(2), .int64(3), .int64(7)])
        XCTAssertEqual(
            friends.map { store.related($0, relationship: 0).map { $0.value(at: 0) } },
            [[.string("B")], [], []])
    }

    func testThePartsAreWrittenBesideTheOthers() throws {
        let (result, store, commit) = try mapped(
            #"{"id":1,"street":"A","at":{"city":"B"},"country":"CH","x":5}"#)
        let object = commit.objects[result.results[0][0]]
        var encoder = ObjectEncoder(
            mappings: mappings, options: EncodingOptions(), json: JanssonMapper(),
            newest: { store.newest($0, storeKey: $1) })
        let value = WireValue.object(try encoder.encode(.object(object), person))
        let reader = ValueReader(value, json: JanssonMapper(), limits: MappingLimits())
        let text = String(decoding: try JanssonMapper().encode(reader), as: UTF8.self)
        XCTAssertEqual(text, #"{"id":1,"street":"A","at":{"city":"B"},"country":"CH"}"#)
    }

    func testAMapIsTheWholeObject() throws {
        let entity = Entity(
            name: "Counts", index: 0,
            attributes: [Attribute(name: "all", shape: .map(.one(.int)))])
        let mapping = EntityMapping(
            entity: entity,
            attributes: [
                AttributeMapping(
                    attribute: 0, source: [], conversion: ValueConversion(.map(.one(.int))))
            ])
        let result = try map(
            #"[{"b":1,"a":2},{"c":"x"}]"#,
            MappingPlan([ResponseDescriptor(mapping: mapping)]))
        XCTAssertEqual(result.rows[0].value(at: 0), .json(#"{"a":2,"b":1}"#))
        XCTAssertEqual(result.paths.first, "[1]")
    }
}
