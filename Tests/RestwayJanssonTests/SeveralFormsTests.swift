import RestwayJSON
import RestwayJansson
import RestwayMapping
import RestwayObjects
import XCTest

/// Values that come in several forms: conversions that are tried in order.
final class SeveralFormsTests: XCTestCase {
    private func format(_ text: String) throws -> ValueConversion {
        .date(try DateFormat(text))
    }

    private func mapping(_ shape: ValueShape, _ conversion: ValueConversion) -> EntityMapping {
        let entity = Entity(
            name: "Thing", index: 0,
            attributes: [Attribute(name: "id"), Attribute(name: "v", shape: shape)],
            identityIndex: 0)
        return EntityMapping(
            entity: entity,
            attributes: [
                AttributeMapping(attribute: 0, source: ["id"], conversion: .any),
                AttributeMapping(
                    attribute: 1, source: ["v"],
                    conversion: ValueConversion(shape, innermost: conversion)),
            ])
    }

    private func read(
        _ json: String, _ shape: ValueShape, _ conversion: ValueConversion,
        _ transforms: [String: CustomTransform] = [:]
    ) throws -> (value: Value, issues: [String]) {
        let plan = MappingPlan(
            [ResponseDescriptor(mapping: mapping(shape, conversion))], transforms: transforms)
        let result = try map(#"{"id":1,"v":\#(json)}"#, plan)
        return (
            result.rows[0].value(named: "v") ?? .absent,
            result.issues.map { "\($0.keyPath): \($0.reason)" }
        )
    }

    private func written(
        _ value: Value, _ shape: ValueShape, _ conversion: ValueConversion
    ) throws -> String {
        let mapping = mapping(shape, conversion)
        let object = Snapshot.make(mapping.entity, [.int64(1), value])
        return try encoded(.object(object), mapping)
    }

    func testADateIsReadInEachFormAndWrittenInTheFirst() throws {
        let forms = ValueConversion.firstOf(
            [try format("iso8601"), try format("epoch"), try format("dd/MM/yyyy")])
        let day = Value.date(86_400_000_000)
        for json in [#""1970-01-02""#, "86400", "86400.0", #""86400""#, #""02/01/1970""#] {
            let (value, issues) = try read(json, .one(.date), forms)
            XCTAssertEqual(value, day, json)
            XCTAssertEqual(issues, [], json)
        }
        XCTAssertEqual(try read("null", .one(.date), forms).value, .null)
        XCTAssertEqual(
            try written(day, .one(.date), forms), #"{"id":1,"v":"1970-01-02T00:00:00Z"}"#)
        let reversed = ValueConversion.firstOf([try format("epoch"), try format("iso8601")])
        XCTAssertEqual(try written(day, .one(.date), reversed), #"{"id":1,"v":86400}"#)
        // The order decides about texts that several formats read.
        XCTAssertEqual(
            try read(#""20240229""#, .one(.date), reversed).value, .date(20_240_229_000_000))
        XCTAssertEqual(
            try read(#""20240229""#, .one(.date), forms).value, .date(1_709_164_800_000_000))
    }

    func testAValueThatFitsNoFormIsOneIssue() throws {
        let forms = ValueConversion.firstOf([try format("iso8601"), try format("epoch")])
        let expected = "v: expected a date (ISO 8601), or a date (epoch), found "
        for (json, found) in [
            (#""x""#, "a string of another form"), ("true", "a boolean"), ("{}", "an object"),
            ("[1]", "a list"), ("1e300", "a number out of range"),
        ] {
            let (value, issues) = try read(json, .one(.date), forms)
            XCTAssertEqual(value, .absent, json)
            XCTAssertEqual(issues, [expected + found], json)
        }
    }

    func testNumbersComeAsTextAndStayNumbers() throws {
        let forms = ValueConversion.firstOf([.int, .intText])
        XCTAssertEqual(try read("7", .one(.int), forms).value, .int64(7))
        XCTAssertEqual(try read(#""7""#, .one(.int), forms).value, .int64(7))
        XCTAssertEqual(try written(.int64(7), .one(.int), forms), #"{"id":1,"v":7}"#)
    }

    func testElementsOfListsAndMapsHaveSeveralForms() throws {
        let forms = ValueConversion.firstOf([try format("epoch"), try format("iso8601")])
        let text = #"["1970-01-01T00:00:05Z",null,"1970-01-02T00:00:00Z"]"#
        let (list, issues) = try read(
            #"[5,null,"x","1970-01-02"]"#, .list(.one(.date)), forms)
        XCTAssertEqual(list, .json(text))
        XCTAssertEqual(
            issues,
            [
                "v[2]: expected a date (epoch), or a date (ISO 8601), found a string of another"
                    + " form"
            ])
        XCTAssertEqual(
            try written(list, .list(.one(.date)), forms), #"{"id":1,"v":[5,null,86400]}"#)
        let numbers = ValueConversion.firstOf([.double, .doubleText])
        let (map, _) = try read(#"{"b":"1.5","a":2}"#, .map(.one(.double)), numbers)
        XCTAssertEqual(map, .json(#"{"a":2.0,"b":1.5}"#))
    }

    func testTransformsOfTheProgramMayRefuseOrDecide() throws {
        let transform = CustomTransform(
            decode: { (value) throws(TransformError) in
                switch value {
                case .string("skip"): .absent
                case .json: .string("object")
                default: throw TransformError("no text")
                }
            }, encode: nil)
        let conversion = ValueConversion.firstOf([.custom("t", .string), .string])
        let transforms = ["t": transform]
        func read(_ json: String) throws -> (value: Value, issues: [String]) {
            try self.read(json, .one(.string), conversion, transforms)
        }
        XCTAssertEqual(try read(#""a""#).value, .string("a"))
        XCTAssertEqual(try read(#""skip""#).value, .absent)
        XCTAssertEqual(try read(#""skip""#).issues, [])
        XCTAssertEqual(try read(#"{"a":[1]}"#).value, .string("object"))
        XCTAssertEqual(try read("7").issues, [#"v: transform "t": no text"#])
        let list = try self.read(
            #"["a","skip",{},7]"#, .list(.one(.string)), conversion, transforms)
        XCTAssertEqual(list.value, .json(#"["a","object"]"#))
        XCTAssertEqual(list.issues, [#"v[3]: transform "t": no text"#])
    }

    func testAnIdentityHasSeveralForms() throws {
        let entity = Entity(
            name: "Thing", index: 0, attributes: [Attribute(name: "id", type: .int)],
            identityIndex: 0)
        let mapping = EntityMapping(
            entity: entity,
            attributes: [
                AttributeMapping(
                    attribute: 0, source: ["id"], conversion: .firstOf([.int, .intText]))
            ])
        let plan = MappingPlan([ResponseDescriptor(mapping: mapping)])
        let result = try map(#"[{"id":"7"},{"id":7},{"id":[]}]"#, plan)
        XCTAssertEqual(result.rows.map { $0.value(at: 0) }, [.int64(7), .int64(7)])
        XCTAssertEqual(result.paths.first, "[2].id")
    }

    /// Every value is read as the first of the conversions that reads it alone, and is written as
    /// the first conversion alone writes it.
    func testRandomConversionsAreTriedInOrder() throws {
        let dates = try ["iso8601", "epoch", "epochMilliseconds", "yyyy", "dd/MM/yyyy"].map(format)
        let kinds: [(AttributeType, [ValueConversion])] = [
            (.date, dates), (.int, [.int, .intText]), (.double, [.double, .doubleText]),
            (.string, [.string, .numberAsText, .url, .base64Text]),
            (.bool, [.bool, .boolWords(try XCTUnwrap(BoolWords()))]),
        ]
        let values = [
            "null", "true", "0", "1", "2024", "1.5", "1e300", #""2024""#, #""2024-02-29""#,
            #""29/02/2024""#, #""1""#, #""yes""#, #""QQ==""#, #""http://a.b/c""#, #""""#,
            "{}", "[]",
        ]
        var random = Seeded(19)
        for _ in 0..<1_500 {
            let (type, all) = kinds.randomElement(using: &random)!
            let count = Int.random(in: 1...4, using: &random)
            let chosen = (0..<count).map { _ in all.randomElement(using: &random)! }
            let json = values.randomElement(using: &random)!
            let alone = try chosen.map { try read(json, .one(type), $0) }
            let expected = alone.first { $0.issues.isEmpty }
            let found = try read(json, .one(type), .firstOf(chosen))
            let note = "\(chosen) \(json)"
            XCTAssertEqual(found.value, expected?.value ?? .absent, note)
            XCTAssertEqual(found.issues.isEmpty, expected != nil, note)
            if found.value == .absent { continue }
            let written = { try self.written(found.value, .one(type), $0) }
            let first = Result { try written(chosen[0]) }
            let own = Result { try written(.firstOf(chosen)) }
            XCTAssertEqual(try? own.get(), try? first.get(), note)
        }
    }
}
