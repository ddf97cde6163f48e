import XCTest

@testable import RestwayCalls

/// Tests which calls share an exchange, and random schedules against a simple model.
final class FlightTableTests: XCTestCase {
    func testTheFirstCallLeadsAndTheOthersWait() {
        var table = FlightTable<String>()
        XCTAssertTrue(table.arrive(1, at: "a"))
        XCTAssertFalse(table.arrive(2, at: "a"))
        XCTAssertFalse(table.arrive(3, at: "a"))
        XCTAssertTrue(table.arrive(4, at: "b"))
        XCTAssertEqual(table.end(1, at: "a"), [2, 3])
        XCTAssertEqual(table.end(1, at: "a"), [])
        XCTAssertTrue(table.arrive(5, at: "a"))
    }

    func testTheNextCallLeadsAfterTheLeaderHasLeft() {
        var table = FlightTable<String>()
        for call in 1...3 { _ = table.arrive(UInt64(call), at: "a") }
        XCTAssertNil(table.leave(2, at: "a"))
        XCTAssertEqual(table.leave(1, at: "a"), 3)
        XCTAssertEqual(table.end(1, at: "a"), [])
        XCTAssertNil(table.leave(1, at: "a"))
        XCTAssertNil(table.leave(3, at: "a"))
        XCTAssertTrue(table.isEmpty)
    }

    func testABackgroundRequestLeadsOnlyAFlightOfItsOwn() {
        var table = FlightTable<String>()
        XCTAssertTrue(table.lead(1, at: "a"))
        XCTAssertFalse(table.lead(2, at: "a"))
        XCTAssertFalse(table.arrive(3, at: "a"))
        XCTAssertEqual(table.end(1, at: "a"), [3])
        XCTAssertFalse(table.end(2, at: "a").contains(3))
    }

    /// The same rules once more: all calls of a key in the order of their arrival, the first of
    /// which leads.
    private struct Model {
        var calls: [String: [UInt64]] = [:]

        mutating func arrive(_ call: UInt64, _ key: String) -> Bool {
            calls[key, default: []].append(call)
            return calls[key]?.first == call
        }

        mutating func lead(_ call: UInt64, _ key: String) -> Bool {
            guard calls[key, default: []].isEmpty else { return false }
            return arrive(call, key)
        }

        mutating func leave(_ call: UInt64, _ key: String) -> UInt64? {
            let first = calls[key]?.first
            calls[key]?.removeAll { $0 == call }
            return first == call ? calls[key]?.first : nil
        }

        mutating func end(_ call: UInt64, _ key: String) -> [UInt64] {
            guard calls[key]?.first == call else { return [] }
            return Array((calls.removeValue(forKey: key) ?? []).dropFirst())
        }
    }

    func testRandomSchedulesAgreeWithTheModel() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var (table, model) = (FlightTable<String>(), Model())
            var last: UInt64 = 0
            var known: [(UInt64, String)] = [(0, "a")]
            for _ in 0..<200 {
                let key = ["a", "b", "c"].randomElement(using: &random) ?? "a"
                let (call, place) = known.randomElement(using: &random) ?? (0, "a")
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1, 2:
                    last += 1
                    known.append((last, key))
                    XCTAssertEqual(table.arrive(last, at: key), model.arrive(last, key))
                case 3:
                    last += 1
                    let leads = model.lead(last, key)
                    if leads { known.append((last, key)) }
                    XCTAssertEqual(table.lead(last, at: key), leads)
                case 4: XCTAssertEqual(table.leave(call, at: place), model.leave(call, place))
                default: XCTAssertEqual(table.end(call, at: place), model.end(call, place))
                }
            }
            for (call, key) in known {
                XCTAssertEqual(table.leave(call, at: key), model.leave(call, key))
            }
            XCTAssertTrue(table.isEmpty)
        }
    }
}
