import Glibc
import RestwayObjects
import XCTest

@testable import RestwayStore

/// The memory of columns, whose values may all be empty.
final class ColumnMemoryTests: XCTestCase {
    func testEmptyBytesTakeNoMemoryAndComeBeforeOthers() {
        var memory = ColumnMemory()
        defer { memory.free() }
        let bytes: [UInt8] = [7, 8]
        bytes.withUnsafeBytes { bytes in
            memory.append(bytes: UnsafeRawBufferPointer(rebasing: bytes[..<0]))
            XCTAssertNil(memory.start)
            memory.append(bytes: bytes)
            memory.append(bytes: UnsafeRawBufferPointer(rebasing: bytes[2...]))
        }
        XCTAssertEqual(Array(memory.bytes), bytes)
    }

    func testAColumnOfEmptyTextsAndBytesOnly() {
        for (type, value) in [(AttributeType.string, Value.string("")), (.bytes, .bytes([]))] {
            let attribute = Attribute(name: "text", type: type)
            let entity = Entity(name: "Thing", index: 0, attributes: [attribute])
            let rows = [value, .null, value].map { Snapshot.make(entity, [$0]) }
            let column = ColumnBuilder(attribute)
            column.append(rows[...], attribute: 0)
            let finished = column.finish()
            defer { for buffer in finished.buffers { free(buffer) } }
            XCTAssertEqual(finished.buffers.count, 3)
            XCTAssertNotNil(finished.buffers[2], "Arrow's buffers are never null")
            XCTAssertEqual(finished.count, 3)
            XCTAssertEqual(finished.nullCount, 1)
        }
    }
}
