import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// The levels of records about requests that fail or are stored: only something that the program
/// does not learn in another way is an error.
final class LogLevelTests: OutboxTestCase {
    private let records = Monitor<[LogRecord]>([])

    override func setUpWithError() throws {
        try super.setUpWithError()
        Log.shared.set(LogLevels(all: .debug)) { [records] record in
            records.update { $0.append(record) }
        }
    }

    override func tearDown() {
        Log.shared.set(LogLevels(), nil)
        super.tearDown()
    }

    /// Waits for `count` records whose messages contain `text`, and returns their levels. The
    /// record about a call may come a moment after the call has ended.
    private func levels(_ text: String, _ count: Int = 1) -> [LogLevel] {
        records.wait { records in
            let found = records.filter { $0.message.contains(text) }
            return found.count < count ? nil : found.map(\.level)
        }!
    }

    private var errors: [String] {
        Log.shared.flush()
        return records.withLock { $0 }.filter { $0.level == .error }.map(\.message)
    }

    func testAFailureThatTheProgramGetsIsNoErrorInTheLog() throws {
        let client = try client()
        let refused = try client.send(RequestSpec(target: .path(.get, "things/1")))
        transport.answer(404, "{}")
        XCTAssertEqual(failure(of: refused)?.reason, .http)
        let broken = try client.send(RequestSpec(target: .path(.post, "other")))
        transport.next().fail(.connect)
        XCTAssertEqual(failure(of: broken)?.reason, .connect)
        XCTAssertEqual(levels("answered 404"), [.info])
        XCTAssertEqual(levels("http://api.test/v1/other: "), [.info])
        XCTAssertEqual(errors, [])
    }

    func testAStoredRequestAndItsAttemptsAreNoErrorsInTheLog() throws {
        let client = try client()
        try queueOffline(client, put(1))
        XCTAssertEqual(levels("was stored as item 1", 2), [.info, .info])
        try flush(client)
        transport.next().fail(.connect)
        XCTAssertEqual(words(nextFlushed()), ["1 waiting 0"])
        XCTAssertEqual(levels("PUT http://api.test/v1/things/1: "), [.info])
        XCTAssertEqual(errors, [])
    }

    func testADeadLetterIsAnErrorInTheLogUnlessTheProgramIsTold() throws {
        let client = try client()
        try queueOffline(client, put(1), put(2))
        try flush(client)
        transport.answer(422, "{}")
        transport.answer(200, "{}")
        XCTAssertEqual(words(nextFlushed()), ["1 dead 422", "2 delivered 200"])
        XCTAssertEqual(levels("item 1 of the outbox is a dead letter"), [.info])

        try queueOffline(client, put(3))
        try observe(client)
        try client.setReachability(.unknown)
        transport.answer(422, "{}")
        _ = nextFlushed()
        XCTAssertEqual(levels("item 3 of the outbox is a dead letter"), [.info])
        XCTAssertEqual(errors, [])

        try client.requireOutbox().setObserver(nil)
        let id = try queueOffline(client, put(4))[0]
        try client.setReachability(.unknown)
        transport.answer(422, "{}")
        while try client.requireOutbox().find(id).state != .dead { sched_yield() }
        XCTAssertEqual(levels("item \(id) of the outbox is a dead letter"), [.error])
    }
}
