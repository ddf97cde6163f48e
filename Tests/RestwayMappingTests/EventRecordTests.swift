import RestwayObjects
import XCTest

@testable import RestwayMapping

/// Records of scalars with their keys, which the machine copies as cells.
final class EventRecordTests: XCTestCase {
    private func cell(_ record: EventRecord) -> Cell {
        var record = record
        return withUnsafePointer(to: &record) { $0.cell }
    }

    private func same(_ one: Cell, _ other: Cell) -> Bool {
        one.rawKind == other.rawKind && one.length == other.length && one.bits == other.bits
    }

    func testScalarsWithTheirKeysBeginWithTheirCells() {
        XCTAssertTrue(same(cell(EventRecord(.memberNull)), .null))
        XCTAssertTrue(same(cell(EventRecord(.memberDate, 17)), .date(17)))
        XCTAssertTrue(same(cell(EventRecord(.memberBool, 1)), .bool(true)))
        XCTAssertTrue(same(cell(EventRecord(.memberBool, 0)), .bool(false)))
        for value in [0, 1, -1, Int64.min, .max] {
            let record = EventRecord(.memberInt64, UInt64(bitPattern: value))
            XCTAssertTrue(same(cell(record), .int64(value)))
        }
        for value in [0, -0.0, 1.5, .infinity, .leastNonzeroMagnitude] {
            let record = EventRecord(.memberDouble, value.bitPattern)
            XCTAssertTrue(same(cell(record), .double(value)))
        }
    }

    func testTextOfTheBodyIsTheCellOfTextThatStays() {
        let tree = PlanTree(PlanDraft())
        let text = Array("text that lies in the body".utf8)
        text.withUnsafeBytes { text in
            for count in 0...text.count {
                let part = UnsafeRawBufferPointer(rebasing: text[(text.count - count)...])
                let record = EventRecord.member(part, of: tree.root)
                XCTAssertTrue(same(cell(record), .lasting(.string, part)))
                XCTAssertEqual(record.memberText.baseAddress, part.baseAddress)
                XCTAssertEqual(record.memberText.count, count)
            }
        }
    }

    func testMembersHaveTheNumbersOfCellsAndComeFirst() {
        let members: [EventRecord.Kind: Cell.Kind] = [
            .memberNull: .null, .memberBool: .bool, .memberInt64: .int64, .memberDouble: .double,
            .memberDate: .date, .memberString: .string,
        ]
        for number in UInt8.min...(.max) {
            guard let kind = EventRecord.Kind(rawValue: number) else { continue }
            let record = EventRecord(kind)
            XCTAssertEqual(record.kind, kind)
            XCTAssertEqual(record.isMember, members[kind] != nil)
            XCTAssertEqual(members[kind]?.rawValue, record.isMember ? UInt32(number) : nil)
        }
    }

    /// Tests which values a place takes unchanged, and which are converted.
    func testConversionsTakeTheirOwnKindsAsTheyAre() throws {
        func kinds(_ conversion: ValueConversion, isIdentity: Bool = false) throws -> UInt32 {
            var draft = PlanDraft()
            draft.add(
                AttributeMapping(attribute: 3, source: ["key"], conversion: conversion),
                isIdentity: isIdentity)
            let tree = PlanTree(draft)
            let place = try XCTUnwrap(Array("key".utf8).withUnsafeBytes { key in
                tree.root.pointee.child(key)
            })
            XCTAssertEqual(place.pointee.attribute, 3)
            return withExtendedLifetime(tree) { place.pointee.directKinds }
        }
        func bits(_ kinds: EventRecord.Kind...) -> UInt32 {
            kinds.reduce(EventRecord.Kind.memberNull.bit) { $0 | $1.bit }
        }

        XCTAssertEqual(try kinds(.string), bits(.memberString))
        XCTAssertEqual(try kinds(.int), bits(.memberInt64))
        XCTAssertEqual(try kinds(.double), bits(.memberDouble))
        XCTAssertEqual(try kinds(.bool), bits(.memberBool))
        XCTAssertEqual(
            try kinds(.any), bits(.memberString, .memberInt64, .memberDouble, .memberBool))
        XCTAssertEqual(try kinds(.any, isIdentity: true), bits(.memberString, .memberInt64))
        for conversion in [ValueConversion.json, .bytes, .date(nil)] {
            XCTAssertEqual(try kinds(conversion), bits())
        }
    }
}
