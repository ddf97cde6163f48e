import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome

/// Calls leave the list in any order, each once.
final class CallListTests: XCTestCase {
    func testCallsLeaveInAnyOrder() throws {
        let client = try Client(
            api: try TestAPI.load(), options: ClientOptions(), transport: FakeTransport())
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
            let calls = try order.indices.map {
                try client.calls.makeCall(.get("companies/\($0)"))
            }
            var list = CallList()
            for call in calls { list.add(call) }
            for (number, index) in order.enumerated() {
                list.remove(calls[index])
                list.remove(calls[index])
                let left = Set(order[(number + 1)...].map { ObjectIdentifier(calls[$0]) })
                XCTAssertEqual(Set(list.all.map(ObjectIdentifier.init)), left)
                XCTAssertEqual(list.all.count, left.count)
            }
            XCTAssertTrue(list.isEmpty)
        }
    }
}
