import RestwayMapping
import RestwayObjects
import XCTest

final class AttributeRuleTests: XCTestCase {
    /// Returns the values that `json`, the members of one object, sets beside its identity.
    private func assert(
        _ json: String, gives expected: [String: Value], issues: [String] = [],
        line: UInt = #line
    ) throws {
        let result = try map(#"{"id":1,\#(json)}"#)
        XCTAssertEqual(result.rows.count, 1, json, line: line)
        var present = result.rows.first?.present ?? [:]
        XCTAssertEqual(present.removeValue(forKey: "id"), .int64(1), json, line: line)
        XCTAssertEqual(present, expected, json, line: line)
        XCTAssertEqual(result.paths, issues, json, line: line)
        XCTAssertEqual(result.issueCount, issues.count, json, line: line)
    }

    func testMissingSourcesLeaveAttributesUntouched() throws {
        try assert(#""other":{"int":1},"Int":2"#, gives: [:])
    }

    func testNullIsNullForEveryType() throws {
        for name in ["any", "bool", "double", "string", "date", "day", "stamp", "bytes", "json"] {
            try assert(#""\#(name)":null"#, gives: [name: .null])
        }
    }

    func testANullParentMakesEverythingBelowItNull() throws {
        try assert(#""address":null"#, gives: ["street": .null, "lat": .null])
        try assert(
            #""address":{"street":"x","at":null}"#, gives: ["street": .string("x"), "lat": .null])
    }

    func testAMissingParentLeavesAttributesUntouched() throws {
        try assert(#""address":{"at":{}}"#, gives: [:])
        try assert(#""address":{}"#, gives: [:])
    }

    func testAParentThatIsNotAnObjectIsAnIssue() throws {
        for value in ["1", "1.5", "true", #""x""#, "[]", "[{}]", #"[{"street":"x"}]"#] {
            try assert(#""address":\#(value)"#, gives: [:], issues: ["address"])
        }
        try assert(#""address":{"at":[]}"#, gives: [:], issues: ["address.at"])
    }

    func testOneSourceFeedsSeveralAttributes() throws {
        try assert(#""int":5"#, gives: ["int": .int64(5), "intAgain": .int64(5)])
        try assert(#""int":null"#, gives: ["int": .null, "intAgain": .null])
        try assert(#""int":"x""#, gives: ["intAgain": .string("x")], issues: ["int"])
    }

    func testAnyTakesWhatComes() throws {
        let cases: [(String, Value)] = [
            ("true", .bool(true)), ("7", .int64(7)), ("7.0", .double(7)), (#""x""#, .string("x")),
            ("{}", .json("{}")), ("[]", .json("[]")),
            (#"[1, {"a" : [null, 2.5]}]"#, .json(#"[1,{"a":[null,2.5]}]"#)),
        ]
        for (json, value) in cases { try assert(#""any":\#(json)"#, gives: ["any": value]) }
    }

    func testJSONTakesTheTextOfEverything() throws {
        let cases = [
            ("true", "true"), ("-7", "-7"), ("0.1", "0.1"), ("1e400", "1e400"), ("1e2", "100.0"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            (#""a\"\\\/\b\f\n\r\t\u0001\u001f\u0000é""#, #""a\"\\/\b\f\n\r\t\u0001\u001f\u0000é""#),
            (#"{ "a\n" : [ ] , "b" : { } }"#, #"{"a\n":[],"b":{}}"#),
            (
                #"[[1],[2,[3,99999999999999999999]],null]"#,
                #"[[1],[2,[3,99999999999999999999]],null]"#
            ),
        ]
        for (json, text) in cases { try assert(#""json":\#(json)"#, gives: ["json": .json(text)]) }
    }

    func testValuesOfTheDeclaredTypeAreTaken() throws {
        let cases: [(String, String, Value)] = [
            ("bool", "false", .bool(false)), ("double", "5", .double(5)),
            ("double", "-0.5", .double(-0.5)), ("string", "\"\"", .string("")),
            ("string", #""a\u0000b""#, .string("a\u{0}b")),
            ("bytes", #""AP8=""#, .bytes([0, 255])),
            ("bytes", "\"\"", .bytes([])), ("date", #""1970-01-01T00:00:01Z""#, .date(1_000_000)),
            ("day", #""02/01/1970""#, .date(86_400_000_000)), ("stamp", "1", .date(1_000_000)),
            ("stamp", "1.5", .date(1_500_000)),
        ]
        for (name, json, value) in cases {
            try assert(#""\#(name)":\#(json)"#, gives: [name: value])
        }
        for (json, value) in [
            ("5", 5), ("5.0", 5), ("-1e3", -1_000), ("9223372036854775807", Int64.max),
        ] {
            XCTAssertEqual(
                try map(#"{"id":1,"int":\#(json)}"#).rows[0].value(named: "int"), .int64(value))
        }
    }

    private static let beyondDouble = "1" + String(repeating: "0", count: 400)

    func testIntegersBeyond64BitsAreDoublesOrJSONText() throws {
        for digits in ["10000000000000000000", "-9223372036854775809", "18446744073709551615"] {
            try assert(#""double":\#(digits)"#, gives: ["double": .double(Double(digits)!)])
            try assert(#""any":\#(digits)"#, gives: ["any": .json(digits)])
            try assert(#""json":\#(digits)"#, gives: ["json": .json(digits)])
        }
        try assert(#""any":\#(Self.beyondDouble)"#, gives: ["any": .json(Self.beyondDouble)])
        // An identity is an integer or a string.
        let large = "10000000000000000000"
        let result = try map(#"{"id":\#(large),"int":\#(large),"bool":true}"#)
        XCTAssertEqual(
            result.rows[0].present, ["bool": .bool(true), "intAgain": .json(large)])
        XCTAssertEqual(result.paths, ["id", "int"])
    }

    func testAKeyThatHoldsANULIsRead() throws {
        try assert(
            #""a\u0000b":1,"json":{"c\u0000":[{"\u0000":2}],"\u0001":3}"#,
            gives: ["json": .json(#"{"c\u0000":[{"\u0000":2}],"\u0001":3}"#)])
        // A key is not confused with its part before the NUL.
        XCTAssertEqual(
            try map(#"{"id":1,"bool\u0000":true,"big":10000000000000000000}"#).rows[0].present,
            ["id": .int64(1)])
    }

    func testValuesThatDoNotFitAreIssuesAndLeaveTheAttributeUntouched() throws {
        let cases: [(String, [String])] = [
            ("bool", ["0", "1", #""true""#, "1.0", "{}", "[]"]),
            ("double", [#""1""#, "true", "[1]", "{}", "1e400", Self.beyondDouble]),
            ("string", ["1", "1.5", "false", "[]", #"{"a":1}"#]),
            ("date", ["1", "1.5", "true", "\"\"", #""yesterday""#, #""2023-02-29""#, "{}", "[]"]),
            ("day", [#""1970-01-02""#, #""2/1/1970""#, "1"]),
            ("stamp", [#""one""#, "true", "9223372036854775807", "1e300", "[]"]),
            ("bytes", [#""?""#, "1", "[]"]),
            ("any", ["1e400"]),
        ]
        for (name, values) in cases {
            for json in values {
                try assert(#""\#(name)":\#(json)"#, gives: [:], issues: [name])
            }
        }
        for json in ["5.5", "1e300", "9223372036854775808", "true", #""5""#] {
            let result = try map(#"{"id":1,"int":\#(json)}"#)
            XCTAssertEqual(result.rows[0].value(named: "int"), .absent, json)
            XCTAssertGreaterThanOrEqual(result.issueCount, 1, json)
        }
    }

    func testIssuesNameKindsAndPositionsButNeverValues() throws {
        let result = try map(
            #"{"list":[{"id":1},{"id":2,"address":{"street":4711}},{"id":3,"day":"secret"}]}"#,
            [Model.descriptor("list")])
        XCTAssertEqual(
            result.issues,
            [
                MappingIssue(
                    keyPath: "list[1].address.street",
                    reason: "expected a string, found an integer"),
                MappingIssue(
                    keyPath: "list[2].day",
                    reason: "expected a date (dd/MM/yyyy), found a string of another form"),
            ])
    }

    func testOnlyTheFirstHundredIssuesAreKeptAndAllAreCounted() throws {
        let element = #"{"id":1,"bool":1,"string":1}"#
        let json = "[" + [String](repeating: element, count: 200).joined(separator: ",") + "]"
        let result = try map(json)
        XCTAssertEqual(result.issues.count, 100)
        XCTAssertEqual(result.issueCount, 400)
        XCTAssertEqual(result.issues.last?.keyPath, "[49].string")
    }

    func testAnAttributeMayTakeAnObjectWhileOthersTakeWhatIsInIt() throws {
        let mapping = Model.mapping([
            ("id", .int), ("a", .json), ("a.b", .any), ("a.b.c", .int), ("a.list", .any),
        ])
        let result = try map(
            #"{"id":1,"a":{"x":0,"b":{"c":5,"d":[1,2]},"list":[{},[]]}}"#,
            [Model.descriptor("", mapping)])
        XCTAssertEqual(
            result.rows[0].present,
            [
                "id": .int64(1), "a": .json(#"{"x":0,"b":{"c":5,"d":[1,2]},"list":[{},[]]}"#),
                "a.b": .json(#"{"c":5,"d":[1,2]}"#), "a.b.c": .int64(5), "a.list": .json("[{},[]]"),
            ])
        XCTAssertEqual(result.issueCount, 0)
    }

    func testAnAttributeWithoutSourceKeysTakesTheObjectItself() throws {
        let entity = Entity(
            name: "Raw", index: 0, attributes: [Attribute(name: "raw", type: .json)])
        let mapping = EntityMapping(
            entity: entity,
            attributes: [AttributeMapping(attribute: 0, source: [], conversion: .json)])
        let result = try map(#"[{"a":1},{"b":[2]},{}]"#, [Model.descriptor("", mapping)])
        XCTAssertEqual(
            result.rows.map(\.present),
            [["raw": .json(#"{"a":1}"#)], ["raw": .json(#"{"b":[2]}"#)]])
    }
}
