import CRestway
import Foundation
import XCTest

@testable import RestwayArrow
@testable import RestwayStore

/// The structs that a consumer of Arrow reads, moves and releases.
final class ArrowTests: XCTestCase {
    /// A table with a column of integers, and a column of structs with the same integers.
    private func table(_ values: [Int64]) -> Column {
        func numbers(_ name: String) -> Column {
            let memory = malloc(values.count * 8)!
            values.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
            return Column(
                name: name, format: "l", count: values.count, nullCount: 0,
                buffers: [nil, memory], children: [])
        }
        func structs(_ name: String, _ children: [Column]) -> Column {
            Column(
                name: name, format: "+s", count: values.count, nullCount: 0, buffers: [nil],
                children: children)
        }
        return structs("", [numbers("id"), structs("owner", [numbers("number")])])
    }

    private func values(_ array: ArrowArray) -> [Int64] {
        let memory = array.buffers[1]!.assumingMemoryBound(to: Int64.self)
        return Array(UnsafeBufferPointer(start: memory, count: Int(array.length)))
    }

    private func stream(_ values: [Int64]) -> ArrowArrayStream {
        var stream = ArrowArrayStream()
        Arrow.writeStream(to: &stream) { table(values) }
        return stream
    }

    func testAStructHasTheColumnsOfItsTable() {
        let table = table([7, -1])
        var (schema, array) = (Arrow.schema(of: table), Arrow.array(of: table))
        XCTAssertEqual(String(cString: schema.format), "+s")
        XCTAssertEqual(schema.n_children, 2)
        let owner = schema.children[1]!.pointee
        XCTAssertEqual(String(cString: owner.name), "owner")
        XCTAssertEqual(String(cString: owner.children[0]!.pointee.name), "number")
        XCTAssertEqual(owner.flags, Int64(ARROW_FLAG_NULLABLE))
        XCTAssertEqual(array.length, 2)
        XCTAssertEqual(values(array.children[1]!.pointee.children[0]!.pointee), [7, -1])
        schema.release(&schema)
        array.release(&array)
        XCTAssertNil(schema.release)
        XCTAssertNil(array.release)
    }

    func testAChildThatIsMovedOutOutlivesItsParent() {
        let table = table([7, -1])
        var (schema, array) = (Arrow.schema(of: table), Arrow.array(of: table))
        var (owner, ids) = (schema.children[1]!.pointee, array.children[0]!.pointee)
        schema.children[1]!.pointee.release = nil
        array.children[0]!.pointee.release = nil
        schema.release(&schema)
        array.release(&array)
        XCTAssertEqual(String(cString: owner.children[0]!.pointee.name), "number")
        XCTAssertEqual(values(ids), [7, -1])
        owner.release(&owner)
        ids.release(&ids)
        XCTAssertNil(owner.release)
        XCTAssertNil(ids.release)
    }

    func testAStreamGivesItsTableOnceAndItsTypeAnyNumberOfTimes() {
        var stream = stream([1, 2, 3])
        for _ in 0..<2 {
            var schema = ArrowSchema()
            XCTAssertEqual(stream.get_schema(&stream, &schema), 0)
            XCTAssertEqual(String(cString: schema.children[0]!.pointee.name), "id")
            XCTAssertEqual(schema.children[1]!.pointee.n_children, 1)
            schema.release(&schema)
        }
        var (given, end) = (ArrowArray(), ArrowArray())
        XCTAssertEqual(stream.get_next(&stream, &given), 0)
        XCTAssertEqual(stream.get_next(&stream, &end), 0)
        XCTAssertNil(end.release, "after the last array comes a released one")
        XCTAssertNil(stream.get_last_error(&stream))
        stream.release(&stream)
        XCTAssertNil(stream.release)
        XCTAssertEqual(values(given.children[0]!.pointee), [1, 2, 3])
        given.release(&given)
    }

    func testAStreamThatIsNotReadReleasesItsTable() {
        var stream = stream([1])
        stream.release(&stream)
        XCTAssertNil(stream.release)
    }

    func testReleasesFreeAllMemory() throws {
        let isSanitized = ["__asan_init", "__tsan_init"].contains { (symbol: String) in
            dlsym(nil, symbol) != nil
        }
        try XCTSkipIf(isSanitized, "sanitizers bring an allocator that keeps what is freed")
        // Each table has two buffers of 32 KiB.
        let numbers = [Int64](repeating: 7, count: 4_096)
        func use(isRead: Bool) {
            var stream = stream(numbers)
            if isRead {
                var (schema, array) = (ArrowSchema(), ArrowArray())
                XCTAssertEqual(stream.get_schema(&stream, &schema), 0)
                XCTAssertEqual(stream.get_next(&stream, &array), 0)
                schema.release(&schema)
                array.release(&array)
            }
            stream.release(&stream)
        }
        for isRead in [true, false] {
            use(isRead: isRead)
            let before = try residentBytes()
            for _ in 0..<1_000 { use(isRead: isRead) }
            XCTAssertLessThan(try residentBytes() - before, 16 << 20, "all have more than 60 MB")
        }
    }

    private func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .ascii)
        let line = try XCTUnwrap(text.split(separator: "\n").first { $0.hasPrefix("Rss:") })
        return try XCTUnwrap(Int(line.split(whereSeparator: { !$0.isNumber })[0])) << 10
    }

    func testAFailureLeavesAReleasedStream() {
        struct Refusal: Error {}
        var old = stream([1])
        var stream = old
        XCTAssertThrowsError(
            try Arrow.writeStream(to: &stream) { () throws(Refusal) in throw Refusal() })
        XCTAssertNil(stream.release)
        XCTAssertNil(stream.private_data)
        old.release(&old)
    }
}
