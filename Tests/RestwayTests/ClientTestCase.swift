import XCTest

@testable import Restway

/// Tests of clients. At the end of each test, its clients must have ended, with everything that
/// belongs to them.
class ClientTestCase: XCTestCase {
    private struct Reference {
        let name: String
        weak var object: AnyObject?
    }

    private var references: [Reference] = []

    /// Notes a client that must have ended at the end of the test, and returns it.
    func ending(_ client: Client) -> Client {
        references += [
            Reference(name: "client", object: client),
            Reference(name: "client of the core", object: client.core),
            Reference(name: "calls of the core", object: client.core.calls),
            Reference(name: "store of the core", object: client.core.store),
            Reference(name: "watchers of the outbox", object: client.outboxWatchers),
        ]
        return client
    }

    /// Waits until all clients have ended: a worker may hold one for a moment longer.
    override func tearDown() async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while references.contains(where: { $0.object != nil }), ContinuousClock.now < deadline {
            await Task.yield()
        }
        XCTAssertEqual(references.filter { $0.object != nil }.map(\.name), [])
        references = []
    }
}
