import RestwayHTTP
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayCurl

final class FairQueueTests: XCTestCase {
    private func exchange(_ id: UInt64, priority: Int32 = 0) -> ActiveExchange {
        var exchange = Exchange.get("http://a/")
        exchange.priority = priority
        return ActiveExchange(
            id: ExchangeID(id), exchange: exchange, observer: Recorder(),
            acceptedAt: Deadline(nanoseconds: 0), deliver: nil)
    }

    private func originQueue(_ name: String) throws -> OriginQueue {
        OriginQueue(try Origin(url: "http://\(name).example/"))
    }

    private func drain(_ queue: inout FairQueue) -> [UInt64] {
        var ids: [UInt64] = []
        while let next = queue.next() { ids.append(next.id.rawValue) }
        return ids
    }

    func testOriginsTakeTurnsAndKeepTheirOrder() throws {
        var queue = FairQueue(runningMax: 100, runningPerOriginMax: 10)
        let (a, b) = (try originQueue("a"), try originQueue("b"))
        for id in 1...4 { queue.append(exchange(UInt64(id)), to: a) }
        for id in 11...12 { queue.append(exchange(UInt64(id)), to: b) }
        XCTAssertEqual(drain(&queue), [1, 11, 2, 12, 3, 4])
        XCTAssertEqual(queue.waiting, 0)
    }

    func testThoseOfHigherPriorityGoFirstAndOthersKeepTheirOrder() throws {
        var queue = FairQueue(runningMax: 100, runningPerOriginMax: 100)
        let (a, b) = (try originQueue("a"), try originQueue("b"))
        let priorities: [Int32] = [0, 5, 0, -1, 5, .max, .min, 0]
        for (index, priority) in priorities.enumerated() {
            queue.append(exchange(UInt64(index + 1), priority: priority), to: a)
        }
        // The turn of another origin does not depend on it.
        queue.append(exchange(11, priority: -7), to: b)
        XCTAssertEqual(drain(&queue), [6, 11, 2, 5, 1, 3, 8, 4, 7])
        XCTAssertEqual(queue.waiting, 0)
    }

    func testOneThatEndedWhileItWaitedDoesNotHoldUpAPriority() throws {
        var queue = FairQueue(runningMax: 100, runningPerOriginMax: 100)
        let a = try originQueue("a")
        let ended = exchange(2, priority: 3)
        queue.append(exchange(1), to: a)
        queue.append(ended, to: a)
        _ = ended.end()
        queue.abandonedWaiting(a)
        queue.append(exchange(3, priority: 3), to: a)
        queue.append(exchange(4, priority: 4), to: a)
        XCTAssertEqual(drain(&queue), [4, 3, 1])
    }

    func testALaneIsBoundedAndGoesOnWhenOneEnds() throws {
        var queue = FairQueue(runningMax: 100, runningPerOriginMax: 2)
        let a = try originQueue("a")
        for id in 1...4 { queue.append(exchange(UInt64(id)), to: a) }
        XCTAssertEqual(drain(&queue), [1, 2])
        queue.ended(a)
        XCTAssertEqual(drain(&queue), [3])
        a.isMultiplexed = true
        queue.ended(a)
        XCTAssertEqual(drain(&queue), [4])
    }

    func testTheTotalIsBoundedAndTheNextLaneIsServedFirst() throws {
        var queue = FairQueue(runningMax: 2, runningPerOriginMax: 2)
        let (a, b) = (try originQueue("a"), try originQueue("b"))
        for id in 1...3 { queue.append(exchange(UInt64(id)), to: a) }
        XCTAssertEqual(drain(&queue), [1, 2])
        queue.append(exchange(11), to: b)
        queue.ended(a)
        XCTAssertEqual(drain(&queue), [11])
        queue.ended(b)
        XCTAssertEqual(drain(&queue), [3])
        XCTAssertEqual(queue.running, 2)
    }

    func testWhatEndedWhileWaitingIsSkippedAndSweptOut() throws {
        var queue = FairQueue(runningMax: 1, runningPerOriginMax: 1)
        let a = try originQueue("a")
        let all = (0..<100).map { exchange(UInt64($0)) }
        for exchange in all { queue.append(exchange, to: a) }
        XCTAssertEqual(drain(&queue), [0])
        for exchange in all[1..<99] {
            _ = exchange.end()
            queue.abandonedWaiting(a)
        }
        XCTAssertEqual(queue.waiting, 1)
        XCTAssertLessThan(a.waiting.count, 70)
        queue.ended(a)
        XCTAssertEqual(drain(&queue), [99])
        queue.ended(a)
        XCTAssertTrue(a.isIdle)
    }

    func testSpellingsOfAnOriginShareAQueue() {
        var queues = OriginQueues()
        let originQueue = queues.queue(of: "http://Example.com/a")
        XCTAssertNotNil(originQueue)
        XCTAssertTrue(originQueue === queues.queue(of: "http://example.com:80/b?c"))
        XCTAssertTrue(originQueue === queues.queue(of: "http://Example.com/other"))
        XCTAssertFalse(originQueue === queues.queue(of: "https://example.com/"))
        XCTAssertNil(queues.queue(of: "mailto:x"))
    }
}
