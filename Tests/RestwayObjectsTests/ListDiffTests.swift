import RestwayObjects
import RestwayThreads
import XCTest

/// Applying a difference to the old list gives the new list, with as few moves as possible.
final class ListDiffTests: XCTestCase {
    /// Applies a difference as the header describes it.
    private func apply(_ diff: ListDiff, to old: [Int64], from new: [Int64]) -> [Int64] {
        var list = old
        for place in (diff.deletions + diff.moves.map(\.from)).sorted(by: >) {
            list.remove(at: place)
        }
        let moved = diff.moves.map { (place: $0.to, key: old[$0.from]) }
        let inserted = diff.insertions.map { (place: $0, key: new[$0]) }
        for (place, key) in (moved + inserted).sorted(by: { $0.place < $1.place }) {
            list.insert(key, at: place)
        }
        return list
    }

    /// The length of the longest part of `numbers` that rises, found by trying all parts.
    private func longestRise(_ numbers: [Int]) -> Int {
        (0..<1 << numbers.count).map { (set: Int) -> Int in
            let part = numbers.indices.filter { set >> $0 & 1 == 1 }.map { numbers[$0] }
            return part == part.sorted() ? part.count : 0
        }.max() ?? 0
    }

    private func list(_ random: inout SeededRandom, upTo count: Int64) -> [Int64] {
        let keys = (1...count).filter { _ in Int.random(in: 0..<3, using: &random) > 0 }
        // Most lists change a little, some altogether.
        var list = keys
        if Bool.random(using: &random) {
            list.shuffle(using: &random)
        } else if let key = list.randomElement(using: &random) {
            list.removeAll { $0 == key }
            list.insert(key, at: Int.random(in: 0...list.count, using: &random))
        }
        return list
    }

    func testRandomLists() {
        var random = SeededRandom(seed: 1)
        for round in 0..<3_000 {
            let count: Int64 = round % 10 == 0 ? 60 : 8
            let old = list(&random, upTo: count)
            let new = list(&random, upTo: count)
            let diff = ListDiff(from: old, to: new)
            let place = "\(old) -> \(new): \(diff)"
            XCTAssertEqual(apply(diff, to: old, from: new), new, place)
            XCTAssertEqual(diff.deletions.map { old[$0] }, old.filter { !new.contains($0) }, place)
            XCTAssertEqual(diff.insertions.map { new[$0] }, new.filter { !old.contains($0) }, place)
            XCTAssertEqual(diff.moves.map(\.to), diff.moves.map(\.to).sorted(), place)
            XCTAssertEqual(diff.isEmpty, old == new, place)
            if count == 8 {
                let kept = new.compactMap { old.firstIndex(of: $0) }
                XCTAssertEqual(diff.moves.count, kept.count - longestRise(kept), place)
            }
            if testRun?.totalFailureCount != 0 { return }
        }
    }

    func testOneMoveMovesOneObject() {
        let diff = ListDiff(from: [1, 2, 3, 4], to: [4, 1, 2, 3])
        XCTAssertEqual(diff.moves, [.init(from: 3, to: 0)])
        XCTAssertTrue(diff.deletions.isEmpty && diff.insertions.isEmpty)
        XCTAssertTrue(ListDiff(from: [], to: []).isEmpty)
    }
}
