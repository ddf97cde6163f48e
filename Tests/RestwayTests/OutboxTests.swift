import Foundation
import LoopbackServer
import XCTest

@testable import Restway

/// The events, results and reasons of stored requests, as a program receives them.
final class OutboxTests: DemoTestCase {
    private let document: JSON = [
        "restway": 1,
        "errors": ["code": "code", "message": "detail", "details": []],
        "routes": [
            "note": ["method": "POST", "path": "notes/:id", "offline": true]
        ],
        "outbox": ["path": "outbox.db", "intervalMilliseconds": -1],
    ]

    /// A server that takes notes, refuses the note 13, and counts.
    private func server() throws -> TestServer {
        try TestServer { connection in
            while let request = connection.readRequest() {
                if request.path == "/v2/notes/13", request.body != Array("{}".utf8) {
                    connection.answer(
                        #"""
                        {"code": "invalid", "detail": "Please check the fields.",
                         "name": ["Too short."], "lines": [{}, {"quantity": ["Too small."]}]}
                        """#,
                        status: "422 Unprocessable Content",
                        headers: ["Content-Type: application/json"])
                } else {
                    connection.answer()
                }
            }
        }
    }

    private func notes(_ server: TestServer) throws -> Client {
        let file = try temporaryFile("outbox.db")
        let client = try client(of: server, document) { $0.files.outbox = file }
        try client.setReachability(.unreachable)
        return client
    }

    /// Stores a request, and returns its number.
    private func store(_ client: Client, _ note: Int) async throws -> Int64 {
        let error = try await failure { () throws(RestwayError) in
            try await client.post(
                .route("note"), body: .json(["text": "a"]), variables: ["id": JSON(note)])
        }
        XCTAssertEqual(error.kind, .queued)
        return try XCTUnwrap(error.outboxID)
    }

    private func note(_ number: Int) -> Request {
        var request = Request(.post, .route("note"))
        request.body = .json(["text": "a"] as JSON)
        request.variables = ["id": JSON(number)]
        request.offline = .first
        return request
    }

    func testARequestThatIsStoredFirstHasItsAnswer() async throws {
        let server = try server()
        let client = try notes(server)
        try client.setReachability(.reachable)
        let response = try await client.send(note(1))
        XCTAssertEqual(response.status, 200)
        let refused = try await failure { () throws(RestwayError) in
            try await client.send(note(13))
        }
        XCTAssertEqual(refused.httpStatus, 422)
        XCTAssertEqual(try client.outbox.items().count, 0)
        try client.setReachability(.unreachable)
        let queued = try await failure { () throws(RestwayError) in
            try await client.send(note(2))
        }
        XCTAssertEqual(queued.kind, .queued)
        XCTAssertEqual(try client.outbox.items().map(\.id), [queued.outboxID])
    }

    func testAGetIsNotStoredFirst() async throws {
        let client = try notes(try server())
        var request = Request(.get, "thing")
        request.offline = .first
        let refused = try await failure { () throws(RestwayError) in
            try await client.send(request)
        }
        XCTAssertEqual(refused.kind, .invalidArgument)
    }

    func testEventsTellOfItemsAndFlushes() async throws {
        let server = try server()
        let client = try notes(server)
        let ids = [try await store(client, 1), try await store(client, 13)]
        var first = try client.outbox.events().makeAsyncIterator()
        var second = try client.outbox.events().makeAsyncIterator()
        XCTAssertTrue(try client.outbox.needsFlushing())
        try client.setReachability(.reachable)
        var states: [Int64: OutboxItem.State] = [:]
        for _ in 0..<2 {
            guard case .item(let item)? = await first.next() else { return XCTFail("no item") }
            states[item.id] = item.state
            XCTAssertEqual(item.error == nil, item.state == .delivered)
        }
        XCTAssertEqual(states, [ids[0]: .delivered, ids[1]: .dead])
        guard case .flushed(let items, nil)? = await first.next() else {
            return XCTFail("no flush")
        }
        XCTAssertEqual(Set(items.map(\.id)), Set(ids))
        guard case .item? = await second.next() else { return XCTFail("one loop for all") }
        client.close()
        while await second.next() != nil {}
        let end = await first.next()
        XCTAssertNil(end)
        XCTAssertThrowsError(try client.outbox.items())
    }

    func testACallSaysThatTheOutboxMakesIt() async throws {
        let server = try server()
        let client = try notes(server)
        _ = try await store(client, 1)
        let events = try client.calls.events([.didSucceed])
        try client.setReachability(.reachable)
        try await client.outbox.flush()
        try await client.get("thing")
        var iterator = events.makeAsyncIterator()
        for isFromOutbox in [true, false] {
            let event = await iterator.next()
            XCTAssertEqual(event?.call.isFromOutbox, isFromOutbox)
            XCTAssertEqual(event?.call.isInBackground, isFromOutbox)
        }
    }

    func testATaskWaitsForTheEndOfARequest() async throws {
        let server = try server()
        let client = try notes(server)
        let outbox = client.outbox
        let delivered = try await store(client, 1)
        let dead = try await store(client, 13)
        async let first = outbox.wait(for: delivered)
        async let second = outbox.wait(for: dead)
        try client.setReachability(.reachable)
        let items = try await [first, second]
        XCTAssertEqual(items.map(\.state), [.delivered, .dead])
        XCTAssertNil(items[0].error)
        XCTAssertEqual(items[0].response?.status, 200)
        XCTAssertEqual(items[1].deathReason, .refused)
        XCTAssertEqual(items[1].error?.httpStatus, 422)
        XCTAssertNotNil(items[1].lastError)
        for error in [items[1].error, try outbox.item(dead).error] {
            let error = try XCTUnwrap(error)
            XCTAssertEqual(error.httpStatus, 422)
            XCTAssertEqual(error.apiCode, "invalid")
            XCTAssertEqual(error.apiMessage, "Please check the fields.")
            XCTAssertEqual(error.details.map(\.path), ["name", "lines[1].quantity"])
            XCTAssertEqual(error.details.map(\.message), ["Too short.", "Too small."])
        }
        let late = try await outbox.wait(for: delivered)
        XCTAssertEqual(late.state, .delivered)
        let unknown = try await failure { () throws(RestwayError) in
            try await outbox.wait(for: 4_000_000)
        }
        XCTAssertEqual(unknown.kind, .invalidArgument)
    }

    /// Waits for the end of a request, and returns how the wait fails; `nil` if it does not.
    private static func failureOfWait(_ outbox: Outbox, _ id: Int64) async -> RestwayError.Kind? {
        do throws(RestwayError) {
            _ = try await outbox.wait(for: id)
            return nil
        } catch {
            return error.kind
        }
    }

    func testAWaitEndsWithoutAResult() async throws {
        let server = try server()
        let client = try notes(server)
        let outbox = client.outbox
        let id = try await store(client, 1)
        let cancelled = Task { await OutboxTests.failureOfWait(outbox, id) }
        cancelled.cancel()
        let kind = await cancelled.value
        XCTAssertEqual(kind, .cancelled)

        async let gone = outbox.wait(for: id)
        // A wait that begins after the drop would fail, because the outbox has no such item.
        let core = try client.core.requireOutbox()
        while !core.awaitedIDs.contains(id) { await Task.yield() }
        XCTAssertEqual(try outbox.drop(id), 1)
        let item = try await gone
        XCTAssertEqual(item.state, .gone)
        XCTAssertEqual(item.error?.domain, .outbox)
    }

    func testACloseEndsAWait() async throws {
        let server = try server()
        let client = try notes(server)
        let outbox = client.outbox
        let id = try await store(client, 1)
        let waiting = Task { await OutboxTests.failureOfWait(outbox, id) }
        client.close()
        let kind = await waiting.value
        XCTAssertEqual(kind, .closed)
    }

    func testADeadRequestIsEditedAndSent() async throws {
        let server = try server()
        let client = try notes(server)
        let outbox = client.outbox
        let id = try await store(client, 13)
        try client.setReachability(.reachable)
        let dead = try await outbox.wait(for: id)
        XCTAssertEqual(dead.state, .dead)
        XCTAssertEqual(try outbox.item(id).deathReason, .refused)
        XCTAssertEqual(try outbox.item(id).error?.httpStatus, 422)
        XCTAssertEqual(try outbox.json()[0]?["id"]?.integer, id)
        let key = try outbox.item(id).idempotencyKey
        try outbox.edit(id, body: Data("{}".utf8))
        let sent = try await outbox.wait(for: id)
        XCTAssertEqual(sent.state, .delivered)
        XCTAssertNotEqual(sent.idempotencyKey, key)
        XCTAssertThrowsError(try outbox.item(id)) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .invalidArgument)
        }
        XCTAssertThrowsError(try outbox.edit(id, body: nil, mediaType: "a\nb")) { error in
            XCTAssertEqual((error as? RestwayError)?.field, "Content-Type")
        }
    }

    func testTheProgressOfAFlush() async throws {
        let server = try server()
        let client = try notes(server)
        for note in 1...3 { _ = try await store(client, note) }
        let progress = ProgressReporter()
        try await client.outbox.flush(progress: progress)
        XCTAssertEqual(progress.state.requests.done, 3)
        XCTAssertEqual(progress.state.requests.total, 3)
        XCTAssertEqual(progress.state.fraction, 1)
    }

    /// Flushes, and returns how that fails; `nil` if it does not.
    private static func failureOfFlush(
        _ outbox: Outbox, _ progress: ProgressReporter? = nil
    ) async -> RestwayError.Kind? {
        do throws(RestwayError) {
            try await outbox.flush(progress: progress)
            return nil
        } catch {
            return error.kind
        }
    }

    func testACancelledTaskEndsTheWaitForAFlushWhichGoesOn() async throws {
        for cancelsTask in [true, false] {
            let (hasArrived, mayAnswer) = (Signal(), Signal())
            let server = try TestServer { connection in
                while connection.readRequest() != nil {
                    hasArrived.give()
                    guard mayAnswer.wait() else { return connection.close() }
                    connection.answer()
                }
            }
            let client = try notes(server)
            let outbox = client.outbox
            let id = try await store(client, 1)
            let progress = ProgressReporter()
            let flush = Task { await OutboxTests.failureOfFlush(outbox, progress) }
            let isSending = await hasArrived.given()
            XCTAssertTrue(isSending)
            if cancelsTask { flush.cancel() } else { progress.cancel() }
            let kind = await flush.value
            XCTAssertEqual(kind, .cancelled)
            XCTAssertEqual(try outbox.item(id).state, .sending)
            mayAnswer.give()
            let item = try await outbox.wait(for: id)
            XCTAssertEqual(item.state, .delivered)
        }
    }

    func testACancelledFlushSendsNothing() async throws {
        let server = try server()
        let client = try notes(server)
        let outbox = client.outbox
        let id = try await store(client, 1)
        let progress = ProgressReporter()
        progress.cancel()
        let kind = await Self.failureOfFlush(outbox, progress)
        XCTAssertEqual(kind, .cancelled)
        XCTAssertEqual(try outbox.item(id).state, .waiting)
        XCTAssertEqual(server.requests.count, 0)
    }
}
