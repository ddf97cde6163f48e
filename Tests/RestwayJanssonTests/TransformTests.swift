import RestwayMapping
import RestwayObjects
import XCTest

/// Transforms, into attributes and back into payloads.
final class TransformTests: XCTestCase {
    /// Returns the attribute's value for `json`, and the issues.
    private func read(
        _ json: String, _ type: AttributeType, _ conversion: ValueConversion,
        _ transforms: [String: CustomTransform] = [:]
    ) throws -> (value: Value, issues: [String]) {
        let entity = Entity(
            name: "Thing", index: 0,
            attributes: [Attribute(name: "id", type: .int), Attribute(name: "value", type: type)],
            identityIndex: 0)
        let mapping = EntityMapping(
            entity: entity,
            attributes: [
                AttributeMapping(attribute: 0, source: ["id"], conversion: .int),
                AttributeMapping(attribute: 1, source: ["value"], conversion: conversion),
            ])
        let plan = MappingPlan([ResponseDescriptor(mapping: mapping)], transforms: transforms)
        let result = try map(#"{"id":1,"value":\#(json)}"#, plan)
        XCTAssertEqual(result.issueCount, result.issues.count)
        XCTAssertEqual(result.rows.count, 1, json)
        return (result.rows[0].value(at: 1), result.issues.map(\.reason))
    }

    private func assert(
        _ type: AttributeType, _ conversion: ValueConversion, reads: [(String, Value)],
        refuses: [String] = [], writes: [(Value, Value)] = [], line: UInt = #line
    ) throws {
        for (json, value) in reads {
            let found = try read(json, type, conversion)
            XCTAssertEqual(found.value, value, json, line: line)
            XCTAssertEqual(found.issues, [], json, line: line)
        }
        for json in refuses {
            let found = try read(json, type, conversion)
            XCTAssertEqual(found.value, .absent, json, line: line)
            XCTAssertEqual(found.issues.count, 1, json, line: line)
        }
        XCTAssertEqual(try read("null", type, conversion).value, .null, line: line)
        for (value, written) in writes {
            XCTAssertEqual(try conversion.encode(value), written, line: line)
        }
        XCTAssertEqual(try conversion.encode(.null), .null, line: line)
        XCTAssertEqual(try conversion.encode(.absent), .absent, line: line)
    }

    func testBooleansComeFromWordsAndNumbers() throws {
        let truths = ["true", "1", #""true""#, #""YES""#, #""On""#, #""1""#]
        let lies = ["false", "0", #""false""#, #""No""#, #""OFF""#, #""0""#]
        try assert(
            .bool, .boolWords(XCTUnwrap(BoolWords())),
            reads: truths.map { ($0, .bool(true)) } + lies.map { ($0, .bool(false)) },
            refuses: ["2", "-1", "1.0", "\"\"", #""y""#, #""yess""#, #"" yes""#, "{}", "[]"],
            writes: [(.bool(true), .string("true")), (.bool(false), .string("false"))])
    }

    func testBooleansMayHaveWordsOfTheirOwn() throws {
        let words = try XCTUnwrap(BoolWords(true: .string("ja"), false: .int64(-1)))
        try assert(
            .bool, .boolWords(words),
            reads: [(#""JA""#, .bool(true)), ("-1", .bool(false)), (#""off""#, .bool(false))],
            refuses: [#""nein""#, "2"],
            writes: [(.bool(true), .string("ja")), (.bool(false), .int64(-1))])
        let reversed = try XCTUnwrap(BoolWords(true: .int64(0), false: .int64(1)))
        try assert(.bool, .boolWords(reversed), reads: [("0", .bool(true)), ("1", .bool(false))])
        XCTAssertNil(BoolWords(true: .string("A"), false: .string("a")))
        XCTAssertNil(BoolWords(true: .int64(1), false: .int64(1)))
    }

    func testIntegersComeFromStrings() throws {
        try assert(
            .int, .intText,
            reads: [
                ("5", .int64(5)), ("5.0", .int64(5)), (#""5""#, .int64(5)),
                (#""-007""#, .int64(-7)),
                (#""5.0""#, .int64(5)), (#""1e3""#, .int64(1_000)),
                (#""9223372036854775807""#, .int64(.max)),
            ],
            refuses: [
                "\"\"", #""5.5""#, #""+5""#, #""0x10""#, #"" 5""#, #""5 ""#,
                #""9223372036854775808""#,
                #""nan""#, "5.5", "true", "[]", "99999999999999999999",
            ],
            writes: [(.int64(-5), .string("-5")), (.int64(.min), .string("-9223372036854775808"))])
    }

    func testNumbersComeFromStrings() throws {
        try assert(
            .double, .doubleText,
            reads: [
                ("5", .double(5)), ("5.5", .double(5.5)), (#""5.5""#, .double(5.5)),
                (#""-1E-2""#, .double(-0.01)), (#""00.50""#, .double(0.5)),
            ],
            refuses: [
                #""1e999""#, #""inf""#, #"".5""#, #""5.""#, #""1e""#, #""-""#, "true", "{}",
                "1e999",
            ],
            writes: [(.double(5.5), .string("5.5")), (.double(-0.0), .string("-0.0"))])
        XCTAssertThrowsError(try ValueConversion.doubleText.encode(.double(.infinity)))
    }

    func testStringsComeFromNumbers() throws {
        try assert(
            .string, .numberAsText,
            reads: [
                ("5", .string("5")), ("-5.5", .string("-5.5")), (#""5""#, .string("5")),
                (#""x""#, .string("x")),
                ("99999999999999999999", .string("99999999999999999999")),
            ],
            refuses: ["true", "{}", "[]"],
            writes: [(.string("5"), .int64(5)), (.string("5.5"), .double(5.5))])
        XCTAssertThrowsError(try ValueConversion.numberAsText.encode(.string("x")))
    }

    func testURLsMustBeAbsoluteAndValid() throws {
        let good = ["https://example.com/a?b#c", "mailto:a@b.c", "http://[::1]:80/%20"]
        try assert(
            .string, .url, reads: good.map { (#""\#($0)""#, .string($0)) },
            refuses: ["\"\"", #""/a""#, #""example.com""#, #""http://""#, #""http://a b""#, "1"],
            writes: good.map { (.string($0), .string($0)) })
        XCTAssertThrowsError(try ValueConversion.url.encode(.string("a b")))
    }

    func testBase64HoldsBytesOrText() throws {
        try assert(
            .bytes, .bytes, reads: [(#""AP8=""#, .bytes([0, 255]))], refuses: [#""?""#, "1"],
            writes: [(.bytes([0, 255]), .bytes([0, 255]))])
        try assert(
            .bytes, .base64Bytes, reads: [(#""AP8=""#, .bytes([0, 255]))],
            refuses: [#""?""#, "1"], writes: [(.bytes([0, 255]), .string("AP8="))])
        try assert(
            .string, .base64Text, reads: [(#""w6k=""#, .string("é")), ("\"\"", .string(""))],
            refuses: [#""/w==""#, #""?""#, "1", "{}"],
            writes: [(.string("é"), .string("w6k="))])
    }

    func testEpochsComeAsNumbersAndStrings() throws {
        let seconds = ValueConversion.date(try DateFormat("epoch"))
        try assert(
            .date, seconds,
            reads: [
                ("1", .date(1_000_000)), ("-1.5", .date(-1_500_000)), (#""1""#, .date(1_000_000)),
                (#""-1.25""#, .date(-1_250_000)), (#""-0.5""#, .date(-500_000)),
            ],
            refuses: ["\"\"", #""1e3""#, #""1 ""#, "true", #""99999999999999""#],
            writes: [
                (.date(1_000_000), .int64(1)), (.date(1_500_000), .double(1.5)),
                (.date(-500_000), .double(-0.5)),
            ])
        try assert(
            .date, .date(try DateFormat("epochMilliseconds")),
            reads: [("1", .date(1_000)), ("0.5", .date(500)), (#""1.5""#, .date(1_500))],
            writes: [(.date(1_000), .int64(1)), (.date(1_500), .double(1.5))])
    }

    func testDatesAreWrittenAsTheyAreRead() throws {
        try assert(
            .date, .date(.iso8601),
            reads: [
                (#""2024-02-29T13:45:10.25+01:00""#, .date(1_709_210_710_250_000)),
                (#""2024-02-29""#, .date(1_709_164_800_000_000)),
            ],
            writes: [(.date(1_709_210_710_250_000), .string("2024-02-29T12:45:10.250Z"))])
        try assert(
            .date, .date(nil), reads: [(#""2024-02-29""#, .date(1_709_164_800_000_000))],
            writes: [(.date(1_709_164_800_000_000), .date(1_709_164_800_000_000))])
        try assert(
            .date, .date(try DateFormat("dd/MM/yyyy")),
            reads: [(#""29/02/2024""#, .date(1_709_164_800_000_000))],
            writes: [(.date(1_709_164_800_000_000), .string("29/02/2024"))])
    }

    func testWithoutTransformValuesAreWrittenAsTheirTypesSay() throws {
        let cases: [(ValueConversion, Value, Value)] = [
            (.any, .date(0), .date(0)), (.any, .bytes([1]), .bytes([1])),
            (.int, .int64(1), .int64(1)), (.json, .json("{}"), .json("{}")),
            (.bool, .bool(true), .bool(true)), (.double, .double(1.5), .double(1.5)),
        ]
        for (conversion, value, written) in cases {
            XCTAssertEqual(try conversion.encode(value), written)
        }
        XCTAssertThrowsError(try ValueConversion.doubleText.encode(.double(.nan)))
        XCTAssertThrowsError(try ValueConversion.any.encode(.link(1)))
    }

    // MARK: Transforms of the program

    private let doubling = [
        "double": CustomTransform(
            decode: { value throws(TransformError) in
                switch value {
                case .int64(let number): return .int64(number * 2)
                case .string("nothing"): return .absent
                case .string("null"): return .null
                case .string("text"): return .string("text")
                case .json(let text): return .int64(Int64(text.utf8.count))
                default: throw TransformError("cannot double that")
                }
            },
            encode: { value throws(TransformError) in
                guard case .int64(let number) = value else { return .absent }
                return .int64(number / 2)
            }),
        "encoder": CustomTransform(decode: nil, encode: { _ in .date(0) }),
        "decoder": CustomTransform(decode: { _ in .double(7) }, encode: nil),
    ]

    func testTheHostsTransformsReadAndWrite() throws {
        let conversion = ValueConversion.custom("double", .int)
        for (json, value) in [
            ("4", Value.int64(8)), (#""nothing""#, .absent), (#""null""#, .null), ("null", .null),
            ("[1, {}]", .int64(6)), ("{}", .int64(2)), ("99999999999999999999", .int64(20)),
        ] {
            let found = try read(json, .int, conversion, doubling)
            XCTAssertEqual(found.value, value, json)
            XCTAssertEqual(found.issues, [], json)
        }
        XCTAssertEqual(
            try read("true", .int, conversion, doubling).issues,
            [#"transform "double": cannot double that"#])
        XCTAssertEqual(
            try read(#""text""#, .int, conversion, doubling).issues,
            [#"transform "double" made something else than an integer"#])
        XCTAssertEqual(try conversion.encode(.int64(8), doubling), .int64(4))
        XCTAssertEqual(try conversion.encode(.string("x"), doubling), .absent)
    }

    func testAHalfOfATransformLeavesTheOtherToTheType() throws {
        let encoder = ValueConversion.custom("encoder", .date)
        let date = try read(#""1970-01-01T00:00:01Z""#, .date, encoder, doubling)
        XCTAssertEqual(date.value, .date(1_000_000))
        XCTAssertEqual(try read("{}", .date, encoder, doubling).issues.count, 1)
        XCTAssertEqual(try encoder.encode(.date(0), doubling), .date(0))
        let json = ValueConversion.custom("encoder", .json)
        XCTAssertEqual(try read("[1]", .json, json, doubling).value, .json("[1]"))

        let decoder = ValueConversion.custom("decoder", .int)
        XCTAssertEqual(try read("true", .int, decoder, doubling).value, .int64(7))
        XCTAssertEqual(try decoder.encode(.int64(1), doubling), .int64(1))
    }
}
