import RestwayThreads
import XCTest

final class FifoTests: XCTestCase {
    func testOrderHoldsOverManyAppendsAndPops() {
        var queue = Fifo<Int>()
        var next = 0
        var expected = 0
        for round in 0..<200 {
            for _ in 0..<(round % 40) {
                queue.append(next)
                next += 1
            }
            for _ in 0..<(round % 37) {
                XCTAssertEqual(queue.first, queue.isEmpty ? nil : expected)
                guard let element = queue.popFirst() else { break }
                XCTAssertEqual(element, expected)
                expected += 1
            }
            XCTAssertEqual(queue.count, next - expected)
        }
        while let element = queue.popFirst() {
            XCTAssertEqual(element, expected)
            expected += 1
        }
        XCTAssertEqual(expected, next)
        XCTAssertTrue(queue.isEmpty)
    }

    func testALongQueueGivesBackWhatItPopped() {
        var queue = Fifo<Int>()
        for number in 0..<10_000 { queue.append(number) }
        for number in 0..<9_000 { XCTAssertEqual(queue.popFirst(), number) }
        XCTAssertEqual(queue.count, 1_000)
        XCTAssertEqual(queue.popFirst(), 9_000)
    }

    func testInsertingFindsItsPlaceBehindWhatWasPopped() {
        var queue = Fifo<Int>()
        for number in [9, 8, 6, 6, 3] { queue.append(number) }
        XCTAssertEqual(queue.popFirst(), 9)
        XCTAssertEqual(queue.last, 3)
        for number in [6, 10, 1, 7] { queue.insert(number) { $0 >= number } }
        var popped: [Int] = []
        while let number = queue.popFirst() { popped.append(number) }
        XCTAssertEqual(popped, [10, 8, 7, 6, 6, 6, 3, 1])
        XCTAssertNil(queue.last)
    }

    func testRemovingKeepsTheOrderOfTheRest() {
        var queue = Fifo<Int>()
        for number in 0..<6 { queue.append(number) }
        XCTAssertEqual(queue.popFirst(), 0)
        XCTAssertEqual(queue.remove { $0.isMultiple(of: 2) }, [2, 4])
        XCTAssertEqual(queue.popFirst(), 1)
        XCTAssertEqual(queue.popFirst(), 3)
        XCTAssertEqual(queue.popFirst(), 5)
        XCTAssertNil(queue.popFirst())
    }
}
