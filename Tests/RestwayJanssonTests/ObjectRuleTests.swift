import RestwayMapping
import RestwayObjects
import XCTest

final class ObjectRuleTests: XCTestCase {
    private func ids(_ result: MappingResult) -> [Value?] {
        result.rows.map { $0.value(named: "id") }
    }

    func testAnObjectAndAListOfObjectsAreMapped() throws {
        XCTAssertEqual(ids(try map(#"{"id":1}"#)), [.int64(1)])
        XCTAssertEqual(ids(try map(#"[{"id":1},{"id":2}]"#)), [.int64(1), .int64(2)])
    }

    func testWhatIsNotAnObjectYieldsNone() throws {
        let cases: [(json: String, issues: [String])] = [
            ("null", []), ("{}", []), ("[]", []), ("[null,{}]", []), ("[{},{}]", []),
            ("1", [""]), ("1.5", [""]), (#""x""#, [""]), ("true", [""]), ("1e400", [""]),
            ("[1]", ["[0]"]), (#"["x",null,true]"#, ["[0]", "[2]"]), ("[[]]", ["[0]"]),
            (#"[[{"id":1}]]"#, ["[0]"]), (#"[[[[{"id":1}]]]]"#, ["[0]"]),
            (#"{"other":1}"#, [""]), (#"[{"other":{"id":1}}]"#, ["[0]"]),
        ]
        for (json, issues) in cases {
            let result = try map(json)
            XCTAssertEqual(result.rows.count, 0, json)
            XCTAssertEqual(result.paths, issues, json)
            XCTAssertEqual(result.results, [[]], json)
        }
    }

    func testObjectsBesideOtherElementsAreMapped() throws {
        let result = try map(#"[{"id":1},2,null,{},[{"id":3}],{"id":4}]"#)
        XCTAssertEqual(ids(result), [.int64(1), .int64(4)])
        XCTAssertEqual(result.paths, ["[1]", "[4]"])
    }

    func testAKeyPathLeadsToTheObjects() throws {
        let descriptor = [Model.descriptor("a.b")]
        XCTAssertEqual(ids(try map(#"{"x":1,"a":{"b":{"id":1}}}"#, descriptor)), [.int64(1)])
        XCTAssertEqual(ids(try map(#"{"a":{"b":[{"id":1}],"c":0}}"#, descriptor)), [.int64(1)])
        for json in [
            "{}", "null", #"{"a":null}"#, #"{"a":{}}"#, #"{"a":{"b":null}}"#, #"{"b":{"id":1}}"#,
        ] {
            let result = try map(json, descriptor)
            XCTAssertEqual(result.rows.count, 0, json)
            XCTAssertEqual(result.issueCount, 0, json)
        }
        let bad: [(String, String)] = [
            ("[]", ""), ("1", ""), (#"{"a":1}"#, "a"), (#"{"a":[{"b":{"id":1}}]}"#, "a"),
            (#"{"a":{"b":"x"}}"#, "a.b"), (#"{"a":{"b":[7]}}"#, "a.b[0]"),
        ]
        for (json, path) in bad {
            let result = try map(json, descriptor)
            XCTAssertEqual(result.rows.count, 0, json)
            XCTAssertEqual(result.paths, [path], json)
        }
    }

    func testAnIdentityOfAnotherKindIsAnIssueAndTheRowHasNone() throws {
        for value in ["{}", #"{"a":1}"#, "[]", "[1]", "true", "1.5", "1e400"] {
            let result = try map(#"{"id":\#(value),"string":"x"}"#)
            XCTAssertEqual(result.rows.count, 1, value)
            XCTAssertNil(result.rows[0].identity, value)
            XCTAssertEqual(result.paths, ["id"], value)
            XCTAssertEqual(result.rows[0].value(named: "string"), .string("x"))
        }
        XCTAssertNil(try map(#"{"id":null,"string":"x"}"#).rows[0].identity)
        XCTAssertNil(try map(#"{"string":"x"}"#).rows[0].identity)
        XCTAssertEqual(try map(#"{"id":"","string":"x"}"#).rows[0].identity, .string(""))
    }

    func testAnIdentityThatIsAllThereIsAndDoesNotFitMakesNoObject() throws {
        let result = try map(#"[{"id":{}},{"id":[1]}]"#)
        XCTAssertEqual(result.rows.count, 0)
        XCTAssertTrue(result.paths.contains("[0].id"))
    }

    func testDeclaredTypesAreAppliedBeforeIdentitiesAreCompared() throws {
        let store = MemoryStore(keyBefore: 0)
        let int = [Model.descriptor("", Model.mapping([("id", .int), ("name", .string)]))]
        let commit = try store.commit(
            map(#"[{"id":1,"name":"a"},{"id":1.0,"name":"b"},{"id":"1","name":"c"}]"#, int)
                .changeSet)
        XCTAssertEqual(commit.objects.map(\.storeKey), [1, 1, 1])
        let any = MemoryStore(keyBefore: 0)
        let apart = try any.commit(map(#"[{"id":1},{"id":"1"},{"id":1}]"#).changeSet)
        XCTAssertEqual(apart.objects.map(\.storeKey), [1, 2, 1])
    }

    func testTheIdentityMayComeFromAKeyPath() throws {
        let mapping = Model.mapping([("meta.key", .string), ("name", .string)])
        let store = MemoryStore(keyBefore: 0)
        let result = try map(
            #"""
            [{"meta":{"key":"a"},"name":"x"},{"name":"y","meta":{"key":"a"}},
             {"meta":null,"name":"z"}]
            """#,
            [Model.descriptor("", mapping)])
        let commit = try store.commit(result.changeSet)
        XCTAssertEqual(commit.objects.map(\.storeKey), [1, 1, 2])
        XCTAssertEqual(commit.objects[0].value(named: "name"), .string("y"))
    }

    func testAnObjectTwiceInOnePayloadIsOneObjectWithTheLaterAttributes() throws {
        let store = MemoryStore(keyBefore: 0)
        let result = try map(#"[{"id":1,"string":"a","int":1},{"id":2},{"id":1,"string":"b"}]"#)
        let (objects, ranges) = result.objects(of: try store.commit(result.changeSet))
        XCTAssertEqual(ranges, [0..<3])
        XCTAssertTrue(objects[0] === objects[2])
        XCTAssertEqual(objects[0].value(named: "string"), .string("b"))
        XCTAssertEqual(objects[0].value(named: "int"), .int64(1))
        XCTAssertEqual(store.count(nil), 2)
    }

    func testMappingAgainUpdatesWhatIsThereAndLeavesTheRest() throws {
        let store = MemoryStore(keyBefore: 0)
        _ = try store.commit(map(#"{"id":1,"string":"a","double":1}"#).changeSet)
        let commit = try store.commit(map(#"{"id":1,"string":null}"#).changeSet)
        XCTAssertEqual(
            commit.objects[0].present, ["id": .int64(1), "string": .null, "double": .double(1)])
        XCTAssertEqual(store.count(nil), 1)
    }
}
