import CRestwayPlugin
import RestwayMapping
import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayPlugins

/// A plugin's mapper that pushes many objects into a mapping machine, and one that breaks its
/// contract.
final class PluginMappingTests: XCTestCase {
    /// The body that the mapper below reads: how many items it pushes, and what it ends with.
    private struct Body {
        var items = 2_000
        var result = RESTWAY_PLUGIN_OK
        /// The fault after the last item, or in place of all items.
        var breach = Breach.none
    }

    private enum Breach: CaseIterable {
        case none, noValue, secondRoot, valueWithoutKey, twoKeys, twoKnownKeys, keyWithoutValue

        var expected: MappingFailure? {
            switch self {
            case .none: nil
            case .noValue: .brokenEvents(.noValue, place: "")
            case .secondRoot: .brokenEvents(.secondRoot, place: "")
            case .valueWithoutKey: .brokenEvents(.valueWithoutKey, place: "items[0].name")
            case .twoKeys, .twoKnownKeys, .keyWithoutValue:
                .brokenEvents(.keyWithoutValue, place: "items[0].id")
            }
        }

        /// Pushes the content of the faulty item.
        func push(_ sink: restway_plugin_sink) {
            let context = sink.context
            switch self {
            case .none, .noValue, .secondRoot: break
            case .valueWithoutKey:
                _ = sink.key(context, "name", 4)
                _ = sink.null_value(context)
                _ = sink.boolean(context, 1)
            case .twoKeys, .twoKnownKeys:
                _ = sink.key(context, "id", 2)
                _ = self == .twoKeys ? sink.key(context, "other", 5) : sink.key(context, "name", 4)
                _ = sink.integer(context, 1)
            case .keyWithoutValue: _ = sink.key(context, "id", 2)
            }
        }
    }

    private static let entity = Entity(
        name: "Item", index: 0,
        attributes: [
            Attribute(name: "id", type: .int), Attribute(name: "name", type: .string),
            Attribute(name: "real", type: .double), Attribute(name: "truth", type: .bool),
            Attribute(name: "all", type: .json),
        ],
        identityIndex: 0)
    private static let plan: MappingPlan = {
        let conversions: [ValueConversion] = [.int, .string, .double, .bool, .json]
        let attributes = conversions.enumerated().map { index, conversion in
            AttributeMapping(
                attribute: index, source: [entity.attributes[index].name], conversion: conversion)
        }
        let mapping = EntityMapping(entity: entity, attributes: attributes)
        return MappingPlan([ResponseDescriptor(keyPath: ["items"], mapping: mapping)])
    }()

    private static func mapper() throws -> PluginMapper {
        let name: StaticString = "items"
        let types: StaticString = "application/x-items"
        var table = restway_plugin_mapper()
        table.struct_size = MemoryLayout<restway_plugin_mapper>.size
        table.name = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        table.media_types = UnsafeRawPointer(types.utf8Start).assumingMemoryBound(to: CChar.self)
        table.decode = { _, bytes, _, sink, _, _ in
            let body = bytes!.assumingMemoryBound(to: Body.self).pointee
            PluginMappingTests.push(body, sink!.pointee)
            return body.result
        }
        return try PluginMapper(&table, plugin: "test")
    }

    /// Pushes `{"other": …, "items": [{…}, …]}`, and obeys the answers.
    private static func push(_ body: Body, _ sink: restway_plugin_sink) {
        let context = sink.context
        if body.breach == .noValue { return }
        guard sink.begin_object(context) == RESTWAY_PLUGIN_WANT,
            sink.key(context, "other", 5) == RESTWAY_PLUGIN_SKIP,
            sink.key(context, "items", 5) == RESTWAY_PLUGIN_WANT,
            sink.begin_array(context, Int64(body.items)) == RESTWAY_PLUGIN_WANT
        else { return }
        for index in 0..<body.items {
            let name = "name \(index)"
            let answers = [
                sink.begin_object(context),
                sink.key(context, "id", 2), sink.integer(context, Int64(index)),
                sink.key(context, "name", 4), sink.string(context, name, name.utf8.count),
                sink.key(context, "truth", 5), sink.boolean(context, index % 2 == 0 ? 1 : 0),
                sink.key(context, "real", 4), sink.real(context, Double(index) + 0.5),
                sink.key(context, "all", 3), sink.begin_array(context, 1),
                sink.null_value(context), sink.end_array(context), sink.end_object(context),
            ]
            guard answers.allSatisfy({ $0 == RESTWAY_PLUGIN_WANT }) else { return }
        }
        if body.breach != .none {
            _ = sink.begin_object(context)
            body.breach.push(sink)
            _ = sink.end_object(context)
        }
        _ = sink.end_array(context)
        _ = sink.end_object(context)
        if body.breach == .secondRoot { _ = sink.null_value(context) }
    }

    private static func map(
        _ body: Body = Body(), limits: MappingLimits = MappingLimits(),
        isCancelled: (@Sendable () -> Bool)? = nil
    ) throws -> MappingResult {
        let machine = MappingMachine(plan: plan, limits: limits, isCancelled: isCancelled)
        let mapper = try mapper()
        try withUnsafeBytes(of: body) {
            try mapper.decode($0, into: machine, limits: limits)
        }
        return try machine.finish()
    }

    private func assertIsWhole(
        _ result: MappingResult, _ count: Int = 2_000, line: UInt = #line
    ) {
        let rows = result.changeSet.rows
        XCTAssertEqual(rows.count, count, line: line)
        XCTAssertEqual(result.issueCount, 0, line: line)
        for (index, row) in rows.enumerated() {
            let values = (0..<5).map { row.value(at: $0) }
            let expected: [Value] = [
                .int64(Int64(index)), .string("name \(index)"), .double(Double(index) + 0.5),
                .bool(index % 2 == 0), .json("[null]"),
            ]
            XCTAssertEqual(values, expected, line: line)
        }
    }

    func testEveryObjectIsMapped() throws {
        for count in [0, 1, 2_000] { assertIsWhole(try Self.map(Body(items: count)), count) }
    }

    func testManyAtOnceDoNotDisturbEachOther() throws {
        let callers = WorkerPool(threadsMax: 6)
        let results = Monitor<[MappingResult?]>([])
        for _ in 0..<6 {
            callers.submit {
                let result = try? Self.map()
                results.update { $0.append(result) }
            }
        }
        let all = results.wait { $0.count == 6 ? $0.compactMap { $0 } : nil } ?? []
        XCTAssertEqual(all.count, 6)
        for result in all { assertIsWhole(result) }
    }

    func testAMachineThatEndsEarlyStopsTheMapper() throws {
        let limits = MappingLimits(objectsMax: 10)
        // The result of the mapper has no effect after the machine has ended, even if it is a
        // failure.
        for result in [RESTWAY_PLUGIN_OK, RESTWAY_PLUGIN_MALFORMED] {
            XCTAssertThrowsError(
                try Self.map(Body(items: 5_000, result: result), limits: limits)
            ) { XCTAssertEqual($0 as? MappingFailure, .tooManyObjects(max: 10)) }
        }
        XCTAssertThrowsError(try Self.map(isCancelled: { true })) {
            XCTAssertEqual($0 as? MappingFailure, .cancelled)
        }
    }

    func testABreachOfTheContractIsFound() throws {
        for breach in Breach.allCases {
            // The result of a mapper that was told to stop has no effect.
            for result in [RESTWAY_PLUGIN_OK, RESTWAY_PLUGIN_FAILED] {
                if result != RESTWAY_PLUGIN_OK, [.none, .noValue].contains(breach) { continue }
                let body = Body(items: 0, result: result, breach: breach)
                do {
                    _ = try Self.map(body)
                    XCTAssertNil(breach.expected)
                } catch {
                    XCTAssertEqual(error as? MappingFailure, breach.expected, "\(breach)")
                }
            }
        }
    }

    func testAMapperThatFailsHasFailed() throws {
        XCTAssertThrowsError(
            try Self.map(Body(items: 50, result: RESTWAY_PLUGIN_MALFORMED))
        ) {
            XCTAssertEqual(
                ($0 as? MapperError)?.message, "mapper \"items\" of plugin \"test\": malformed")
        }
    }

    func testTheDepthIsLimited() throws {
        let limits = MappingLimits(nestingDepthMax: 2)
        XCTAssertThrowsError(try Self.map(limits: limits)) {
            XCTAssertEqual($0 as? MappingFailure, .tooDeep(max: 2))
        }
    }

    func testAnswersHaveTheNumbersThatPluginsKnow() {
        XCTAssertEqual(EventAnswer.want.rawValue, RESTWAY_PLUGIN_WANT)
        XCTAssertEqual(EventAnswer.skip.rawValue, RESTWAY_PLUGIN_SKIP)
        XCTAssertEqual(EventAnswer.stop.rawValue, RESTWAY_PLUGIN_STOP)
    }
}
