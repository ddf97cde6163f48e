import RestwayJSON
import RestwayJansson
import RestwayMapping
import RestwayObjects
import XCTest

/// Constants and listed values: how they are read and written.
final class ValueRulesTests: XCTestCase {
    private static func rules(
        constant: Value? = nil, listed: [Value] = [], isClosed: Bool = false
    ) -> ValueRules {
        var rules = ValueRules()
        (rules.constant, rules.listed, rules.isClosed) = (constant, listed, isClosed)
        return rules
    }

    /// An entity with an identity, an attribute `v` at "a.v" with rules, and links to itself.
    private func mapping(
        _ shape: ValueShape, _ rules: ValueRules, _ conversion: ValueConversion? = nil
    ) -> EntityMapping {
        let entity = Entity(
            name: "Thing", index: 0,
            attributes: [
                Attribute(name: "id", type: .int), Attribute(name: "v", shape: shape, rules: rules),
            ],
            relationships: [
                Relationship(name: "others", targetName: "Thing", targetIndex: 0, isMany: true)
            ],
            identityIndex: 0)
        let own = conversion ?? ValueConversion(shape.innermost)
        return EntityMapping(
            entity: entity,
            attributes: [
                AttributeMapping(attribute: 0, source: ["id"], conversion: .int),
                AttributeMapping(
                    attribute: 1, source: ["a", "v"],
                    conversion: ValueConversion(
                        shape, innermost: rules.accepted.map { .among($0, own) } ?? own)),
            ],
            relationships: [RelationshipMapping(relationship: 0, source: ["others"])])
    }

    private func read(
        _ json: String, _ mapping: EntityMapping
    ) throws -> (value: Value, issues: [String]) {
        let plan = MappingPlan([ResponseDescriptor(mapping: mapping)], entities: [mapping])
        let result = try map(#"{"id":1,"a":\#(json)}"#, plan)
        return (result.rows[0].value(at: 1), result.issues.map { "\($0.keyPath): \($0.reason)" })
    }

    func testAConstantIsCheckedWhenItIsRead() throws {
        let people = mapping(.one(.string), Self.rules(constant: .string("people")))
        XCTAssertEqual(try read(#"{"v":"people"}"#, people).value, .string("people"))
        XCTAssertEqual(try read(#"{"v":"people"}"#, people).issues, [])
        for (json, found) in [
            (#"{"v":"cars"}"#, #""cars""#), (#"{"v":null}"#, "null"),
        ] {
            let (value, issues) = try read(json, people)
            XCTAssertEqual(value, .absent, json)
            XCTAssertEqual(issues, [#"a.v: expected "people", found \#(found)"#], json)
        }
        XCTAssertEqual(
            try read(#"{"v":7}"#, people).issues, ["a.v: expected a string, found an integer"])
        // Null above the constant is no value of it.
        XCTAssertEqual(try read("null", people).value, .absent)
        XCTAssertEqual(try read("null", people).issues, [])
        XCTAssertEqual(try read("{}", people).value, .absent)
    }

    func testAConstantIsReadThroughItsConversion() throws {
        let conversion = ValueConversion.boolWords(try XCTUnwrap(BoolWords()))
        let flag = mapping(.one(.bool), Self.rules(constant: .bool(true)), conversion)
        XCTAssertEqual(try read(#"{"v":"yes"}"#, flag).value, .bool(true))
        XCTAssertEqual(
            try read(#"{"v":"no"}"#, flag).issues, ["a.v: expected true, found false"])
        let object = Snapshot.make(flag.entity, [.int64(1)])
        XCTAssertEqual(try encoded(.object(object), flag), #"{"id":1,"a":{"v":"true"}}"#)
    }

    func testAConstantIsAlwaysWritten() throws {
        let people = mapping(.one(.string), Self.rules(constant: .string("people")))
        let never = Snapshot.make(people.entity, [.int64(1)])
        XCTAssertEqual(try encoded(.object(never), people), #"{"id":1,"a":{"v":"people"}}"#)
        // A file may have another value from an earlier document.
        let other = Snapshot.make(people.entity, [.int64(1), .string("cars")])
        XCTAssertEqual(try encoded(.object(other), people), #"{"id":1,"a":{"v":"people"}}"#)
        var changed = EncodingOptions()
        changed.isChangedOnly = true
        let draft = Draft(people.entity)
        XCTAssertEqual(
            try encoded(.draft(draft.capture()), people, nil, changed), #"{"a":{"v":"people"}}"#)
    }

    func testAnObjectThatWasWrittenBeforeHasItsConstants() throws {
        let people = mapping(.one(.string), Self.rules(constant: .string("people")))
        let store = MemoryStore(keyBefore: 0)
        let row = Snapshot.make(
            people.entity, [.int64(1), .absent, .links([Cell.reference(toRow: 0)])])
        let object = try store.commit(ChangeSet(rows: [row])).objects[0]
        XCTAssertEqual(
            try encoded(.object(object), people, store),
            #"{"id":1,"a":{"v":"people"},"others":[{"id":1,"a":{"v":"people"}}]}"#)
    }

    func testDraftsHaveConstantsAndRefuseOtherValues() throws {
        let people = mapping(.one(.string), Self.rules(constant: .string("people")))
        let draft = Draft(people.entity)
        XCTAssertEqual(draft.snapshot().value(at: 1), .string("people"))
        XCTAssertEqual(draft.changedCells, [])
        try draft.set(.string("people"), attribute: 1)
        for value in [Value.string("cars"), .null] {
            XCTAssertThrowsError(try draft.set(value, attribute: 1)) { error in
                XCTAssertTrue((error as? DraftError)?.message.hasPrefix("Thing.v takes \"people\"")
                    ?? false)
            }
        }
    }

    func testAClosedListRefusesOtherValues() throws {
        let listed: [Value] = [.string("open"), .string("closed")]
        let closed = mapping(.one(.string), Self.rules(listed: listed, isClosed: true))
        XCTAssertEqual(try read(#"{"v":"open"}"#, closed).value, .string("open"))
        XCTAssertEqual(try read(#"{"v":null}"#, closed).value, .null)
        let (value, issues) = try read(#"{"v":"new"}"#, closed)
        XCTAssertEqual(value, .absent)
        XCTAssertEqual(issues, [#"a.v: expected one of "open", "closed", found "new""#])
        let draft = Draft(closed.entity)
        try draft.set(.null, attribute: 1)
        XCTAssertThrowsError(try draft.set(.string("new"), attribute: 1)) { error in
            XCTAssertEqual(
                (error as? DraftError)?.message,
                #"Thing.v takes one of "open", "closed", not "new""#)
        }
        let long = String(repeating: "x", count: 40)
        XCTAssertEqual(
            try read(#"{"v":"\#(long)"}"#, closed).issues,
            [#"a.v: expected one of "open", "closed", found "\#(long.prefix(32))…""#])
        let list = mapping(.list(.one(.string)), Self.rules(listed: listed, isClosed: true))
        let elements = try read(#"{"v":["open","new",null]}"#, list)
        XCTAssertEqual(elements.value, .json(#"["open",null]"#))
        XCTAssertEqual(
            elements.issues, [#"a.v[1]: expected one of "open", "closed", found "new""#])
    }

    func testAnOpenListKeepsOtherValues() throws {
        let rules = Self.rules(listed: [.string("open"), .string("closed")])
        let open = mapping(.one(.string), rules)
        XCTAssertEqual(try read(#"{"v":"new"}"#, open).value, .string("new"))
        XCTAssertEqual(try read(#"{"v":"new"}"#, open).issues, [])
        XCTAssertTrue(rules.lists(.string("open")) && rules.lists(.null) && rules.lists(.absent))
        XCTAssertFalse(rules.lists(.string("new")))
        // Servers tell different encodings of one letter apart.
        let letter = Self.rules(listed: [.string("\u{E9}")])
        XCTAssertFalse(letter.lists(.string("e\u{301}")))
    }

    func testAnIdentityAloneIsNotedForDefaults() throws {
        var rules = ValueRules()
        rules.initial = .string("new")
        let mapping = mapping(.one(.string), rules)
        let plan = MappingPlan([ResponseDescriptor(mapping: mapping)], entities: [mapping])
        let result = try map(
            #"[{"id":1,"others":[7,{"id":7},[],8,7,{}]},{"id":2,"others":[8]}]"#, plan)
        let named = result.changeSet.identityRows.map { result.rows[$0].value(at: 0) }
        XCTAssertEqual(Set(named.map { "\($0)" }), ["int64(7)", "int64(8)"])
        // The object {"id": 7} is no identity alone, and has a row of its own.
        let whole = result.rows.indices.filter {
            result.rows[$0].value(at: 0) == .int64(7)
                && !result.changeSet.identityRows.contains($0)
        }
        XCTAssertEqual(whole.count, 1)
    }
}
