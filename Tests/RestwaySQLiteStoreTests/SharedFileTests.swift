import Dispatch
import RestwayObjects
import RestwaySQLite
import RestwaySQLiteStore
import XCTest

/// Two stores with one file: each treats the other like another process.
final class SharedFileTests: SQLiteTestCase {
    private func row(_ id: Int64, _ text: String) -> Snapshot {
        Snapshot.make(all, [.int64(id), .string(text)])
    }

    private func text(_ store: SQLiteStore, _ id: Int64) throws -> Value? {
        try store.object(all, .integer(id))?.value(at: 1)
    }

    func testEachSeesWhatTheOtherCommitted() throws {
        let (first, second) = (try file.open([all]), try file.open([all]))
        for round in 0..<5 {
            try commit(first, row(1, "first \(round)"))
            XCTAssertEqual(try text(first, 1), .string("first \(round)"))
            XCTAssertEqual(try text(second, 1), .string("first \(round)"))
            try commit(second, row(1, "second \(round)"))
            XCTAssertEqual(try text(second, 1), .string("second \(round)"))
            XCTAssertEqual(try text(first, 1), .string("second \(round)"))
        }
        XCTAssertEqual(try first.count(all), 1)
    }

    func testACommitMergesIntoWhatTheOtherCommitted() throws {
        let (first, second) = (try file.open([all]), try file.open([all]))
        try commit(first, row(1, "a"))
        try commit(second, Snapshot.make(all, [.int64(1), .absent, .bool(true)]))
        try commit(first, Snapshot.make(all, [.int64(1), .absent, .absent, .int64(5)]))
        XCTAssertEqual(
            try second.object(all, .integer(1))?.values.prefix(4),
            [.int64(1), .string("a"), .bool(true), .int64(5)])
    }

    func testTheyNeverGiveOneKeyTwice() throws {
        let (first, second) = (try file.open([all]), try file.open([all]))
        var keys: [Int64] = []
        for id in 0..<10 {
            let store = id.isMultiple(of: 2) ? first : second
            let commit = try store.commit(ChangeSet(rows: [row(Int64(id), "a")]))
            keys.append(commit.objects[0].storeKey)
        }
        XCTAssertEqual(keys, Array(1...10))
    }

    func testBothWriteSideBySide() throws {
        let stores = [try file.open([all]), try file.open([all])]
        let all = all
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            for round in 0..<50 {
                let rows = (0..<5).map {
                    Snapshot.make(
                        all, [.int64(Int64((round + $0) % 20)), .string("\(thread) \(round)")])
                }
                do {
                    _ = try stores[thread].commit(ChangeSet(rows: rows))
                } catch {
                    XCTFail("\(error)")
                }
            }
        }
        for store in stores {
            XCTAssertEqual(try store.count(all), 20)
            let texts = try (0..<20).map { try text(store, Int64($0)) }
            XCTAssertEqual(
                texts,
                try file.open([all]).objects(Query(all))
                    .sorted { $0.cell(at: 0).integer < $1.cell(at: 0).integer }
                    .map { $0.value(at: 1) })
        }
    }
}
