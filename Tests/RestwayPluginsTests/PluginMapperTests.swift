import CRestwayPlugin
import RestwayJSON
import RestwayJansson
import RestwayMapping
import RestwayObjects
import XCTest

@testable import RestwayPlugins

/// The tables of a mapper, made here: the values that a plugin receives, and the effect of its
/// calls.
final class PluginMapperTests: XCTestCase {
    private typealias Encode =
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<restway_plugin_reader>?,
            UnsafeMutablePointer<restway_plugin_reason>?
        ) -> Int32

    private typealias Decode =
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafeRawPointer?, Int, UnsafePointer<restway_plugin_sink>?,
            UnsafePointer<restway_plugin_limits>?, UnsafeMutablePointer<restway_plugin_reason>?
        ) -> Int32

    private func mapper(
        types: StaticString = "application/x-steps text/x-steps", decode: Decode? = nil,
        encode: Encode? = nil
    ) throws -> PluginMapper {
        let name: StaticString = "steps"
        var table = restway_plugin_mapper()
        table.struct_size = MemoryLayout<restway_plugin_mapper>.size
        table.name = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        table.media_types = UnsafeRawPointer(types.utf8Start).assumingMemoryBound(to: CChar.self)
        table.decode = { _, _, _, sink, _, _ in
            let sink = sink!.pointee
            _ = sink.begin_object(sink.context)
            _ = sink.key(sink.context, "at", 2)
            _ = sink.date(sink.context, -1)
            _ = sink.key(sink.context, "data", 4)
            _ = sink.bytes(sink.context, "\u{1}\u{2}", 2)
            _ = sink.end_object(sink.context)
            return RESTWAY_PLUGIN_OK
        }
        if let decode { table.decode = decode }
        table.encode = encode
        return try PluginMapper(&table, plugin: "test")
    }

    private func encoded(
        _ value: WireValue, depth: Int = 512, _ encode: @escaping Encode
    ) throws -> [UInt8] {
        let limits = MappingLimits(nestingDepthMax: depth)
        let reader = ValueReader(value, json: JanssonMapper(), limits: limits)
        return try mapper(encode: encode).encode(reader)
    }

    private func assertFails(
        _ message: String, _ value: WireValue = .list([.leaf(.null)]), depth: Int = 512,
        _ encode: @escaping Encode, line: UInt = #line
    ) {
        XCTAssertThrowsError(try encoded(value, depth: depth, encode), line: line) {
            XCTAssertEqual(($0 as? MapperError)?.message, message, line: line)
        }
    }

    func testDatesAndBytesReachAttributesThroughTheTable() throws {
        let entity = Entity(
            name: "A", index: 0,
            attributes: [
                Attribute(name: "at", type: .date), Attribute(name: "data", type: .bytes),
            ])
        let mapping = EntityMapping(
            entity: entity,
            attributes: [
                AttributeMapping(attribute: 0, source: ["at"], conversion: .date(nil)),
                AttributeMapping(attribute: 1, source: ["data"], conversion: .bytes),
            ])
        let machine = MappingMachine(plan: MappingPlan([ResponseDescriptor(mapping: mapping)]))
        let mapper = try mapper(encode: nil)
        try mapper.decode(
            UnsafeRawBufferPointer(start: nil, count: 0), into: machine, limits: MappingLimits())
        let row = try machine.finish().changeSet.rows[0]
        XCTAssertEqual(row.value(named: "at"), .date(-1))
        XCTAssertEqual(row.value(named: "data"), .bytes([1, 2]))
        XCTAssertNil(mapper.writtenType)
        // A sink that is not a machine receives the same events.
        let bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        let text = JSONValue.read(bytes, by: mapper, MappingLimits())?.text()
        XCTAssertEqual(
            text.map { String(decoding: $0, as: UTF8.self) },
            #"{"at":"1969-12-31T23:59:59.999999Z","data":"AQI="}"#)
    }

    /// Texts of length `SIZE_MAX`, and texts that are NULL. Each function tells the plugin to stop.
    private static let unusableTexts: [Decode] = [
        { _, _, _, sink, _, _ in
            let sink = sink!.pointee
            _ = sink.begin_object(sink.context)
            return sink.key(sink.context, "at", -1) - RESTWAY_PLUGIN_STOP
        },
        { _, _, _, sink, _, _ in
            let sink = sink!.pointee
            return sink.string(sink.context, "text", -1) - RESTWAY_PLUGIN_STOP
        },
        { _, _, _, sink, _, _ in
            let sink = sink!.pointee
            return sink.bytes(sink.context, "text", -1) - RESTWAY_PLUGIN_STOP
        },
        { _, _, _, sink, _, _ in
            let sink = sink!.pointee
            return sink.number_out_of_range(sink.context, "1", -1) - RESTWAY_PLUGIN_STOP
        },
        { _, _, _, sink, _, _ in
            let sink = sink!.pointee
            return sink.string(sink.context, "text", Int.max) - RESTWAY_PLUGIN_STOP
        },
        { _, _, _, sink, _, _ in
            let sink = sink!.pointee
            return sink.string(sink.context, nil, 4) - RESTWAY_PLUGIN_STOP
        },
    ]

    func testATextThatIsLongerThanAnyMemoryIsRefused() throws {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        let entity = Entity(
            name: "A", index: 0, attributes: [Attribute(name: "at", type: .bytes)])
        let mapping = EntityMapping(
            entity: entity,
            attributes: [AttributeMapping(attribute: 0, source: ["at"], conversion: .bytes)])
        for (index, decode) in Self.unusableTexts.enumerated() {
            let mapper = try mapper(decode: decode)
            let machine = MappingMachine(plan: MappingPlan([ResponseDescriptor(mapping: mapping)]))
            try mapper.decode(none, into: machine, limits: MappingLimits())
            XCTAssertThrowsError(try machine.finish(), "\(index)") { error in
                guard case .brokenEvents(.unusableText, _)? = error as? MappingFailure else {
                    return XCTFail("\(error)")
                }
            }
            XCTAssertNil(JSONValue.read(none, by: mapper, MappingLimits()), "\(index)")
        }
    }

    func testABodyOfAnImpossibleLengthIsRefused() {
        assertFails("plugin \"test\": writes bytes that are NULL, or too many of them") {
            _, reader, _ in
            let reader = reader!.pointee
            return reader.write(reader.context, "x", -1)
        }
    }

    func testStepsComeAsItems() throws {
        let value = WireValue.list([
            .leaf(.int64(-5)), .leaf(.date(7)), .leaf(.string("é")), .leaf(.bytes([0, 1])),
        ])
        // Writes the kind of each item, and its content.
        let bytes = try encoded(value) { _, reader, _ in
            let reader = reader!.pointee
            var item = restway_plugin_item()
            item.struct_size = MemoryLayout<restway_plugin_item>.size
            repeat {
                guard reader.next(reader.context, &item) == RESTWAY_PLUGIN_OK else { return 1 }
                var bytes = [
                    UInt8(item.kind), UInt8(item.count), UInt8(truncatingIfNeeded: item.integer),
                ]
                if let text = item.text {
                    bytes += UnsafeRawBufferPointer(start: text, count: item.length + 1)
                }
                _ = reader.write(reader.context, bytes, bytes.count)
            } while item.kind != RESTWAY_PLUGIN_ITEM_END
            return RESTWAY_PLUGIN_OK
        }
        XCTAssertEqual(
            bytes,
            [
                4, 4, 0, 8, 0, 0xFB, 12, 0, 7, 10, 0, 0, 0xC3, 0xA9, 0, 11, 0, 0, 0, 1, 0, 5, 0, 0,
                0, 0, 0,
            ])
    }

    func testWhatBreaksTheContractIsNamed() {
        assertFails(#"plugin "test": has encoded a part of the value only"#) { _, _, _ in
            RESTWAY_PLUGIN_OK
        }
        assertFails(#"plugin "test": asks for values behind the end"#) { _, reader, _ in
            let reader = reader!.pointee
            var item = restway_plugin_item()
            item.struct_size = MemoryLayout<restway_plugin_item>.size
            for _ in 0..<5 { _ = reader.next(reader.context, &item) }
            return RESTWAY_PLUGIN_OK
        }
        assertFails(
            #"plugin "test": asks for a value without an item, or its struct_size is too small"#
        ) { _, reader, _ in reader!.pointee.next(reader!.pointee.context, nil) }
        assertFails(#"plugin "test": writes bytes that are NULL, or too many of them"#) {
            _, reader, _ in
            _ = reader!.pointee.write(reader!.pointee.context, nil, 3)
            return RESTWAY_PLUGIN_OK
        }
        assertFails(#"mapper "steps" of plugin "test": out of memory"#) { _, _, _ in
            RESTWAY_PLUGIN_OUT_OF_MEMORY
        }
    }

    func testTheFirstComplaintStandsWhateverThePluginAnswers() {
        let value = WireValue.list([.list([.leaf(.null)])])
        assertFails("nested deeper than 1 levels", value, depth: 1) { _, reader, _ in
            let reader = reader!.pointee
            var item = restway_plugin_item()
            item.struct_size = MemoryLayout<restway_plugin_item>.size
            for _ in 0..<9 { _ = reader.next(reader.context, &item) }
            return RESTWAY_PLUGIN_OK
        }
    }

    func testOneThatOnlyReadsDoesNotWrite() throws {
        let reader = ValueReader(
            .leaf(.null), json: JanssonMapper(), limits: MappingLimits())
        XCTAssertThrowsError(try mapper(encode: nil).encode(reader))
        XCTAssertEqual(
            try mapper(encode: { _, _, _ in 0 }).writtenType, "application/x-steps")
        XCTAssertThrowsError(try mapper(types: "*+steps a/b", encode: { _, _, _ in 0 })) {
            XCTAssertEqual(($0 as? PluginError)?.kind, .refused)
        }
    }
}
