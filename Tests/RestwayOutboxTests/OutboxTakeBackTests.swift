import RestwayObjects
@testable import RestwayOutbox
import RestwayThreads
import XCTest

/// Tests which changes of one object are taken back when items are dropped.
final class OutboxTakeBackTests: XCTestCase {
    private typealias Layer = OutboxTakeBack.Layer

    private func layer(_ item: Int64, _ before: Int64?, _ after: Int64?) -> Layer {
        Layer(item: item, name: "name", before: value(before), after: value(after))
    }

    private func value(_ number: Int64?) -> Value { number.map { .int64($0) } ?? .absent }

    private func decide(
        _ layers: [Layer], maker: Int64? = nil, _ dropped: Int64...
    ) -> [String] {
        let decision = OutboxTakeBack(layers, maker: maker, dropping: Set(dropped))
        let steps = decision.steps.map { item, step in
            switch step {
            case .delete: "\(item) deletes"
            case .restore(let name, let from, let to, let needsUnsent):
                "\(item) \(name) \(text(from)) to \(text(to))" + (needsUnsent ? ", unsent" : "")
            }
        }
        let moved = decision.moved.map { "\($0.item) begins with \(text($0.before))" }
        return steps + moved + (decision.newMaker.map { ["\($0) inherits"] } ?? [])
    }

    private func text(_ value: Value) -> String {
        if case .int64(let number) = value { "\(number)" } else { "nothing" }
    }

    func testTheLastItemGivesBackWhatWasThereBefore() {
        XCTAssertEqual(decide([layer(1, 0, 10)], 1), ["1 name 10 to 0"])
        XCTAssertEqual(decide([layer(1, nil, 10)], 1), ["1 name 10 to nothing"])
        XCTAssertEqual(decide([layer(1, 0, 10), layer(2, 10, 20)], 2), ["2 name 20 to 10"])
    }

    func testAnItemBelowAnotherLetsThatBeginWithWhatWasThereBefore() {
        let layers = [layer(1, 0, 10), layer(2, 10, 20), layer(3, 20, 30)]
        XCTAssertEqual(decide(layers, 2), ["3 begins with 10"])
        XCTAssertEqual(decide(layers, 1), ["2 begins with 0"])
        XCTAssertEqual(decide(layers, 1, 2), ["3 begins with 0"])
        XCTAssertEqual(decide(layers, 1, 3), ["3 name 30 to 20", "2 begins with 0"])
        XCTAssertEqual(
            decide(layers, 1, 2, 3), ["3 name 30 to 20", "2 name 20 to 10", "1 name 10 to 0"])
    }

    func testWhatSomebodyElseChangedInBetweenStaysBelow() {
        let layers = [layer(1, 0, 10), layer(2, 5, 20)]
        XCTAssertEqual(decide(layers, 1), [])
        XCTAssertEqual(decide(layers, 2), ["2 name 20 to 5"])
        XCTAssertEqual(decide(layers, 1, 2), ["2 name 20 to 5", "1 name 10 to 0"])
    }

    func testWhatAnItemMadeIsDeletedUnlessALaterOneIsAboutIt() {
        let made = layer(1, nil, 10)
        XCTAssertEqual(decide([made], maker: 1, 1), ["1 deletes"])
        XCTAssertEqual(
            decide([made, layer(2, 10, 20)], maker: 1, 1), ["2 begins with nothing", "2 inherits"])
        XCTAssertEqual(
            decide([made, layer(2, 10, 20)], maker: 1, 1, 2), ["2 name 20 to 10", "1 deletes"])
        let other = Layer(item: 2, name: "age", before: .absent, after: .int64(3))
        XCTAssertEqual(
            decide([made, other], maker: 1, 1), ["1 name 10 to nothing, unsent", "2 inherits"])
        XCTAssertEqual(decide([made, other], maker: 1, 2).count, 1)
    }

    // MARK: Random histories

    /// A model of one cell: its events, in order. The visible value comes from the last remaining
    /// event.
    private struct History {
        struct Event {
            /// `nil` means an event of another source.
            var item: Int64?
            var value: Int64
        }

        var events = [Event(item: nil, value: 0)]
        var shown: Int64 { events.last?.value ?? 0 }
    }

    /// The values that a store and a journal keep: one value, and the layers.
    private struct Kept {
        var shown: Int64 = 0
        var layers: [Layer] = []
    }

    func testRandomHistoriesEndAsIfWhatWasDroppedHadNeverHappened() {
        let first = UInt64.random(in: 1...1_000_000)
        print("seeds 1...200 and \(first)...\(first + 200)")
        for seed in Array(1...200) + Array(first...first + 200) {
            run(seed)
            if (testRun?.failureCount ?? 0) > 0 { return XCTFail("seed \(seed)") }
        }
    }

    private func run(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var (history, kept) = (History(), Kept())
        var last: Int64 = 0
        for _ in 0..<40 {
            // Each value is different.
            last += 1
            let stored = kept.layers.map(\.item)
            switch Int.random(in: 0..<8, using: &random) {
            case 0...3:
                kept.layers.append(
                    Layer(
                        item: last, name: "name", before: .int64(kept.shown),
                        after: .int64(last * 10)))
                kept.shown = last * 10
                history.events.append(.init(item: last, value: last * 10))
            case 4:
                kept.shown = last * 10
                history.events.append(.init(item: nil, value: last * 10))
            case 5:
                // The oldest is delivered: its value is the base from now on.
                guard let oldest = stored.first else { break }
                kept.layers.removeFirst()
                for index in history.events.indices where history.events[index].item == oldest {
                    history.events[index].item = nil
                }
            default:
                let count = Int.random(in: 0...2, using: &random)
                let dropped = Set(stored.shuffled(using: &random).prefix(count))
                history.events.removeAll { $0.item.map { dropped.contains($0) } ?? false }
                drop(dropped, &kept)
            }
            XCTAssertEqual(kept.shown, history.shown)
        }
    }

    private func drop(_ dropped: Set<Int64>, _ kept: inout Kept) {
        let decision = OutboxTakeBack(kept.layers, maker: nil, dropping: dropped)
        kept.layers.removeAll { dropped.contains($0.item) }
        for moved in decision.moved {
            let index = kept.layers.firstIndex { $0.item == moved.item }
            if let index { kept.layers[index] = moved } else { XCTFail("\(moved)") }
        }
        for (_, step) in decision.steps {
            guard case .restore(_, .int64(let from), .int64(let to), _) = step else { continue }
            if kept.shown == from { kept.shown = to }
        }
    }
}
