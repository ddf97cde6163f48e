import RestwayMapping
import RestwayObjects
import XCTest

/// Dates and bytes, as mappers of binary formats push them, and the resulting attributes.
final class BinaryEventTests: XCTestCase {
    private typealias Push = (MappingMachine) -> Void

    private static let date = Int64(-1_500_000)
    private static let text = "1969-12-31T23:59:58.500Z"

    /// Returns the value of an attribute after the events of `push`, and the issues.
    private func mapped(
        _ type: AttributeType, _ conversion: ValueConversion, isIdentity: Bool = false,
        transforms: [String: CustomTransform] = [:], _ push: Push
    ) throws -> (value: Value?, issues: [String]) {
        let entity = Entity(
            name: "A", index: 0,
            attributes: [Attribute(name: "a", type: type), Attribute(name: "other")],
            identityIndex: isIdentity ? 0 : nil)
        let mapping = EntityMapping(
            entity: entity,
            attributes: [
                AttributeMapping(attribute: 0, source: ["a"], conversion: conversion),
                AttributeMapping(attribute: 1, source: ["other"], conversion: .any),
            ])
        let plan = MappingPlan(
            [ResponseDescriptor(mapping: mapping)], entities: [mapping], transforms: transforms)
        let machine = MappingMachine(plan: plan)
        _ = machine.beginObject()
        key(machine, "other")
        _ = machine.int64(1)
        key(machine, "a")
        push(machine)
        _ = machine.endObject()
        let result = try machine.finish()
        return (result.changeSet.rows.first?.value(named: "a"), result.issues.map(\.reason))
    }

    private func key(_ machine: MappingMachine, _ text: String) {
        _ = Array(text.utf8).withUnsafeBytes { machine.key($0) }
    }

    private func pushDate(_ machine: MappingMachine) {
        XCTAssertEqual(machine.date(Self.date), .want)
    }

    private func pushBytes(_ bytes: [UInt8]) -> Push {
        { machine in XCTAssertEqual(bytes.withUnsafeBytes { machine.bytes($0) }, .want) }
    }

    func testADateIsADateWhateverTheFormatOfTheAttribute() throws {
        let formats: [DateFormat?] = [
            nil, .iso8601, try DateFormat("epoch"), try DateFormat("epochMilliseconds"),
            try DateFormat("dd/MM/yyyy"),
        ]
        for format in formats {
            let (value, issues) = try mapped(.date, .date(format), pushDate)
            XCTAssertEqual(value, .date(Self.date))
            XCTAssertEqual(issues, [])
        }
        XCTAssertEqual(try mapped(.any, .any, pushDate).value, .date(Self.date))
    }

    func testADateIsTextWhereTextIsWanted() throws {
        XCTAssertEqual(try mapped(.string, .string, pushDate).value, .string(Self.text))
        XCTAssertEqual(try mapped(.json, .json, pushDate).value, .json("\"\(Self.text)\""))
        XCTAssertEqual(
            try mapped(.string, .string, isIdentity: true, pushDate).value, .string(Self.text))
    }

    func testADateFitsNothingElse() throws {
        let others: [(AttributeType, ValueConversion, String)] = [
            (.bool, .bool, "a boolean"), (.int, .int, "an integer"), (.double, .double, "a number"),
            (.bytes, .bytes, "a string of base64"), (.string, .url, "an absolute URL"),
            (.string, .numberAsText, "a number or a string"),
            (.bool, .boolWords(try XCTUnwrap(BoolWords())), "a boolean, or a word for one"),
            (.string, .base64Text, "a string of base64 that holds text"),
        ]
        for (type, conversion, expected) in others {
            let (value, issues) = try mapped(type, conversion, pushDate)
            XCTAssertEqual(value, .absent)
            XCTAssertEqual(issues, ["expected \(expected), found a date"])
        }
        let (value, issues) = try mapped(.any, .any, isIdentity: true, pushDate)
        XCTAssertEqual(value, .absent)
        XCTAssertEqual(
            issues, ["expected an identity (an integer or a string), found another value"])
    }

    func testBytesAreBytesAndBase64InJSON() throws {
        let bytes: [UInt8] = [0, 255, 34]
        for conversion in [ValueConversion.bytes, .base64Bytes] {
            XCTAssertEqual(try mapped(.bytes, conversion, pushBytes(bytes)).value, .bytes(bytes))
        }
        XCTAssertEqual(try mapped(.any, .any, pushBytes(bytes)).value, .bytes(bytes))
        XCTAssertEqual(try mapped(.any, .any, pushBytes([])).value, .bytes([]))
        XCTAssertEqual(try mapped(.json, .json, pushBytes(bytes)).value, .json(#""AP8i""#))
        XCTAssertEqual(
            try mapped(.string, .base64Text, pushBytes(Array("é".utf8))).value, .string("é"))
        let (value, issues) = try mapped(.string, .base64Text, pushBytes([0xFF]))
        XCTAssertEqual(value, .absent)
        XCTAssertEqual(
            issues, ["expected a string of base64 that holds text, found bytes that are no text"])
    }

    func testBytesFitNothingElse() throws {
        let others: [(AttributeType, ValueConversion)] = [
            (.bool, .bool), (.int, .int), (.double, .double), (.string, .string),
            (.date, .date(nil)), (.date, .date(try DateFormat("epoch"))),
            (.date, .date(try DateFormat("yyyy"))), (.int, .intText), (.string, .url),
        ]
        for (type, conversion) in others {
            let (value, issues) = try mapped(type, conversion, pushBytes(Array("1".utf8)))
            XCTAssertEqual(value, .absent)
            XCTAssertEqual(issues.count, 1)
            XCTAssertTrue(issues.allSatisfy { $0.hasSuffix(", found bytes") }, "\(issues)")
        }
    }

    func testTheHostsTransformsAreAskedAboutThem() throws {
        let transforms = [
            "told": CustomTransform(
                decode: { value throws(TransformError) in
                    switch value {
                    case .date(let date): .string("date \(date)")
                    case .bytes(let bytes): .string("bytes \(bytes)")
                    default: throw TransformError("neither")
                    }
                }, encode: nil)
        ]
        let told = ValueConversion.custom("told", .string)
        XCTAssertEqual(
            try mapped(.string, told, transforms: transforms, pushDate).value,
            .string("date -1500000"))
        XCTAssertEqual(
            try mapped(.string, told, transforms: transforms, pushBytes([1, 2])).value,
            .string("bytes [1, 2]"))
        // Without a function, the attribute's type converts them.
        XCTAssertEqual(
            try mapped(.date, .custom("none", .date), pushDate).value, .date(Self.date))
        XCTAssertEqual(
            try mapped(.bytes, .custom("none", .bytes), pushBytes([7])).value, .bytes([7]))
    }

    func testInContainersTheyAreJSONTextToo() throws {
        let (value, issues) = try mapped(.json, .json) { machine in
            _ = machine.beginArray(count: 3)
            pushDate(machine)
            pushBytes([1])(machine)
            _ = machine.beginObject()
            key(machine, "d")
            pushDate(machine)
            _ = machine.endObject()
            _ = machine.endArray()
        }
        XCTAssertEqual(
            value, .json("[\"\(Self.text)\",\"AQ==\",{\"d\":\"\(Self.text)\"}]"))
        XCTAssertEqual(issues, [])
    }

    func testWhereAnObjectIsWantedTheyAreIssues() throws {
        let entity = Entity(name: "A", index: 0, attributes: [Attribute(name: "a")])
        let mapping = EntityMapping(
            entity: entity,
            attributes: [AttributeMapping(attribute: 0, source: ["a", "b"], conversion: .any)])
        let machine = MappingMachine(plan: MappingPlan([ResponseDescriptor(mapping: mapping)]))
        _ = machine.beginArray(count: 3)
        pushDate(machine)
        pushBytes([1])(machine)
        _ = machine.beginObject()
        key(machine, "a")
        pushDate(machine)
        _ = machine.endObject()
        _ = machine.endArray()
        XCTAssertEqual(
            try machine.finish().issues,
            [
                MappingIssue(keyPath: "[0]", reason: "expected an object, found a date"),
                MappingIssue(keyPath: "[1]", reason: "expected an object, found bytes"),
                MappingIssue(keyPath: "[2].a", reason: "expected an object, found a date"),
                MappingIssue(
                    keyPath: "[2]", reason: "expected attributes of A, found no attribute"),
            ])
    }

    func testEveryDateThereIsHasAText() throws {
        let texts: [(Int64, String)] = [
            (.max, "+294247-01-10T04:00:54.775807Z"), (.min, "-290308-12-21T19:59:05.224192Z"),
            (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
            (-1, "1969-12-31T23:59:59.999999Z"),
        ]
        for (date, text) in texts {
            let value = try mapped(.string, .string) { _ = $0.date(date) }.value
            XCTAssertEqual(value, .string(text))
        }
    }
}
