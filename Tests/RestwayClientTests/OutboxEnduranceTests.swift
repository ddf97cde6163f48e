import RestwayHTTP
import RestwayObjects
import RestwayRouting
import RestwaySQLite
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// The outbox without a section in the document, after many openings, and after failed flushes.
final class OutboxEnduranceTests: OutboxTestCase {
    private var hasSection = true

    override func document(_ outbox: String, _ rest: String, routes: String) -> String {
        let whole = super.document(outbox, rest, routes: routes)
        if hasSection { return whole }
        let start = whole.firstRange(of: #""outbox": {"#)!.lowerBound
        let end = whole[start...].firstRange(of: "},")!.upperBound
        return String(whole[..<start] + whole[end...])
    }

    /// Polls until `isDone` returns true, or ten seconds have passed.
    private func wait(
        _ what: String, file: StaticString = #filePath, line: UInt = #line,
        _ isDone: () throws -> Bool
    ) rethrows {
        let limit = SystemClock().now().advanced(milliseconds: 10_000)
        while SystemClock().now() < limit {
            if try isDone() { return }
            sched_yield()
        }
        XCTFail("it never came to \(what)", file: file, line: line)
    }

    /// Moves the clock, by less than `milliseconds` in total, until a request is sent.
    private func advanceUntilSomethingIsSent(
        within milliseconds: Int64, file: StaticString = #filePath, line: UInt = #line
    ) {
        var left = milliseconds
        wait("another attempt", file: file, line: line) {
            if transport.waitingCount > 0 { return true }
            if let next = clock.nextMilliseconds, next <= left {
                clock.advance(milliseconds: next)
                left -= next
            }
            return false
        }
    }

    // MARK: Without a section

    func testAFileInTheOptionsIsEnoughForRoutesThatAreStored() throws {
        hasSection = false
        let client = try client()
        try queueOffline(client, put(1))
        XCTAssertEqual(try states(client), ["1 waiting"])
        try flush(client)
        transport.answer(200, #"{"id":1}"#)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200"])
    }

    func testWithoutAnyFileTheErrorSaysWhatToAdd() throws {
        hasSection = false
        let refused = refusal { _ = try self.client { $0.files.outbox = nil } }
        XCTAssertEqual(refused?.reason, .config)
        for word in ["\"thing\"", "\"offline\"", "\"outbox\" section", "outbox_path"] {
            XCTAssertTrue(refused?.message.contains(word) ?? false, refused?.message ?? "")
        }
    }

    func testARouteThatIsAddedLaterIsNotSilentlyUnstored() throws {
        let api = try TestAPI.load(
            #"{"restway": 1, "environments": {"t": {"baseURL": "http://api.test"}}}"#)
        let client = try Client(
            api: api, options: ClientOptions(), transport: transport, clock: clock)
        addTeardownBlock { client.close() }
        let text = #"{"method": ["GET", "PUT"], "path": "late", "offline": true}"#
        try Array(text.utf8).withUnsafeBytes { try api.addRoute("late", $0) }
        let refused = refusal {
            _ = try client.send(RequestSpec(target: .route("late", .put)))
        }
        XCTAssertEqual(refused?.reason, .config)
        XCTAssertTrue(refused?.message.contains("outbox_path") ?? false)
        // A method that is never stored needs no outbox.
        let call = try client.send(RequestSpec(target: .route("late", .get)))
        transport.answer(200)
        XCTAssertEqual(try call.wait(milliseconds: 0).status, 200)
        XCTAssertEqual(refusal { _ = try client.requireOutbox() }?.reason, .config)
    }

    // MARK: Many openings

    func testAHundredOpeningsOfflineDoubleNothing() throws {
        let file = directory + "/objects.db"
        var expected: [String] = []
        for number in 1...100 {
            let client = try client(transport: FakeTransport()) { $0.files.store = file }
            try client.setReachability(.unreachable)
            let before = try client.requireOutbox().list().all
            XCTAssertEqual(before.count, number - 1)
            if number % 2 == 0 {
                try queue(client, put(number))
                expected.append("PUT things/\(number)")
            } else {
                let draft = Draft(try client.api.entity(named: "Thing"))
                try draft.set(.string("\(number)"), attribute: 1)
                try queue(
                    client,
                    RequestSpec(target: .subject(.post), subject: .draft(draft, client.store)))
                expected.append("POST things")
            }
            let after = try client.requireOutbox().list().all
            XCTAssertEqual(after.dropLast().map(\.idempotencyKey), before.map(\.idempotencyKey))
            XCTAssertEqual(try client.store.count(nil), (number + 1) / 2)
            client.close()
        }
        let client = try client { $0.files.store = file }
        let keys = try client.requireOutbox().list().all.map(\.idempotencyKey)
        XCTAssertEqual(Set(keys).count, 100)
        try flush(client)
        for (number, words) in expected.enumerated() {
            let started = transport.next()
            let isPost = words.hasPrefix("POST")
            XCTAssertTrue(text(started.exchange).hasPrefix(words), words)
            XCTAssertEqual(key(started.exchange), keys[number])
            started.answer(isPost ? 201 : 200, #"{"id":\#((isPost ? 1_001 : 1) + number)}"#)
        }
        XCTAssertEqual(nextFlushed().all.count, 100)
        XCTAssertEqual(try states(client), [])
        XCTAssertEqual(transport.waitingCount, 0)
        XCTAssertEqual(try client.store.statistics().objectCount, 100)
    }

    // MARK: Flushes that failed

    func testNothingIsSentBeforeADeliveryIsRecorded() throws {
        let client = try client(
            #", "intervalMilliseconds": -1, "busyTimeoutMilliseconds": 0"#)
        // This client is the sender from here on.
        try flush(client)
        XCTAssertNil(nextFlushed().failure)
        try queueOffline(client, put(1), put(2))
        let other = try Connection(path)
        try other.begin()
        try client.setReachability(.unknown)
        let first = transport.next()
        first.answer(200, #"{"id":1}"#)
        let outbox = try client.requireOutbox()
        wait("the end of the flush") { !outbox.flushing.state.withLock { $0.machine.isActive } }
        XCTAssertEqual(try states(client), ["1 sending", "2 waiting"])
        // A flush by hand tries to record the delivery, too, and sends nothing.
        try flush(client)
        XCTAssertEqual(nextFlushed().failure?.reason, .outbox)
        XCTAssertEqual(transport.waitingCount, 0)
        other.rollBack()
        advanceUntilSomethingIsSent(within: 2_000)
        let second = transport.next()
        XCTAssertTrue(text(second.exchange).hasPrefix("PUT things/2"), "the first was delivered")
        XCTAssertEqual(try states(client), ["2 sending"])
        second.answer(200, #"{"id":2}"#)
        try wait("an empty outbox") { try states(client).isEmpty }
    }

    func testAFlushThatCouldNotReadGoesOnByItself() throws {
        let client = try client(
            #", "intervalMilliseconds": -1, "busyTimeoutMilliseconds": 0"#)
        try queueOffline(client, put(1))
        let other = try Connection(path)
        try other.begin()
        // Becoming the sender is written to the file, which another connection has locked.
        try client.setReachability(.unknown)
        try flush(client)
        XCTAssertEqual(nextFlushed().failure?.reason, .outbox)
        other.rollBack()
        advanceUntilSomethingIsSent(within: 2_000)
        transport.answer(200, #"{"id":1}"#)
        try wait("an empty outbox") { try states(client).isEmpty }
    }

    func testAHoldThatIsLongerThanTheTimerDoesNotEndTheTimers() throws {
        let client = try client(#", "intervalMilliseconds": -1"#)
        try queueOffline(client, put(1))
        // The client's first check is due before the server may be asked again.
        try client.setReachability(.unknown)
        transport.next().fail(.connect)
        let outbox = try client.requireOutbox()
        wait("the end of the flush") { !outbox.flushing.state.withLock { $0.machine.isActive } }
        advanceUntilSomethingIsSent(within: 2_000)
        transport.answer(200, #"{"id":1}"#)
        try wait("an empty outbox") { try states(client).isEmpty }
    }
}
