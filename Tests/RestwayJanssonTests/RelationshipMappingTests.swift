import RestwayJansson
import RestwayMapping
import RestwayObjects
import XCTest

/// The forms that a relationship may have in a payload, and the result of each.
final class RelationshipMappingTests: XCTestCase {
    private static let model = EntityModel()

    /// Node: id, name, one (to-one), many (to-many, at "deep.many").
    private static let mapping: EntityMapping = {
        let node = Entity(
            name: "Node", index: 0,
            attributes: [Attribute(name: "id"), Attribute(name: "name", type: .string)],
            relationships: [
                Relationship(name: "one", targetName: "Node", targetIndex: 0),
                Relationship(name: "many", targetName: "Node", targetIndex: 0, isMany: true),
            ],
            identityIndex: 0, model: model)
        return EntityMapping(
            entity: node,
            attributes: [
                AttributeMapping(attribute: 0, source: ["id"], conversion: .any),
                AttributeMapping(attribute: 1, source: ["name"], conversion: .string),
            ],
            relationships: [
                RelationshipMapping(relationship: 0, source: ["one"]),
                RelationshipMapping(relationship: 1, source: ["deep", "many"]),
            ])
    }()

    private func read(_ json: String, objectsMax: Int = 1_000) throws -> MappingResult {
        let limits = MappingLimits(objectsMax: objectsMax)
        let machine = MappingMachine(
            plan: MappingPlan(
                [ResponseDescriptor(mapping: Self.mapping)], entities: [Self.mapping]),
            limits: limits)
        try Array(json.utf8).withUnsafeBytes {
            try JanssonMapper().decode($0, into: machine, limits: limits)
        }
        return try machine.finish()
    }

    /// `id(one=…; many=…)` of every object, by identity.
    private func graph(_ json: String, issues: [String] = []) throws -> [String] {
        let result = try read(json)
        XCTAssertEqual(result.paths, issues, json)
        let store = MemoryStore(keyBefore: 0)
        _ = try store.commit(result.changeSet)
        return store.objects(Query(Self.mapping.entity, .all)).map { object in
            let names = [0, 1].map { index in
                let cell = object.relationshipCell(at: index)
                guard cell.kind == .object || cell.isList else { return "\(cell.kind)" }
                return store.related(object, relationship: index).map(name).joined(separator: ",")
            }
            return "\(name(object))(\(names[0]);\(names[1]))"
        }
    }

    private func name(_ object: Snapshot) -> String {
        switch object.identity {
        case .integer(let id): "\(id)"
        case .string(let id): "'\(id)'"
        case nil: object.string(at: 1) ?? "-"
        }
    }

    /// Identity and name of each row of the payload.
    private func rows(_ json: String) throws -> [String] {
        try read(json).changeSet.rows.map { "\(name($0)) \($0.string(at: 1) ?? "-")" }
    }

    func testWhatIsToldAgainIsTheRowThatToldItLast() throws {
        let cases: [(json: String, rows: [String])] = [
            // Bare identities, and objects without new values.
            (
                #"[{"id":1,"deep":{"many":[7,8,7]}},{"id":2,"one":7,"deep":{"many":[8]}}]"#,
                ["1 -", "7 -", "8 -", "2 -"]
            ),
            (
                #"[{"id":1,"one":{"id":9,"name":"x"}},{"id":2,"one":{"id":9,"name":"x"}},"#
                    + #"{"id":3,"one":9}]"#,
                ["1 -", "9 x", "2 -", "3 -"]
            ),
            (
                #"[{"id":1,"one":"a"},{"id":2,"one":"a"},{"id":3,"one":"b"}]"#,
                ["1 -", "'a' -", "2 -", "3 -", "'b' -"]
            ),
            // 1 and "1" are different objects. Objects without identity are different, too.
            (#"[{"id":5,"one":1},{"id":6,"one":"1"}]"#, ["5 -", "1 -", "6 -", "'1' -"]),
            (
                #"[{"id":5,"one":{"name":"x"}},{"id":6,"one":{"name":"x"}}]"#,
                ["5 -", "x x", "6 -", "x x"]
            ),
            // A row with new values stays. A row that repeats an overwritten value stays, too.
            (
                #"[{"id":1,"one":9},{"id":2,"one":{"id":9,"name":"x"}},"#
                    + #"{"id":3,"one":{"id":9,"name":"y"}},{"id":4,"one":{"id":9,"name":"x"}}]"#,
                ["1 -", "9 -", "2 -", "9 x", "3 -", "9 y", "4 -", "9 x"]
            ),
            // A result, which has a row of its own, also links it.
            (
                #"[{"id":1,"one":{"id":2,"name":"x"}},{"id":2,"name":"y"},"#
                    + #"{"id":3,"one":{"id":2,"name":"x"}}]"#,
                ["1 -", "2 x", "2 y", "3 -", "2 x"]
            ),
            (#"[{"id":1,"name":"x"},{"id":1,"name":"x"}]"#, ["1 x", "1 x"]),
            // Everything linked to it is included.
            (
                #"[{"id":1,"one":{"id":7,"one":8}},{"id":2,"one":{"id":7,"one":8}}]"#,
                ["1 -", "7 -", "8 -", "2 -"]
            ),
        ]
        for (json, expected) in cases {
            XCTAssertEqual(try rows(json), expected, json)
        }
        XCTAssertEqual(
            try graph(
                #"[{"id":1,"one":{"id":2,"name":"x"}},{"id":2,"name":"y"},{"id":3,"one":2}]"#),
            ["1(2;absent)", "2(absent;absent)", "3(2;absent)"])
    }

    func testHooksSeeARowForEachPlaceThatTellsAboutAnObject() throws {
        let descriptor = ResponseDescriptor(mapping: Self.mapping, hook: "any")
        let machine = MappingMachine(plan: MappingPlan([descriptor], entities: [Self.mapping]))
        try Array(#"[{"id":1,"one":7},{"id":2,"one":7}]"#.utf8).withUnsafeBytes {
            try JanssonMapper().decode($0, into: machine, limits: MappingLimits())
        }
        XCTAssertEqual(try machine.finish().changeSet.rows.map(name), ["1", "7", "2", "7"])
    }

    func testManyIdentitiesAreLinkedRight() throws {
        let count = 3_000
        let json = (0..<count).map { #"{"id":\#($0),"one":"p\#($0 * 7 % 1_000)"}"# }
        let result = try read("[" + json.joined(separator: ",") + "]", objectsMax: 10_000)
        XCTAssertLessThan(result.changeSet.rows.count, count + 2_000)
        let store = MemoryStore()
        let (objects, _) = result.objects(of: try store.commit(result.changeSet))
        XCTAssertEqual(objects.count, count)
        XCTAssertEqual(store.statistics().objectCount, count + 1_000)
        for (index, object) in objects.enumerated() {
            XCTAssertEqual(
                store.related(object, relationship: 0).map(name), ["'p\(index * 7 % 1_000)'"])
        }
    }

    func testInputForms() throws {
        let cases: [(json: String, graph: [String])] = [
            (#"{"id":1}"#, ["1(absent;absent)"]),
            (#"{"id":1,"one":null,"deep":{"many":null}}"#, ["1(null;)"]),
            (#"{"id":1,"one":null,"deep":null}"#, ["1(null;)"]),
            (#"{"id":1,"one":{},"deep":{"many":{}}}"#, ["1(null;)"]),
            (#"{"id":1,"one":[],"deep":{"many":[]}}"#, ["1(null;)"]),
            (#"{"id":1,"one":2}"#, ["1(2;absent)", "2(absent;absent)"]),
            (#"{"id":1,"one":"2"}"#, ["1('2';absent)", "'2'(absent;absent)"]),
            (#"{"id":1,"one":{"id":2,"one":1}}"#, ["1(2;absent)", "2(1;absent)"]),
            (#"{"id":1,"one":[2,3]}"#, ["1(2;absent)", "2(absent;absent)"]),
            (#"{"id":1,"one":[{"id":2},{"id":3}]}"#, ["1(2;absent)", "2(absent;absent)"]),
            (#"{"id":1,"one":[null,2]}"#, ["1(null;absent)"]),
            (#"{"id":1,"deep":{"many":2}}"#, ["1(absent;2)", "2(absent;absent)"]),
            (#"{"id":1,"deep":{"many":{"id":2}}}"#, ["1(absent;2)", "2(absent;absent)"]),
            (
                #"{"id":1,"deep":{"many":[2,{"id":3,"deep":{"many":[1,2]}},null,{},"x",2]}}"#,
                ["1(absent;2,3,'x')", "2(absent;absent)", "3(absent;1,2)", "'x'(absent;absent)"]
            ),
            (#"{"id":1,"one":{"name":"a"}}"#, ["1(a;absent)", "a(absent;absent)"]),
            (#"{"id":1,"one":1,"deep":{"many":[1]}}"#, ["1(1;1)"]),
            (#"[{},null,{"id":1,"one":{}},{}]"#, ["1(null;absent)"]),
            (#"[{},{"id":1,"one":{"id":2}},{},{"id":2,"one":1}]"#, ["1(2;absent)", "2(1;absent)"]),
        ]
        for (json, expected) in cases { XCTAssertEqual(try graph(json), expected, json) }
    }

    func testWhatDoesNotFitIsReportedAndLeftOut() throws {
        let cases: [(json: String, issues: [String], graph: [String])] = [
            (#"{"id":1,"one":true}"#, ["one"], ["1(absent;absent)"]),
            (#"{"id":1,"one":1.5}"#, ["one"], ["1(absent;absent)"]),
            (#"{"id":1,"one":{"zip":1}}"#, ["one"], ["1(absent;absent)"]),
            (#"{"id":1,"one":[[2]]}"#, ["one[0]"], ["1(absent;absent)"]),
            (#"{"id":1,"one":[true,2]}"#, ["one[0]"], ["1(absent;absent)"]),
            (#"{"id":1,"one":[{"zip":1},2]}"#, ["one[0]"], ["1(absent;absent)"]),
            (
                #"{"id":1,"deep":{"many":[2,true,[3],{"zip":1},4]}}"#,
                ["deep.many[1]", "deep.many[2]", "deep.many[3]"],
                ["1(absent;2,4)", "2(absent;absent)", "4(absent;absent)"]
            ),
            (#"{"id":1,"deep":[1]}"#, ["deep"], ["1(absent;absent)"]),
            (#"{"id":1,"deep":1}"#, ["deep"], ["1(absent;absent)"]),
            ("[1,2]", ["[0]", "[1]"], []),
        ]
        for (json, issues, expected) in cases {
            XCTAssertEqual(try graph(json, issues: issues), expected, json)
        }
    }

    func testRowsStandInTheOrderOfThePayloadAndTheLaterOccurrenceWins() throws {
        let json = #"[{"id":1,"name":"a","one":{"id":2,"name":"b","one":{"id":1,"name":"c"}}}]"#
        let result = try read(json)
        XCTAssertEqual(result.rows.map { $0.string(at: 1) }, ["a", "b", "c"])
        XCTAssertEqual(result.results, [[0]])
        let store = MemoryStore(keyBefore: 0)
        let commit = try store.commit(result.changeSet)
        XCTAssertEqual(commit.objects.map { $0.string(at: 1) }, ["c", "b", "c"])
        XCTAssertEqual(store.count(nil), 2)
    }

    func testRelatedObjectsCountForTheLimit() throws {
        let json = #"{"id":1,"deep":{"many":[2,3,4]}}"#
        XCTAssertEqual(try read(json, objectsMax: 4).rows.count, 4)
        XCTAssertThrowsError(try read(json, objectsMax: 3)) {
            XCTAssertEqual($0 as? MappingFailure, .tooManyObjects(max: 3))
        }
    }

    func testManyLinksOfManyRowsAtOnce() throws {
        let inner = (0..<200).map { #"{"id":\#($0 + 1000),"deep":{"many":[\#($0),\#($0 + 1)]}}"# }
        let json = #"{"id":1,"deep":{"many":[\#(inner.joined(separator: ","))]}}"#
        let store = MemoryStore(keyBefore: 0)
        let commit = try store.commit(try read(json).changeSet)
        let many = store.related(commit.objects[0], relationship: 1)
        XCTAssertEqual(many.map(name), (1000..<1200).map(String.init))
        XCTAssertEqual(store.related(many[7], relationship: 1).map(name), ["7", "8"])
    }
}
