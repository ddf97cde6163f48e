import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome

/// Calls end in any order, each once. A close completes the remaining calls, oldest first.
final class CallListTests: XCTestCase {
    func testCallsEndInAnyOrder() throws {
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
            for endedCount in 0...order.count {
                let client = try Client(
                    api: try TestAPI.load(), options: ClientOptions(), transport: FakeTransport())
                let calls = try order.indices.map {
                    try client.calls.makeCall(.get("companies/\($0)"))
                }
                for call in calls { try client.calls.register(call) }
                for index in order[..<endedCount] {
                    client.calls.ended(calls[index], .failure(Failure.closed), nil)
                    client.calls.ended(calls[index], .failure(Failure.closed), nil)
                }
                let left = order[endedCount...].sorted().map { ObjectIdentifier(calls[$0]) }
                XCTAssertEqual(client.calls.close().map(ObjectIdentifier.init), left)
            }
        }
    }
}
