import RestwayJansson
import RestwayMapping
import RestwayObjects
import XCTest

/// Tests the events that a mapper receives for writing.
final class ValueReaderTests: XCTestCase {
    private func reader(_ value: WireValue, depth: Int = 512) -> ValueReader {
        ValueReader(
            value, json: JanssonMapper(), limits: MappingLimits(nestingDepthMax: depth))
    }

    private func steps(
        _ value: WireValue, depth: Int = 512
    ) throws -> [ValueReader.Step] {
        var reader = reader(value, depth: depth)
        var steps: [ValueReader.Step] = []
        repeat { steps.append(try reader.next()) } while steps.last != .end
        XCTAssertEqual(try reader.next(), .end, "the end is the end")
        return steps
    }

    private func object(_ members: [(String, WireValue)]) -> WireValue {
        var object = WireObject()
        for (key, value) in members { object[key] = value }
        return .object(object)
    }

    func testAValueIsGivenInItsOrderWithItsCounts() throws {
        let value = object([
            ("b", .list([.leaf(.int64(1)), .list([]), object([])])), ("a", .leaf(.null)),
            ("d", .leaf(.date(-1))), ("x", .leaf(.bytes([0, 255]))), ("s", .leaf(.string("é\0"))),
            ("t", .leaf(.bool(true))), ("r", .leaf(.double(-0.5))),
        ])
        XCTAssertEqual(
            try steps(value),
            [
                .beginObject(count: 7), .key("b"), .beginArray(count: 3), .int64(1),
                .beginArray(count: 0), .endArray, .beginObject(count: 0), .endObject, .endArray,
                .key("a"), .null, .key("d"), .date(-1), .key("x"), .bytes([0, 255]), .key("s"),
                .string("é\0"), .key("t"), .bool(true), .key("r"), .double(-0.5), .endObject, .end,
            ])
        XCTAssertEqual(try steps(.leaf(.int64(7))), [.int64(7), .end])
    }

    func testJSONTextIsTakenApart() throws {
        let json = WireValue.leaf(.json(#"{"a":[1,{"b":99999999999999999999}],"c":1e400}"#))
        XCTAssertEqual(
            try steps(.list([json, .leaf(.json("5"))])),
            [
                .beginArray(count: 2), .beginObject(count: 2), .key("a"), .beginArray(count: 2),
                .int64(1), .beginObject(count: 1), .key("b"),
                .numberText("99999999999999999999"), .endObject, .endArray, .key("c"),
                .numberText("1e400"), .endObject, .int64(5), .endArray, .end,
            ])
        XCTAssertThrowsError(try steps(.leaf(.json("{"))))
    }

    func testTheLimitOnNestingIsKept() throws {
        func nested(_ depth: Int) -> WireValue {
            (1..<depth).reduce(.list([])) { inner, _ in .list([inner]) }
        }
        XCTAssertEqual(try steps(nested(3), depth: 3).count, 7)
        XCTAssertThrowsError(try steps(nested(4), depth: 3)) {
            XCTAssertEqual(($0 as? MapperError)?.message, "nested deeper than 3 levels")
        }
        // JSON text counts with its own depth.
        XCTAssertEqual(try steps(.list([.leaf(.json("[[[]]]"))]), depth: 3).count, 9)
        XCTAssertThrowsError(try steps(.leaf(.json("[[[[]]]]")), depth: 3))
    }

    func testASinkIsToldTheSameAndObeyed() throws {
        let value = object([
            ("skip", .list([.leaf(.null)])), ("d", .leaf(.date(5))), ("x", .leaf(.bytes([1]))),
            ("n", .leaf(.json("1e999"))),
        ])
        let sink = RecordingSink()
        try reader(value).read(into: sink)
        XCTAssertEqual(
            sink.events,
            [
                "{", "key skip", "key d", "date 5", "key x", "bytes [1]", "key n", "number 1e999",
                "}",
            ])
        let stopping = RecordingSink(stoppingAfter: 2)
        try reader(value).read(into: stopping)
        XCTAssertEqual(stopping.events, ["{", "key skip", "key d"])
    }

    func testASinkMaySkipWhatABeginOpens() throws {
        let sink = Skipping()
        try reader(.list([.list([.leaf(.null)]), object([("a", .leaf(.null))])])).read(into: sink)
        XCTAssertEqual(sink.begun, 3)
        XCTAssertEqual(sink.ended, 1)
    }

    func testJSONWritesDatesAndBytesAsText() throws {
        let text = try JanssonMapper().encode(
            reader(object([("d", .leaf(.date(0))), ("x", .leaf(.bytes([0, 255])))])))
        XCTAssertEqual(
            String(decoding: text, as: UTF8.self), #"{"d":"1970-01-01T00:00:00Z","x":"AP8="}"#)
    }
}

/// Wants the outermost container, and nothing inside it.
private final class Skipping: EventSink {
    private(set) var begun = 0
    private(set) var ended = 0

    private func begin() -> EventAnswer {
        begun += 1
        return begun == 1 ? .want : .skip
    }

    private func end() -> EventAnswer {
        ended += 1
        return .want
    }

    private func unexpected() -> EventAnswer {
        XCTFail("this was skipped")
        return .stop
    }

    func beginObject() -> EventAnswer { begin() }
    func endObject() -> EventAnswer { end() }
    func beginArray(count: Int?) -> EventAnswer { begin() }
    func endArray() -> EventAnswer { end() }
    func key(_ text: UnsafeRawBufferPointer) -> EventAnswer { unexpected() }
    func string(_ text: UnsafeRawBufferPointer) -> EventAnswer { unexpected() }
    func int64(_ value: Int64) -> EventAnswer { unexpected() }
    func double(_ value: Double) -> EventAnswer { unexpected() }
    func bool(_ value: Bool) -> EventAnswer { unexpected() }
    func null() -> EventAnswer { unexpected() }
    func bytes(_ content: UnsafeRawBufferPointer) -> EventAnswer { unexpected() }
    func date(_ microseconds: Int64) -> EventAnswer { unexpected() }
    func numberText(_ text: UnsafeRawBufferPointer) -> EventAnswer { unexpected() }
}
