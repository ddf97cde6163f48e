import Foundation
import RestwayHTTP
import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayStore

/// Tests how much memory stays resident when much has been freed.
final class ResidentMemoryTests: XCTestCase {
    private static let entity = Entity(
        name: "Line", index: 0, attributes: [Attribute(name: "text", type: .string)],
        identityIndex: nil)

    /// Sanitizers bring an allocator that keeps what is freed. With them, the tests only count how
    /// often memory is returned; `tests/test_memory.py` of the Python package measures it, too.
    private static let isSanitized = ["__asan_init", "__tsan_init"].contains { (symbol: String) in
        dlsym(nil, symbol) != nil
    }

    /// Texts of this length make the objects take 40 MB.
    private func objects() -> [Snapshot] {
        let text = String(repeating: "text", count: 80)
        return (0..<100_000).map { _ in Snapshot.make(Self.entity, [.string(text)]) }
    }

    /// Some of `objects` stay, so that the heap does not shrink by itself.
    private func pins(_ objects: [Snapshot]) -> [Snapshot] {
        stride(from: 0, to: objects.count, by: 1_000).map { objects[$0] } + [objects.last!]
    }

    /// The pages are counted one by one, because the sums in `statm` lag behind.
    private func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .ascii)
        let line = try XCTUnwrap(text.split(separator: "\n").first { $0.hasPrefix("Rss:") })
        return try XCTUnwrap(Int(line.split(whereSeparator: { !$0.isNumber })[0])) << 10
    }

    private func assertFull(since before: Int) throws {
        if Self.isSanitized { return }
        XCTAssertGreaterThan(try residentBytes() - before, 30 << 20)
    }

    /// - Parameter returns: How often memory had been returned before.
    private func assertReturned(since before: Int, _ returns: Int) throws {
        XCTAssertGreaterThan(HeapReturn.returns, returns)
        if Self.isSanitized { return }
        XCTAssertLessThan(try residentBytes() - before, 6 << 20)
    }

    private func response(_ objects: [Snapshot], bodyBytes: Int) -> Response {
        let body = Body([UInt8](repeating: 0x20, count: bodyBytes))
        let answer = Answer(status: 200, headers: Headers(), url: "http://api.test/", body: body)
        var mapped = MappedAnswer(answer)
        mapped.isMapped = true
        mapped.objects = objects
        return Response(mapped)
    }

    func testALargeResponseGivesItsMemoryBackWhenItEnds() throws {
        var response: Response? = response([], bodyBytes: 2 << 20)
        response = nil
        let before = try residentBytes()
        response = self.response(objects(), bodyBytes: 2 << 20)
        let kept = pins(try XCTUnwrap(response).objects)
        try assertFull(since: before)
        let returns = HeapReturn.returns
        response = nil
        try assertReturned(since: before, returns)
        XCTAssertEqual(kept.count, 101)
    }

    /// Makes a store of many objects, some of which outlive it.
    private func storeEnds(_ clock: ManualClock) throws -> (before: Int, kept: [Snapshot]) {
        let store = ObservedStore(MemoryStore(), clock: clock, timers: clock)
        let before = try residentBytes()
        let kept = pins(try store.commit(ChangeSet(rows: objects())).objects)
        return (before, kept)
    }

    /// Waits for all jobs that have been submitted to the only thread of `pool`.
    private func awaitJobs(_ pool: WorkerPool) {
        let isOver = Monitor(false)
        pool.submit { isOver.update { $0 = true } }
        isOver.wait { $0 ? () : nil }
    }

    func testALargeStoreGivesItsMemoryBackASecondAfterItEnds() throws {
        let pool = WorkerPool(threadsMax: 1)
        let clock = ManualClock(pool: pool)
        let (before, kept) = try storeEnds(clock)
        try assertFull(since: before)
        let returns = HeapReturn.returns
        XCTAssertEqual(clock.nextMilliseconds, 1_000)
        clock.advance(milliseconds: 1_000)
        awaitJobs(pool)
        XCTAssertNil(clock.nextMilliseconds)
        try assertReturned(since: before, returns)
        XCTAssertEqual(kept.count, 101)
    }

    func testOfLargeStoresThatFollowEachOtherTheLastGivesMemoryBack() throws {
        let pool = WorkerPool(threadsMax: 1)
        let clock = ManualClock(pool: pool)
        let (before, kept) = try storeEnds(clock)
        clock.advance(milliseconds: 600)
        // The same memory is used again.
        let (_, others) = try storeEnds(clock)
        clock.advance(milliseconds: 400)
        awaitJobs(pool)
        try assertFull(since: before)
        let returns = HeapReturn.returns
        clock.advance(milliseconds: 600)
        awaitJobs(pool)
        try assertReturned(since: before, returns)
        XCTAssertEqual(kept.count + others.count, 202)
    }
}
