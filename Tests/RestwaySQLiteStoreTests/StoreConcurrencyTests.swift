import Dispatch
import RestwayObjects
import XCTest

final class StoreConcurrencyTests: StoreTestCase {
    /// Each commit writes one number into every object, twice; a reader that saw half of a snapshot
    /// would see two different numbers.
    func testReadersBesideACommitterSeeWholeSnapshotsThatOnlyGetNewer() throws {
        try withEachStore {
            let entity = Companies.entity()
            let store = try makeStore([entity])
            let (rounds, objects) = (200, 20)
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                if thread == 0 {
                    for round in 1...rounds {
                        let rows = (0..<objects).map {
                            Companies.row(
                                entity, .int64(Int64($0)), .string("\(round)"),
                                .double(Double(round)))
                        }
                        XCTAssertNotNil(try? store.commit(ChangeSet(rows: rows)))
                    }
                    return
                }
                var newest = [Double](repeating: 0, count: objects)
                for _ in 0..<rounds {
                    for index in 0..<objects {
                        guard let object = try? store.object(entity, .integer(Int64(index))),
                            case .double(let round) = object.value(at: 2)
                        else { continue }
                        XCTAssertEqual(object.string(at: 1), "\(Int(round))")
                        XCTAssertGreaterThanOrEqual(round, newest[index])
                        newest[index] = round
                    }
                }
            }
            XCTAssertEqual(try store.count(entity), objects)
        }
    }

    func testCommittersSideBySideNeverMakeOneIdentityTwice() throws {
        try withEachStore {
            let entity = Companies.entity()
            let store = try makeStore([entity])
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for round in 0..<100 {
                    let rows = (0..<10).map {
                        Companies.row(
                            entity, .int64(Int64((round + $0) % 50)), .string("\(thread)"))
                    }
                    XCTAssertNotNil(try? store.commit(ChangeSet(rows: rows)))
                }
            }
            XCTAssertEqual(try store.count(entity), 50)
            let keys = try (0..<50).compactMap { try store.object(entity, .integer($0))?.storeKey }
            XCTAssertEqual(Set(keys).count, 50)
        }
    }
}
