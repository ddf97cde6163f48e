import RandomRounds
import RestwayThreads
import XCTest

@testable import RestwayOutbox

/// Random schedules of a flush, with every thread that looks and every call on its own time. A
/// reference model that keeps the whole history says after each event what the machine may do.
final class FlushScheduleTests: XCTestCase {
    /// The history of events, and the rules in terms of this history rather than of a state.
    private struct Model {
        enum Event: Equatable {
            case asked(FlushMachine.Urgency, byHand: Bool)
            case resumed, stopped, closed, took, answered, settled, lookBegan, lookEnded, ended
        }

        var history: [Event] = []

        private func count(_ event: Event) -> Int { history.filter { $0 == event }.count }

        var callsOut: Int { count(.took) - count(.answered) }
        var callsBeingSettled: Int { count(.answered) - count(.settled) }
        var scanners: Int { count(.lookBegan) - count(.lookEnded) }
        var isClosed: Bool { history.contains(.closed) }

        /// The events of the flush that is running; `nil` if no flush is running.
        var flush: ArraySlice<Event>? {
            let last = history.lastIndex(of: .ended).map { $0 + 1 } ?? 0
            let asked = history[last...].firstIndex { if case .asked = $0 { true } else { false } }
            return asked.map { history[$0...] }
        }

        var isByHand: Bool {
            (flush ?? []).contains { $0 == .asked(.eager, byHand: true) }
                || (flush ?? []).contains { $0 == .asked(.forced, byHand: true) }
        }

        /// Whether an event stopped the flush and no later event has continued it.
        var hasStopped: Bool {
            guard let flush, let stop = flush.lastIndex(of: .stopped) else { return false }
            return !flush[stop...].contains { event in
                switch event {
                case .resumed: true
                case .asked(let urgency, _): urgency > .ordinary
                default: false
                }
            }
        }

        func mayTake(callsMax: Int, isRuledOut: Bool) -> Bool {
            !isClosed && flush != nil && !hasStopped && callsOut < callsMax
                && callsBeingSettled <= callsMax && (isByHand || !isRuledOut)
        }
    }

    private var random = SeededRandom(seed: 1)
    private var machine = FlushMachine(.init(), batching: OutboxBatching(limit: 1, failuresMax: 1))
    private var model = Model()
    private var now = Deadline.past
    private var isRuledOut = false
    /// The number of looks that a worker was asked for and has not begun.
    private var scansOwed = 0
    private var itemsLeft = 0
    private var (callsMax, ends, flushesBegun) = (1, 0, 0)

    func testTheMachineDoesWhatTheHistoryAllows() {
        for seed in 1...UInt64(rounds(200)) {
            begin(seed)
            for _ in 0..<150 { step() }
            drain()
            XCTAssertEqual(ends, flushesBegun, "a flush ends exactly once, seed \(seed)")
        }
    }

    private func begin(_ seed: UInt64) {
        random = SeededRandom(seed: seed)
        callsMax = Int.random(in: 1...3, using: &random)
        var settings = FlushMachine.Settings()
        settings.callsMax = callsMax
        let limit = Bool.random(using: &random) ? Int.random(in: 1...4, using: &random) : nil
        machine = FlushMachine(settings, batching: OutboxBatching(limit: limit, failuresMax: nil))
        model = Model()
        (now, isRuledOut, scansOwed, itemsLeft) = (.past, false, 0, 0)
        (ends, flushesBegun) = (0, 0)
    }

    private func step() {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: ask([.ordinary, .eager, .forced].randomElement(using: &random)!)
        case 1:
            itemsLeft += Int.random(in: 1...5, using: &random)
            ask(.ordinary)
        case 2: isRuledOut.toggle()
        case 3:
            machine.endHold()
            if model.flush != nil { model.history.append(.resumed) }
            ask(.ordinary)
        case 4 where Int.random(in: 0..<8, using: &random) == 0: stop()
        case 5 where Int.random(in: 0..<60, using: &random) == 0:
            machine.close()
            model.history.append(.closed)
        case 6: now = now.advanced(milliseconds: Int64.random(in: 0...300, using: &random))
        case 7, 8: answer()
        case 9: settle()
        default: scan()
        }
        check()
    }

    private func ask(_ urgency: FlushMachine.Urgency) {
        let isByHand = urgency > .ordinary && Bool.random(using: &random)
        let wasActive = machine.isActive
        let isHeld = machine.hold(after: now) != nil
        let start = machine.begin(urgency, isByHand: isByHand, now: now, isRuledOut: isRuledOut)
        if model.isClosed { return XCTAssertEqual(start, .closed) }
        if !wasActive, urgency == .ordinary, isRuledOut || isHeld {
            return XCTAssertEqual(start, .notNow)
        }
        if !wasActive { flushesBegun += 1 }
        model.history.append(.asked(urgency, byHand: isByHand))
        owe(start == .scan)
        XCTAssertTrue(start == .scan || start == .joined)
    }

    private func stop() {
        guard model.flush != nil else { return }
        let held = Int64.random(in: 0...200, using: &random)
        machine.stop(heldUntil: now.advanced(milliseconds: held))
        model.history.append(.stopped)
    }

    private func answer() {
        guard model.callsOut > 0 else { return }
        if Int.random(in: 0..<6, using: &random) == 0 {
            var attempt = FlushMachine.Attempt()
            attempt.isGivenBack = true
            _ = machine.judge([attempt], isBatch: false, now: now)
            model.history.append(.stopped)
        }
        let owesScan = machine.answered()
        model.history.append(.answered)
        if model.hasStopped { XCTAssertFalse(owesScan) }
        owe(owesScan)
    }

    private func settle() {
        guard model.callsBeingSettled > 0 else { return }
        let owesScan = machine.settled()
        model.history.append(.settled)
        owe(owesScan)
    }

    private func owe(_ scan: Bool) {
        guard scan else { return }
        XCTAssertEqual(model.scanners + scansOwed, 0, "two threads would look")
        scansOwed += 1
    }

    /// One step of a thread that looks.
    private func scan() {
        if scansOwed > 0 {
            scansOwed -= 1
            model.history.append(.lookBegan)
        }
        guard model.scanners == 1 else { return }
        let mayTake = model.mayTake(callsMax: callsMax, isRuledOut: isRuledOut)
        switch machine.next(isRuledOut: isRuledOut) {
        case .take(let take):
            XCTAssertTrue(mayTake)
            let count = itemsLeft >= take.itemsMin ? min(itemsLeft, take.itemsMax) : 0
            itemsLeft -= count
            machine.took(count)
            if count > 0 { model.history.append(.took) }
        case .rest:
            model.history.append(.lookEnded)
            XCTAssertTrue(model.flush == nil || model.callsOut + model.callsBeingSettled > 0)
        case .end:
            model.history.append(.lookEnded)
            XCTAssertEqual(model.callsOut + model.callsBeingSettled, 0)
            XCTAssertFalse(
                model.mayTake(callsMax: callsMax, isRuledOut: isRuledOut) && itemsLeft > 0,
                "items that could go out are left behind")
            model.history.append(.ended)
            ends += 1
        }
    }

    private func check() {
        XCTAssertLessThanOrEqual(model.callsOut, callsMax)
        XCTAssertEqual(machine.isActive, model.flush != nil)
        let isIdle = model.callsOut + model.callsBeingSettled + model.scanners + scansOwed == 0
        XCTAssertEqual(machine.isIdle, isIdle)
        if machine.isActive { XCTAssertFalse(isIdle, "nobody would end the flush") }
    }

    /// Completes all looks and calls that have begun, until the flush ends.
    private func drain() {
        for _ in 0..<10_000 where machine.isActive || !machine.isIdle {
            itemsLeft = min(itemsLeft, 20)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: answer()
            case 1: settle()
            default: scan()
            }
            check()
        }
        XCTAssertFalse(machine.isActive)
    }
}
