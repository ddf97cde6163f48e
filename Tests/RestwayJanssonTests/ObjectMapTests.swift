import RestwayJSON
import RestwayJansson
import RestwayMapping
import RestwayObjects
import XCTest

/// Relationships whose JSON is an object with free keys.
final class ObjectMapTests: XCTestCase {
    private let model = EntityModel()

    private func person(_ key: AttributeType, isIdentity: Bool) -> EntityMapping {
        EntityMapping(
            entity: Entity(
                name: "Person", index: 1,
                attributes: [
                    Attribute(name: "nick", type: key), Attribute(name: "age", type: .int),
                    Attribute(name: "id", type: .int),
                ],
                identityIndex: isIdentity ? 0 : 2, model: model),
            attributes: [
                AttributeMapping(attribute: 0, source: ["nick"], conversion: ValueConversion(key)),
                AttributeMapping(attribute: 1, source: ["age"], conversion: .int),
                AttributeMapping(attribute: 2, source: ["id"], conversion: .int),
            ])
    }

    /// The team that was made last, so that answers that follow each other are of one entity.
    private var newest: (person: EntityMapping, policy: Relationship.Policy, team: EntityMapping)?

    private func team(
        _ person: EntityMapping, _ policy: Relationship.Policy = .assign,
        isByIdentity: Bool = false
    ) throws -> EntityMapping {
        if isByIdentity { return try made(person, policy, isByIdentity: true) }
        if let newest, newest.person === person, newest.policy == policy { return newest.team }
        let team = try made(person, policy, isByIdentity: false)
        newest = (person, policy, team)
        return team
    }

    private func made(
        _ person: EntityMapping, _ policy: Relationship.Policy, isByIdentity: Bool
    ) throws -> EntityMapping {
        EntityMapping(
            entity: Entity(
                name: "Team", index: 0,
                attributes: [Attribute(name: "id", type: .int), Attribute(name: "chief")],
                relationships: [
                    Relationship(
                        name: "members", targetName: "Person", targetIndex: 1, isMany: true,
                        policy: policy)
                ],
                identityIndex: 0, model: model),
            attributes: [
                AttributeMapping(attribute: 0, source: ["id"], conversion: .int),
                // One key of the map is an attribute of the team, too.
                AttributeMapping(
                    attribute: 1, source: ["members", "chief"], conversion: .any),
            ],
            relationships: [
                RelationshipMapping(
                    relationship: 0, source: ["members"],
                    form: isByIdentity ? .identity : .object,
                    mapKey: try XCTUnwrap(MapKey(person.attributes[0])))
            ])
    }

    private struct Found {
        let team: Snapshot
        let members: [[Value]]
        let issues: [String]
        let store: MemoryStore
    }

    private func read(
        _ members: String, _ person: EntityMapping, _ policy: Relationship.Policy = .assign,
        in store: MemoryStore = MemoryStore(keyBefore: 0)
    ) throws -> Found {
        let team = try team(person, policy)
        let plan = MappingPlan([ResponseDescriptor(mapping: team)], entities: [team, person])
        let result = try map(#"{"id":1,"members":\#(members)}"#, plan)
        let commit = try store.commit(result.changeSet)
        let object = commit.objects[result.results[0][0]]
        let members = store.related(object, relationship: 0).map { member in
            (0..<2).map(member.value(at:))
        }
        return Found(
            team: object, members: members,
            issues: result.issues.map { "\($0.keyPath): \($0.reason)" }, store: store)
    }

    private func written(
        _ found: Found, _ person: EntityMapping, isByIdentity: Bool = false
    ) throws -> String {
        let team = try team(person, isByIdentity: isByIdentity)
        var encoder = ObjectEncoder(
            mappings: [team, person], options: EncodingOptions(), json: JanssonMapper(),
            newest: { found.store.newest($0, storeKey: $1) })
        let value = WireValue.object(try encoder.encode(.object(found.team), team))
        let reader = ValueReader(value, json: JanssonMapper(), limits: MappingLimits())
        return String(decoding: try JanssonMapper().encode(reader), as: UTF8.self)
    }

    func testTheKeyBecomesAnAttribute() throws {
        for isIdentity in [true, false] {
            let person = person(.string, isIdentity: isIdentity)
            let found = try read(#"{"ann":{"age":31},"":{"age":1},"b.c":{}}"#, person)
            XCTAssertEqual(
                found.members,
                [
                    [.string("ann"), .int64(31)], [.string(""), .int64(1)],
                    [.string("b.c"), .absent],
                ])
            XCTAssertEqual(found.issues, [])
            XCTAssertEqual(
                try written(found, person),
                #"{"id":1,"members":{"ann":{"age":31},"":{"age":1},"b.c":{}}}"#)
        }
    }

    func testAKeyMayBeANumber() throws {
        let person = person(.int, isIdentity: true)
        let found = try read(#"{"7":{"age":1},"x":{"age":2}}"#, person)
        XCTAssertEqual(found.members, [[.int64(7), .int64(1)], [.absent, .int64(2)]])
        XCTAssertEqual(
            found.issues,
            [
                "members.x: expected an integer, or a string with one, found a string of another"
                    + " form"
            ])
    }

    func testAnEntryMayBeAnIdentityAndNullIsNoObject() throws {
        let person = person(.string, isIdentity: false)
        let found = try read(#"{"ann":5,"bob":null,"eve":{"id":6}}"#, person)
        XCTAssertEqual(
            found.members, [[.string("ann"), .absent], [.string("eve"), .absent]])
        XCTAssertEqual(found.issues, [])
        XCTAssertEqual(
            try written(found, person, isByIdentity: true),
            #"{"id":1,"members":{"ann":5,"eve":6}}"#)
    }

    func testValuesInsideWinOverTheKey() throws {
        let found = try read(
            #"{"a":{"nick":"b"},"c":{"nick":null}}"#, person(.string, isIdentity: false))
        XCTAssertEqual(found.members, [[.string("b"), .absent], [.null, .absent]])
    }

    func testAKnownKeyIsNoEntry() throws {
        let found = try read(#"{"ann":{},"chief":"Eve"}"#, person(.string, isIdentity: true))
        XCTAssertEqual(found.members, [[.string("ann"), .absent]])
        XCTAssertEqual(found.team.value(at: 1), .string("Eve"))
    }

    func testEmptyMissingAndWrongMaps() throws {
        let person = person(.string, isIdentity: true)
        let first = try read(#"{"ann":{"age":1},"bob":{}}"#, person)
        let store = first.store
        XCTAssertEqual(try read(#"{"bob":{"age":2}}"#, person, in: store).members.count, 1)
        XCTAssertEqual(try read("{}", person, in: store).members, [])
        _ = try read(#"{"bob":{}}"#, person, in: store)
        XCTAssertEqual(try read("null", person, in: store).members, [])
        _ = try read(#"{"bob":{}}"#, person, in: store)
        for (json, issue) in [
            ("[1]", "members: expected an object, found a list"),
            ("7", "members: expected an object, found an integer"),
            (#"{"x":[]}"#, "members.x: expected an object, found a list"),
        ] {
            let found = try read(json, person, in: store)
            XCTAssertEqual(found.members.count, 1, json)
            XCTAssertEqual(found.issues, [issue], json)
        }
    }

    func testPoliciesApplyToMaps() throws {
        let person = person(.string, isIdentity: true)
        let merged = try read(#"{"ann":{}}"#, person, .merge)
        let both = try read(#"{"bob":{},"ann":{"age":2}}"#, person, .merge, in: merged.store)
        XCTAssertEqual(both.members.map { $0[0] }, [.string("ann"), .string("bob")])
        let store = try read(#"{"ann":{}}"#, person, .replace).store
        let replaced = try read(#"{"bob":{}}"#, person, .replace, in: store)
        XCTAssertEqual(replaced.members.count, 1)
        XCTAssertNil(store.object(person.entity, .string("ann")))
    }

    func testAnObjectWithoutAKeyCannotBeSent() throws {
        let person = person(.string, isIdentity: false)
        let found = try read(#"{"a":{"nick":null}}"#, person)
        XCTAssertThrowsError(try written(found, person)) { error in
            guard case EncodingError.noKey("Team", "members", "Person") = error else {
                return XCTFail("\(error)")
            }
        }
    }

    /// Maps with random keys keep every entry, and are written as they were.
    func testRandomMapsAreWrittenAsTheyWereRead() throws {
        var random = Seeded(4)
        let person = person(.string, isIdentity: true)
        for _ in 0..<200 {
            var entries: [(key: String, age: Int)] = []
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                let key = "k\(Int.random(in: 0..<40, using: &random))"
                guard !entries.contains(where: { $0.key == key }) else { continue }
                entries.append((key, Int.random(in: 0...99, using: &random)))
            }
            let text = entries.map { #""\#($0.key)":{"age":\#($0.age)}"# }.joined(separator: ",")
            let found = try read("{\(text)}", person)
            XCTAssertEqual(
                found.members, entries.map { [.string($0.key), .int64(Int64($0.age))] })
            XCTAssertEqual(try written(found, person), #"{"id":1,"members":{\#(text)}}"#)
        }
    }
}
