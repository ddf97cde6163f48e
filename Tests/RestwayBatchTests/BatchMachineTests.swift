import XCTest

@testable import RestwayBatch

/// Tests which requests are sent together, and when.
final class BatchMachineTests: XCTestCase {
    private typealias Action = BatchMachine.Action

    /// A session that was started, whose requests all want to be sent.
    private func machine(_ count: Int, limit: Int) -> (BatchMachine, [Action]) {
        var machine = BatchMachine(limit: limit)
        for index in 0..<count { XCTAssertEqual(machine.add(), index) }
        var actions = machine.start()
        for index in 0..<count { actions += machine.arrive(index) }
        return (machine, actions)
    }

    func testAnEmptySessionIsFinishedAtOnce() {
        XCTAssertEqual(machine(0, limit: 2).1, [.finish])
    }

    func testACallGoesOutWhenEveryRequestIsReady() {
        var machine = BatchMachine(limit: 5)
        for _ in 0..<2 { _ = machine.add() }
        XCTAssertEqual(machine.start(), [])
        XCTAssertEqual(machine.arrive(1), [])
        XCTAssertEqual(machine.arrive(1), [])
        XCTAssertEqual(machine.arrive(0), [.send(call: 1, items: [0, 1])])
    }

    func testALongerSessionIsSeveralCallsInOrder() {
        var (machine, actions) = machine(5, limit: 2)
        XCTAssertEqual(actions, [.send(call: 1, items: [0, 1])])
        XCTAssertEqual(machine.begin(1), [0, 1])
        var answered = machine.answered(1)
        XCTAssertEqual(answered.waiting, [0, 1])
        XCTAssertEqual(answered.actions, [])
        XCTAssertEqual(machine.leave(0), [])
        XCTAssertEqual(machine.leave(1), [.send(call: 2, items: [2, 3])])
        answered = machine.answered(2)
        XCTAssertEqual(answered.waiting, [2, 3])
        actions = machine.leave(2) + machine.leave(3)
        XCTAssertEqual(actions, [.send(call: 3, items: [4])])
        XCTAssertEqual(machine.answered(3).waiting, [4])
        XCTAssertEqual(machine.leave(4), [.finish])
        XCTAssertEqual(machine.leave(4), [])
    }

    func testWhatGoesOutAgainGoesFirst() {
        var (machine, _) = machine(3, limit: 2)
        _ = machine.answered(1)
        XCTAssertEqual(machine.leave(0), [])
        XCTAssertEqual(machine.arrive(1), [.send(call: 2, items: [1, 2])])
        XCTAssertEqual(machine.answered(2).waiting, [1, 2])
        XCTAssertEqual(machine.leave(1) + machine.leave(2), [.finish])
    }

    func testAFailedCallIsTheEndOfItsRequestsAndOfThoseBehind() {
        var (machine, _) = machine(5, limit: 2)
        _ = machine.answered(1)
        XCTAssertEqual(machine.leave(0), [])
        XCTAssertEqual(machine.leave(1), [.send(call: 2, items: [2, 3])])
        XCTAssertEqual(machine.failed(2), [.fail([2, 3]), .refuse([4])])
        XCTAssertEqual(machine.failed(2), [])
        XCTAssertEqual(machine.leave(2) + machine.leave(3) + machine.leave(4), [.finish])
    }

    func testWhatComesAfterAFailureIsNotSent() {
        var (machine, _) = machine(4, limit: 1)
        _ = machine.answered(1)
        XCTAssertEqual(machine.arrive(0), [.send(call: 2, items: [0])])
        XCTAssertEqual(machine.failed(2), [.fail([0]), .refuse([1, 2, 3])])
        XCTAssertEqual(machine.arrive(1), [.refuse([1])])
    }

    func testALeaverIsNotSentAndItsAnswerIsNobodys() {
        var (machine, _) = machine(3, limit: 3)
        XCTAssertEqual(machine.leave(1), [])
        XCTAssertEqual(machine.begin(1), [0, 2])
        XCTAssertEqual(machine.leave(0), [])
        XCTAssertEqual(machine.items(of: 1), [0, 2])
        XCTAssertEqual(machine.answered(1).waiting, [nil, 2])
        XCTAssertEqual(machine.leave(2), [.finish])
    }

    func testACallWithoutRequestsIsAbandonedAndIsNoFailure() {
        var (machine, _) = machine(3, limit: 2)
        XCTAssertEqual(machine.leave(0), [])
        XCTAssertTrue(machine.isWanted(1))
        XCTAssertEqual(machine.leave(1), [.abandon(call: 1)])
        XCTAssertFalse(machine.isWanted(1))
        XCTAssertEqual(machine.begin(1), [])
        XCTAssertEqual(machine.failed(1), [.send(call: 2, items: [2])])
        XCTAssertEqual(machine.answered(1).waiting, [])
        XCTAssertEqual(machine.leave(2), [.abandon(call: 2), .finish])
        XCTAssertEqual(machine.failed(2), [])
    }

    func testNothingGoesOutAfterAStop() {
        var (machine, _) = machine(3, limit: 1)
        _ = machine.answered(1)
        machine.stop()
        XCTAssertEqual(machine.arrive(0), [])
        XCTAssertEqual(machine.leave(1), [])
        XCTAssertEqual(machine.leave(0) + machine.leave(2), [.finish])
    }

    func testRequestsThatEndBeforeTheStart() {
        var machine = BatchMachine(limit: 2)
        for _ in 0..<2 { _ = machine.add() }
        XCTAssertEqual(machine.leave(0), [])
        XCTAssertEqual(machine.start(), [])
        XCTAssertEqual(machine.arrive(0), [])
        XCTAssertEqual(machine.arrive(1), [.send(call: 1, items: [1])])
    }

    /// Events may come in any order: every request ends, the session finishes once, no call is
    /// larger than the limit, and two calls are never in flight.
    func testRandomSchedules() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var schedule = Schedule(
                count: Int.random(in: 0...9, using: &random),
                limit: Int.random(in: 1...4, using: &random))
            schedule.run(&random)
            XCTAssertTrue(schedule.live.isEmpty)
            XCTAssertEqual(schedule.finished, 1)
        }
    }
}

/// The requests, the calls and a random generator.
private struct Schedule {
    private var machine: BatchMachine
    private let limit: Int
    private var away: Set<Int>
    private(set) var live: Set<Int>
    private var call: (number: Int, items: [Int])?
    private var pending: [BatchMachine.Action] = []
    private(set) var finished = 0
    /// How many more requests may be sent, so that the schedule ends.
    private var sendsLeft = 40

    init(count: Int, limit: Int) {
        machine = BatchMachine(limit: limit)
        self.limit = limit
        for _ in 0..<count { _ = machine.add() }
        away = Set(0..<count)
        live = away
    }

    mutating func run(_ random: inout SystemRandomNumberGenerator) {
        pending = machine.start()
        while perform() { step(&random) }
    }

    private mutating func leave(_ item: Int) {
        away.remove(item)
        live.remove(item)
        pending += machine.leave(item)
    }

    /// Returns false when the session has finished.
    private mutating func perform() -> Bool {
        while !pending.isEmpty {
            switch pending.removeFirst() {
            case .send(let number, let items):
                XCTAssertNil(call)
                XCTAssertTrue((1...limit).contains(items.count))
                XCTAssertEqual(items, items.sorted())
                call = (number, items)
            case .abandon(let number):
                XCTAssertEqual(call?.number, number)
                call = nil
                pending += machine.failed(number)
            case .fail(let items), .refuse(let items):
                for item in items { leave(item) }
            case .finish:
                finished += 1
            }
        }
        return finished == 0
    }

    private mutating func step(_ random: inout SystemRandomNumberGenerator) {
        sendsLeft -= 1
        if let under = call, Bool.random(using: &random) {
            call = nil
            if Int.random(in: 0..<6, using: &random) == 0 {
                pending += machine.failed(under.number)
            } else {
                let (answered, actions) = machine.answered(under.number)
                let waiting = Set(answered.compactMap(\.self))
                XCTAssertEqual(waiting, Set(under.items).intersection(live))
                away.formUnion(waiting)
                pending += actions
            }
        } else if let item = away.randomElement(using: &random) {
            if sendsLeft > 0, Bool.random(using: &random) {
                away.remove(item)
                pending += machine.arrive(item)
            } else {
                leave(item)
            }
        } else if call != nil, let item = live.randomElement(using: &random) {
            leave(item)
        }
    }
}
