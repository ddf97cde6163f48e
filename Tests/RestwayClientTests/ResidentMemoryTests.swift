import Foundation
import RestwayHTTP
import RestwayObjects
import XCTest

@testable import RestwayClient

/// What stays resident when much has been freed.
final class ResidentMemoryTests: XCTestCase {
    private static let entity = Entity(
        name: "Line", index: 0, attributes: [Attribute(name: "text", type: .string)],
        identityIndex: nil)

    override func setUpWithError() throws {
        let isSanitized = ["__asan_init", "__tsan_init"].contains { (symbol: String) in
            dlsym(nil, symbol) != nil
        }
        try XCTSkipIf(isSanitized, "sanitizers bring an allocator that keeps what is freed")
    }

    /// So much text that the objects take 40 MB.
    private func objects() -> [Snapshot] {
        let text = String(repeating: "text", count: 80)
        return (0..<100_000).map { _ in Snapshot.make(Self.entity, [.string(text)]) }
    }

    /// Some of `objects`, which keep the heap from shrinking by itself.
    private func pins(_ objects: [Snapshot]) -> [Snapshot] {
        stride(from: 0, to: objects.count, by: 1_000).map { objects[$0] } + [objects.last!]
    }

    /// Counted page by page: what `statm` says are sums that lag behind.
    private func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .ascii)
        let line = try XCTUnwrap(text.split(separator: "\n").first { $0.hasPrefix("Rss:") })
        return try XCTUnwrap(Int(line.split(whereSeparator: { !$0.isNumber })[0])) << 10
    }

    private func response(_ objects: [Snapshot], bodyBytes: Int) -> Response {
        let body = Body([UInt8](repeating: 0x20, count: bodyBytes))
        let received = ReceivedResponse(
            status: 200, headers: Headers(), url: "http://api.test/", body: body)
        return Response(received, MappedObjects(isMapped: true, objects: objects))
    }

    func testALargeResponseGivesItsMemoryBackWhenItEnds() throws {
        var response: Response? = response([], bodyBytes: 2 << 20)
        response = nil
        let before = try residentBytes()
        response = self.response(objects(), bodyBytes: 2 << 20)
        let kept = pins(try XCTUnwrap(response).objects)
        XCTAssertGreaterThan(try residentBytes() - before, 30 << 20)
        response = nil
        XCTAssertLessThan(try residentBytes() - before, 6 << 20)
        XCTAssertEqual(kept.count, 101)
    }

    func testALargeStoreGivesItsMemoryBackWhenItEnds() throws {
        var store: ObservedStore? = ObservedStore(MemoryStore())
        let before = try residentBytes()
        var kept: [Snapshot] = []
        do {
            let commit = try XCTUnwrap(store).commit(ChangeSet(rows: objects()))
            kept = pins(commit.objects)
        }
        XCTAssertGreaterThan(try residentBytes() - before, 30 << 20)
        store = nil
        XCTAssertLessThan(try residentBytes() - before, 6 << 20)
        XCTAssertEqual(kept.count, 101)
    }
}
