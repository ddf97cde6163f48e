import RestwayHTTP
import RestwayMapping
import XCTest

@testable import RestwayClient

/// Each way from each phase: where it leads, or that it is not open.
final class CallPhaseTests: XCTestCase {
    private static let id = ExchangeID(7)
    private static let names = [
        "exchanging", "parked", "exchanged", "processing", "committing", "storing", "completed",
    ]

    private static func phase(_ name: String) -> CallPhase {
        switch name {
        case "exchanging": .exchanging(id)
        case "parked": .parked
        case "exchanged": .exchanged
        case "processing": .processing
        case "committing": .committing
        case "storing": .storing
        default: .completed(.failure(Failure(.cancelled, "")))
        }
    }

    private static func name(_ phase: CallPhase) -> String {
        switch phase {
        case .exchanging(let id): id == nil ? "unnamed" : "exchanging"
        case .parked: "parked"
        case .exchanged: "exchanged"
        case .processing: "processing"
        case .committing: "committing"
        case .storing: "storing"
        case .completed: "completed"
        }
    }

    /// A way is open from `ways` alone, and leads where they say.
    private func assert(
        _ step: (inout CallPhase) -> Bool, leads ways: [String: String], _ line: UInt = #line
    ) {
        for from in Self.names {
            var phase = Self.phase(from)
            let isTaken = step(&phase)
            XCTAssertEqual(isTaken, ways[from] != nil, from, line: line)
            XCTAssertEqual(Self.name(phase), ways[from] ?? from, from, line: line)
        }
    }

    func testTheWaysOfMostCalls() {
        assert({ $0.endExchange() }, leads: ["exchanging": "exchanged"])
        assert({ $0.beginProcessing() }, leads: ["exchanged": "processing"])
        assert({ $0.beginCommit() }, leads: ["processing": "committing"])
    }

    func testWaitsAndRedirects() {
        assert({ $0.park() }, leads: ["exchanging": "parked", "processing": "parked"])
        assert({ $0.unpark() }, leads: ["parked": "unnamed"])
        assert({ $0.unparkUnsent() }, leads: ["parked": "processing"])
        assert({ $0.exchangeAgain() }, leads: ["processing": "unnamed"])
    }

    /// The name of an exchange may come behind its end, and behind the start of the next one.
    func testNames() {
        let later = ExchangeID(8)
        for name in Self.names {
            var latest = Self.phase(name)
            var former = Self.phase(name)
            let isWanted = name != "storing" && name != "completed"
            XCTAssertEqual(latest.isNamed(later, isLatest: true), isWanted, name)
            XCTAssertEqual(former.isNamed(later, isLatest: false), isWanted, name)
            XCTAssertEqual(latest.exchange, name == "exchanging" ? later : nil, name)
            XCTAssertEqual(former.exchange, name == "exchanging" ? Self.id : nil, name)
        }
    }

    func testStoring() {
        assert(
            { $0.beginStoring() != nil },
            leads: [
                "exchanging": "storing", "parked": "storing", "exchanged": "storing",
                "processing": "storing", "committing": "storing",
            ])
        var phase = Self.phase("exchanging")
        XCTAssertEqual(phase.beginStoring(), .transport(Self.id))
        phase = .parked
        XCTAssertEqual(phase.beginStoring(), .parked)
        phase = .processing
        XCTAssertEqual(phase.beginStoring(), .nowhere)
    }

    func testWhoCompletes() {
        func places(whenCommitting: Bool = false, whenStoring: Bool = false) -> [ExchangePlace?] {
            Self.names.map {
                Self.phase($0).placeToLeave(
                    whenCommitting: whenCommitting, whenStoring: whenStoring)
            }
        }
        let free: [ExchangePlace?] = [.transport(Self.id), .parked, .nowhere, .nowhere]
        XCTAssertEqual(places(), free + [nil, nil, nil])
        XCTAssertEqual(places(whenCommitting: true), free + [.nowhere, nil, nil])
        XCTAssertEqual(places(whenStoring: true), free + [nil, .nowhere, nil])
        XCTAssertEqual(
            places(whenCommitting: true, whenStoring: true), free + [.nowhere, .nowhere, nil])
    }
}
