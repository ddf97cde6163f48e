import RestwayObjects
import XCTest

@testable import RestwayMapping

final class PlanNodeTests: XCTestCase {
    /// Which kinds of cells a place takes as they are. All others are converted.
    func testConversionsTakeTheirOwnKindsUnchanged() throws {
        func kinds(_ conversion: ValueConversion, isIdentity: Bool = false) throws -> [Cell.Kind] {
            var draft = PlanDraft()
            draft.add(
                AttributeMapping(attribute: 3, source: ["key"], conversion: conversion),
                isIdentity: isIdentity)
            let tree = PlanTree(draft)
            let place = try XCTUnwrap(Array("key".utf8).withUnsafeBytes { key in
                tree.root.pointee.child(key)
            })
            return withExtendedLifetime(tree) {
                XCTAssertEqual(place.pointee.attribute, 3)
                let unchanged = place.pointee.unchangedKinds
                return (0...10).compactMap(Cell.Kind.init).filter(unchanged.contains)
            }
        }

        XCTAssertEqual(try kinds(.string), [.string])
        XCTAssertEqual(try kinds(.int), [.int64])
        XCTAssertEqual(try kinds(.double), [.double])
        XCTAssertEqual(try kinds(.bool), [.bool])
        XCTAssertEqual(try kinds(.any), [.bool, .int64, .double, .string])
        XCTAssertEqual(try kinds(.any, isIdentity: true), [.int64, .string])
        for conversion in [ValueConversion.json, .bytes, .date(nil)] {
            XCTAssertEqual(try kinds(conversion), [])
        }
    }
}
