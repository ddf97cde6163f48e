import Dispatch
import RestwayJansson
import RestwayMapping
import RestwayObjects
import XCTest

final class JanssonMapperTests: XCTestCase {
    private func failure(_ body: [UInt8], _ limits: MappingLimits = MappingLimits()) -> MapperError?
    {
        let machine = MappingMachine(plan: MappingPlan([Model.descriptor()]))
        do {
            try body.withUnsafeBytes {
                try JanssonMapper().decode($0, into: machine, limits: limits)
            }
            return nil
        } catch {
            return error as? MapperError
        }
    }

    func testItReadsJSONAndWhatIsBuiltOnIt() {
        XCTAssertEqual(
            JanssonMapper().mediaTypes, ["application/json", "*+json", "text/json"])
    }

    func testAByteOrderMarkIsSkipped() throws {
        XCTAssertEqual(try map("\u{FEFF}{\"id\":1}").rows.count, 1)
    }

    func testMalformedBodiesSayWhereAndQuoteNothing() {
        let error = failure(Array("{\n  \"secret\": tokenword\n}".utf8))
        XCTAssertEqual(error?.line, 2)
        XCTAssertGreaterThan(error?.column ?? 0, 10)
        XCTAssertGreaterThan(error?.byteOffset ?? 0, 10)
        XCTAssertFalse(error?.message.contains("tokenword") ?? true)
        for body in [
            "", " ", "{", "[1,]", "{\"a\":}", "{\"a\" 1}", "nul", "[1] x", "'a'", "\u{0}",
            "1\u{0}", "[1\u{0}]", "[1\u{0},2]", "{\"a\":true\u{0}}",
            "[99999999999999999999\u{0}]",
        ] {
            XCTAssertNotNil(failure(Array(body.utf8)), body)
        }
        XCTAssertNotNil(failure([0x22, 0xFF, 0x22]), "not UTF-8")
        XCTAssertNotNil(failure([0xEF, 0xBB, 0xBF]), "only a byte order mark")
    }

    func testNestingIsLimitedAlsoInPartsThatNobodyWants() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        for wrap in [
            { "\($0)" }, { #"{"id":1,"other":\#($0)}"# }, { #"{"id":1,"json":\#($0)}"# },
            { #"[{"id":1,"address":\#($0)}]"# }, { #"{"x":{"y":\#($0)}}"# },
        ] as [(String) -> String] {
            let outer = wrap("").reduce(0) { "[{".contains($1) ? $0 + 1 : $0 }
            let limits = MappingLimits(nestingDepthMax: 40)
            XCTAssertNoThrow(try map(wrap(nested(40 - outer)), limits: limits))
            XCTAssertThrowsError(try map(wrap(nested(41 - outer)), limits: limits)) {
                XCTAssertEqual(
                    ($0 as? MapperError)?.message, "JSON nested deeper than 40 levels")
            }
        }
        XCTAssertNoThrow(try map(nested(512)))
        XCTAssertThrowsError(try map(nested(513)))
        XCTAssertThrowsError(
            try map(nested(100_000), limits: MappingLimits(nestingDepthMax: 1_000_000)))
        XCTAssertNoThrow(
            try map(#"{"json":\#(nested(2_000))}"#, limits: MappingLimits(nestingDepthMax: 2_048)))
    }

    func testAHugeListIsMapped() throws {
        let count = 50_000
        let elements = (0..<count).map { #"{"id":\#($0),"string":"element \#($0)"}"# }
        let result = try map("[" + elements.joined(separator: ",") + "]")
        XCTAssertEqual(result.rows.count, count)
        XCTAssertEqual(result.results[0], Array(0..<count))
        XCTAssertEqual(result.rows[count - 1].string(at: 5), "element \(count - 1)")
        let commit = try MemoryStore(keyBefore: 0).commit(result.changeSet)
        XCTAssertEqual(commit.objects.last?.storeKey, Int64(count))
    }

    func testTheNumberOfObjectsIsLimitedOverAllDescriptors() throws {
        let json = #"{"a":[{"id":1},{"id":2}],"b":[{"id":3}]}"#
        let descriptors = [Model.descriptor("a"), Model.descriptor("b")]
        XCTAssertNoThrow(try map(json, descriptors, limits: MappingLimits(objectsMax: 3)))
        XCTAssertThrowsError(try map(json, descriptors, limits: MappingLimits(objectsMax: 2))) {
            XCTAssertEqual($0 as? MappingFailure, .tooManyObjects(max: 2))
        }
    }

    func testCancellingStopsAtTheNextObject() {
        let asked = Counter()
        XCTAssertThrowsError(
            try map(
                #"[{"id":1},{"id":2},{"id":3},{"id":4}]"#, isCancelled: { asked.next() > 2 })
        ) {
            XCTAssertEqual($0 as? MappingFailure, .cancelled)
        }
        XCTAssertEqual(asked.count, 3)
    }

    func testEventsComeInTheOrderOfTheContractAndSkippedPartsDoNot() throws {
        let sink = RecordingSink()
        let body = Array(
            #"{"a":[1,2.5,"x",true,null,{}],"skip":{"b":1},"big":1e999,"c":{"d":0}}"#.utf8)
        try body.withUnsafeBytes {
            try JanssonMapper().decode($0, into: sink, limits: MappingLimits())
        }
        XCTAssertEqual(
            sink.events,
            [
                "{", "key a", "[6", "1", "2.5", "\"x\"", "true", "null", "{", "}", "]", "key skip",
                "key big", "number 1e999", "key c", "{", "key d", "0", "}", "}",
            ])
    }

    func testANumberTextKeepsTheDigitsOfTheBody() throws {
        let mapping = Model.mapping(ofV: .list(.one(.string)), .numberAsText)
        let digits = "12345678901234567.89"
        let result = try map(
            #"{"id":1,"v":[\#(digits),1.10,"x",100000000000000000000,-5]}"#,
            [ResponseDescriptor(mapping: mapping)])
        XCTAssertEqual(
            result.changeSet.rows[0].value(named: "v"),
            .json(#"["\#(digits)","1.10","x","100000000000000000000","-5"]"#))
        // Other attributes of the same answer read the numbers as ever.
        let entity = Entity(
            name: "Thing", index: 0,
            attributes: [
                Attribute(name: "id"), Attribute(name: "text", type: .string),
                Attribute(name: "double", type: .double), Attribute(name: "any"),
                Attribute(name: "int", type: .int), Attribute(name: "json", type: .json),
            ], identityIndex: 0)
        let conversions: [ValueConversion] = [.any, .numberAsText, .double, .any, .int, .json]
        let all = EntityMapping(
            entity: entity,
            attributes: conversions.enumerated().map { index, conversion in
                AttributeMapping(
                    attribute: index, source: [entity.attributes[index].name],
                    conversion: conversion)
            })
        let row = try map(
            #"{"id":7.0,"text":0.10,"double":0.10,"any":0.10,"int":1e3,"json":{"a":0.10}}"#,
            [ResponseDescriptor(mapping: all)]
        ).changeSet.rows[0]
        XCTAssertEqual(row.value(named: "text"), .string("0.10"))
        XCTAssertEqual(row.value(named: "double"), .double(0.1))
        XCTAssertEqual(row.value(named: "any"), .double(0.1))
        XCTAssertEqual(row.value(named: "int"), .int64(1_000))
        XCTAssertEqual(row.value(named: "json"), .json(#"{"a":0.10}"#))
    }

    func testAnIntegerBeyond64BitsIsAnIssueThatNamesTheTransformThatKeepsIt() throws {
        let result = try map(#"[{"id":1,"int":9223372036854775808},{"id":18446744073709551615}]"#)
        let reasons = result.issues.map { "\($0.keyPath): \($0.reason)" }
        XCTAssertEqual(reasons.filter { $0.contains("numberText") }.count, 2, "\(reasons)")
        XCTAssertTrue(reasons.contains { $0.hasPrefix("[0].int: ") }, "\(reasons)")
        XCTAssertTrue(reasons.contains { $0.hasPrefix("[1].id: ") }, "\(reasons)")
    }

    func testADateBeforeTheYear1IsKeptWithAnIssue() throws {
        let result = try map(
            #"[{"id":1,"date":"0000-01-01"},{"id":2,"date":"0001-01-01T00:00:00+01:00"},"#
                + #"{"id":3,"stamp":1700000000000}]"#)
        XCTAssertEqual(result.issues.map(\.keyPath), ["[0].date", "[2].stamp"])
        let rows = result.changeSet.rows
        XCTAssertEqual(rows[0].value(named: "date"), .date(-62_167_219_200_000_000))
        XCTAssertEqual(rows[1].value(named: "date"), .date(-62_135_600_400_000_000))
    }

    func testNothingIsPushedAfterStop() throws {
        let body = Array(#"{"a":[1,2,{"b":"x"}],"c":3}"#.utf8)
        for allowed in 0..<12 {
            let sink = RecordingSink(stoppingAfter: allowed)
            try body.withUnsafeBytes {
                try JanssonMapper().decode($0, into: sink, limits: MappingLimits())
            }
            XCTAssertEqual(sink.events.count, min(allowed + 1, 13))
        }
    }

    func testOneMapperServesManyThreads() {
        let json = Array(#"[{"id":1,"double":0.5},{"id":2,"json":[1.5]}]"#.utf8)
        let mapper = JanssonMapper()
        let plan = MappingPlan([Model.descriptor()])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<200 {
                let machine = MappingMachine(plan: plan)
                json.withUnsafeBytes {
                    XCTAssertNotNil(
                        try? mapper.decode($0, into: machine, limits: MappingLimits()))
                }
                XCTAssertEqual((try? machine.finish())?.rows.count, 2)
            }
        }
    }
}

/// Counts from one thread.
private final class Counter: @unchecked Sendable {
    private(set) var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}
