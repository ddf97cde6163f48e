import RandomRounds
import RestwayJSON
import RestwayJansson
import RestwayMapping
import RestwayObjects
import XCTest

/// Lists and maps of values: how they are read, kept and written.
final class CollectionTests: XCTestCase {
    private func map(
        _ json: String, _ shape: ValueShape, _ innermost: ValueConversion? = nil
    ) throws -> (value: Value, issues: [MappingIssue]) {
        let plan = MappingPlan([ResponseDescriptor(mapping: Model.mapping(ofV: shape, innermost))])
        let result = try RestwayJanssonTests.map(#"{"id":1,"v":\#(json)}"#, plan)
        return (result.rows[0].value(named: "v") ?? .absent, result.issues)
    }

    private func expect(
        _ json: String, _ shape: ValueShape, _ text: String?, issues: [String] = [],
        file: StaticString = #filePath, line: UInt = #line
    ) throws {
        let (value, found) = try map(json, shape)
        XCTAssertEqual(value, text.map(Value.json) ?? .absent, file: file, line: line)
        XCTAssertEqual(
            found.map { "\($0.keyPath): \($0.reason)" }, issues, file: file, line: line)
    }

    func testEachTypeHasOneCanonicalText() throws {
        try expect(
            #"[ "a" , "\u0041\n", "é", null ]"#, .list(.one(.string)), #"["a","A\n","é",null]"#)
        try expect("[1, 2.0, -0]", .list(.one(.int)), "[1,2,0]")
        try expect("[1, 2.50, 1e2]", .list(.one(.double)), "[1.0,2.5,100.0]")
        try expect("[true,false]", .list(.one(.bool)), "[true,false]")
        try expect(
            #"["2024-02-29", "2024-02-29T01:00:00.5+01:00"]"#, .list(.one(.date)),
            #"["2024-02-29T00:00:00Z","2024-02-29T00:00:00.500Z"]"#)
        try expect(#"["AAE"]"#, .list(.one(.bytes)), #"["AAE="]"#)
        try expect(
            #"[{"a" : [1, {}]}, "b", [], 1]"#, .list(.one(.json)), #"[{"a":[1,{}]},"b",[],1]"#)
        try expect(
            #"[18446744073709551616, {"a":null}]"#, .list(.one(.any)),
            #"[18446744073709551616,{"a":null}]"#)
        try expect("[]", .list(.one(.string)), "[]")
        try expect("{}", .map(.one(.string)), "{}")
    }

    func testListsAndMapsNest() throws {
        try expect("[[1.0,2],[],null]", .list(.list(.one(.int))), "[[1,2],[],null]")
        try expect(#"{"b":1,"a":2,"b":3}"#, .map(.one(.int)), #"{"a":2,"b":3}"#)
        try expect(
            #"{"b":{"y":[1]},"a":{}}"#, .map(.map(.list(.one(.int)))), #"{"a":{},"b":{"y":[1]}}"#)
        try expect(#"[{"k":"v"}]"#, .list(.map(.one(.string))), #"[{"k":"v"}]"#)
    }

    func testAnElementThatDoesNotFitIsLeftOut() throws {
        try expect(
            #"["a",1,{"x":["y"]},[[]],"b"]"#, .list(.one(.string)), #"["a","b"]"#,
            issues: [
                "v[1]: expected a string, found an integer",
                "v[2]: expected a string, found an object",
                "v[3]: expected a string, found a list",
            ])
        try expect(
            "[1,[2]]", .list(.list(.one(.int))), "[[2]]",
            issues: ["v[0]: expected a list, found an integer"])
        try expect(
            "[1]", .list(.one(.string)), nil,
            issues: ["v[0]: expected a string, found an integer"])
    }

    func testAValueOfAnotherFormLeavesTheAttributeUnchanged() throws {
        try expect(
            "{}", .list(.one(.string)), nil, issues: ["v: expected a list, found an object"])
        try expect(
            "[]", .map(.one(.string)), nil, issues: ["v: expected an object, found a list"])
        try expect(
            #""a""#, .list(.one(.string)), nil, issues: ["v: expected a list, found a string"])
        XCTAssertEqual(try map("null", .list(.one(.string))).value, .null)
    }

    func testElementsAreConvertedBothWays() throws {
        let format = ValueConversion.date(try DateFormat("dd/MM/yyyy"))
        let shape = ValueShape.list(.one(.date))
        let (value, issues) = try map(#"["29/02/2024","x",null]"#, shape, format)
        XCTAssertEqual(value, .json(#"["2024-02-29T00:00:00Z",null]"#))
        XCTAssertEqual(issues.map(\.keyPath), ["v[1]"])
        let mapping = Model.mapping(ofV: shape, format)
        let object = Snapshot.make(mapping.entity, [.int64(1), value])
        XCTAssertEqual(
            try encoded(.object(object), mapping), #"{"id":1,"v":["29/02/2024",null]}"#)
        let epoch = Model.mapping(ofV: .map(.one(.date)), .date(try DateFormat("epoch")))
        let other = Snapshot.make(
            epoch.entity, [.int64(1), .json(#"{"a":"1970-01-01T00:00:05Z"}"#)])
        XCTAssertEqual(try encoded(.object(other), epoch), #"{"id":1,"v":{"a":5}}"#)
    }

    func testTransformsOfTheProgramGetEachElement() throws {
        let shape = ValueShape.list(.one(.string))
        let mapping = Model.mapping(ofV: shape, .custom("t", .string))
        let transform = CustomTransform(
            decode: { (value) throws(TransformError) in
                switch value {
                case .string("none"): .absent
                case .string(let text): .string(text + "!")
                case .json(let text): .string(text)
                default: throw TransformError("no text")
                }
            },
            encode: { (value) throws(TransformError) in
                guard case .string(let text) = value else { return value }
                return .string("\(text.dropLast())")
            })
        let plan = MappingPlan(
            [ResponseDescriptor(mapping: mapping)], transforms: ["t": transform])
        let result = try RestwayJanssonTests.map(
            #"{"id":1,"v":["a","none",{"b":[1,2]},3,"c"]}"#, plan)
        XCTAssertEqual(
            result.rows[0].value(named: "v"), .json(#"["a!","{\"b\":[1,2]}","c!"]"#))
        XCTAssertEqual(result.paths, ["v[3]"])
        var options = EncodingOptions()
        options.transforms = ["t": transform]
        XCTAssertEqual(
            try encoded(.object(result.rows[0]), mapping, nil, options),
            #"{"id":1,"v":["a","{\"b\":[1,2]","c"]}"#)
    }

    func testOneSourceFeedsAListAndItsText() throws {
        let entity = Entity(
            name: "Thing", index: 0,
            attributes: [
                Attribute(name: "list", shape: .list(.one(.int))),
                Attribute(name: "json", type: .json), Attribute(name: "text", type: .string),
            ])
        let mapping = EntityMapping(
            entity: entity,
            attributes: [
                AttributeMapping(
                    attribute: 0, source: ["v"],
                    conversion: .collection(.list(.one(.int)), .int)),
                AttributeMapping(attribute: 1, source: ["v"], conversion: .json),
                AttributeMapping(attribute: 2, source: ["v"], conversion: .string),
            ])
        let plan = MappingPlan([ResponseDescriptor(mapping: mapping)])
        let result = try RestwayJanssonTests.map(#"{"v":[1,"x"]}"#, plan)
        XCTAssertEqual(result.rows[0].value(named: "list"), .json("[1]"))
        XCTAssertEqual(result.rows[0].value(named: "json"), .json(#"[1,"x"]"#))
        XCTAssertEqual(result.paths, ["v", "v[1]"])
    }

    // MARK: Random values

    /// Returns what a list or a map of integers should become; `nil` if it does not fit.
    private func model(_ json: JSONValue, _ shape: ValueShape) -> String? {
        switch shape {
        case .one:
            return json.integer.map { String($0) } ?? (json.isNull ? "null" : nil)
        case .list(let inner):
            guard let elements = json.elements else { return nil }
            let kept = elements.compactMap { $0.isNull ? "null" : model($0, inner) }
            return "[\(kept.joined(separator: ","))]"
        case .map(let inner):
            guard let members = json.members else { return nil }
            let kept = members.sorted {
                $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
            }.compactMap { key, value in
                (value.isNull ? "null" : model(value, inner)).map { "\"\(key)\":\($0)" }
            }
            return "{\(kept.joined(separator: ","))}"
        }
    }

    private func random(_ depth: Int, _ random: inout Seeded) -> String {
        let count = Int.random(in: 0...3, using: &random)
        switch Int.random(in: 0..<(depth > 0 ? 6 : 3), using: &random) {
        case 0: return "null"
        case 1: return "\"text\""
        case 2: return String(Int.random(in: -9...9, using: &random))
        case 3, 4:
            let elements = (0..<count).map { _ in self.random(depth - 1, &random) }
            return "[\(elements.joined(separator: ","))]"
        default:
            let members = (0..<count).map { "\"k\(9 - $0)\":\(self.random(depth - 1, &random))" }
            return "{\(members.joined(separator: ","))}"
        }
    }

    func testRandomValuesBecomeWhatAModelSaysAndStayTheSameWhenMappedAgain() throws {
        let shapes: [ValueShape] = [
            .list(.one(.int)), .map(.one(.int)), .list(.list(.one(.int))),
            .map(.list(.one(.int))), .list(.map(.one(.int))),
        ]
        var generator = Seeded(19)
        for _ in 0..<rounds(4_000) {
            let shape = shapes.randomElement(using: &generator)!
            let json = random(3, &generator)
            let parsed = try JSONValue.parse(json, .anyJSON)
            let (value, issues) = try map(json, shape)
            guard !parsed.isNull, let expected = model(parsed, shape) else {
                XCTAssertEqual(value, parsed.isNull ? .null : .absent, json)
                continue
            }
            let isUnfit = !issues.isEmpty && ["[]", "{}"].contains(expected)
            XCTAssertEqual(value, isUnfit ? .absent : .json(expected), "\(json) as \(shape)")
            XCTAssertEqual(try map(expected, shape).value, .json(expected))
            XCTAssertEqual(try map(expected, shape).issues, [])
            let wire = try shape.values(of: expected, JanssonMapper())
            XCTAssertEqual(try shape.canonical(wire, JanssonMapper()), .json(expected))
        }
    }

    func testValuesOfTheProgramMustFitWhole() throws {
        let shape = ValueShape.list(.one(.date))
        let dates = WireValue.list([.leaf(.date(0)), .leaf(.string("1970-01-02")), .leaf(.null)])
        XCTAssertEqual(
            try shape.canonical(dates, JanssonMapper()),
            .json(#"["1970-01-01T00:00:00Z","1970-01-02T00:00:00Z",null]"#))
        XCTAssertThrowsError(
            try shape.canonical(.list([.leaf(.int64(1))]), JanssonMapper())
        ) { error in
            XCTAssertEqual(
                (error as? TransformError)?.reason,
                "[0]: expected a date (ISO 8601), found an integer")
        }
        guard case .list(let values) = try shape.values(
            of: #"["1970-01-01T00:00:00Z",null]"#, JanssonMapper())
        else { return XCTFail("no list") }
        guard case .leaf(.date(0)) = values[0], case .leaf(.null) = values[1] else {
            return XCTFail("\(values)")
        }
    }
}
