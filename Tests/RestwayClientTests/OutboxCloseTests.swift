import RestwayHTTP
import RestwayObjects
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayBatch
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// Tests what a close of the client does with requests that may be stored.
final class OutboxCloseTests: OutboxTestCase {
    private func first(_ id: Int) -> RequestSpec {
        var spec = put(id)
        spec.sending.storing = .first
        return spec
    }

    /// What the next client finds: the items with their attempts.
    private func found() throws -> [String] {
        let client = try client(transport: FakeTransport())
        defer { client.close() }
        try client.setReachability(.unreachable)
        return try client.requireOutbox().list().all.map {
            "\($0.id) \($0.state) \($0.attempts) \($0.method) \($0.path)"
        }
    }

    private func mayHaveArrived() throws -> [Bool] {
        let journal = try OutboxJournal(path)
        defer { journal.close() }
        return try journal.items(after: 0, itemsMax: 100).map(\.entry.progress.mayHaveArrived)
    }

    func testRequestsInFlightOfBothKindsAreStoredAndOthersAreNot() throws {
        let client = try client()
        let failed = try client.send(put(1))
        let key = key(transport.next().exchange)
        let first = try client.send(first(2))
        _ = transport.next()
        let plain = try client.send(RequestSpec(target: .path(.get, "things/1")))
        _ = transport.next()
        client.close()
        XCTAssertEqual(failure(of: failed)?.reason, .queued)
        XCTAssertEqual(failure(of: failed)?.outboxID, 2)
        XCTAssertEqual(failure(of: first)?.reason, .queued)
        XCTAssertEqual(failure(of: first)?.outboxID, 1)
        XCTAssertEqual(failure(of: plain)?.reason, .closed)
        XCTAssertEqual(try mayHaveArrived(), [true, true])
        XCTAssertEqual(try found(), ["1 waiting 1 PUT things/2", "2 waiting 1 PUT things/1"])

        let later = FakeTransport()
        let next = try self.client(transport: later)
        try flush(next)
        XCTAssertEqual(text(later.answer(200, "{}")), #"PUT things/2 {"name":"a"}"#)
        let again = later.answer(200, "{}")
        XCTAssertEqual(self.key(again), key)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 200", "2 delivered 200"])
    }

    func testTheCallsBehindARequestInFlightAreStoredBehindIt() throws {
        let client = try client()
        let calls = try (1...20).map { try client.send(put(1, "\($0)")) }
        _ = transport.next()
        client.close()
        XCTAssertEqual(
            calls.map { failure(of: $0)?.outboxID ?? 0 }, (1...20).map(Int64.init))
        XCTAssertEqual(try mayHaveArrived(), [true] + Array(repeating: false, count: 19))
        let later = FakeTransport()
        let next = try self.client(transport: later)
        try flush(next)
        for number in 1...20 {
            XCTAssertEqual(text(later.answer(200, "{}")), "PUT things/1 \(number)")
        }
        XCTAssertEqual(nextFlushed().all.count, 20)
    }

    func testACloseInsideACallbackStoresThemAMomentLater() throws {
        let client = try client()
        let calls = try (1...3).map { try client.send(put($0)) } + [try client.send(put(3))]
        for _ in 1...3 { _ = transport.next() }
        let ended = Monitor(false)
        let closer = try client.send(
            RequestSpec(target: .path(.get, "notes/1")),
            completion: { _, _ in
                client.close()
                ended.update { $0 = true }
            })
        transport.answer(200, "{}")
        _ = closer
        ended.wait { $0 ? () : nil }
        for call in calls { XCTAssertEqual(failure(of: call)?.reason, .queued) }
        XCTAssertEqual(try found().count, 4)
    }

    func testACloseWithoutANetworkKeepsEveryRequestOnce() throws {
        let client = try client()
        try client.setReachability(.unreachable)
        let calls = try (1...50).map { try client.send($0 % 2 == 0 ? put($0) : first($0)) }
        client.close()
        for call in calls { XCTAssertEqual(failure(of: call)?.reason, .queued) }
        XCTAssertEqual(try found().count, 50)
    }

    func testACloseWhileRequestsAreStoredFirstLosesNone() throws {
        for _ in 0..<20 {
            let client = try client(transport: FakeTransport())
            let calls = try (1...20).map { try client.send(first($0 % 5)) }
            client.close()
            for call in calls { XCTAssertEqual(failure(of: call)?.reason, .queued) }
            XCTAssertEqual(try found().count, 20)
            removeFiles()
        }
    }

    func testTheRequestsOfABatchOnItsWayAreStored() throws {
        let client = try client("", #", "batch": {"path": "/batch", "limit": 5}"#)
        let session = try BatchSession(client.batches)
        let reasons = Monitor<[Failure.Reason]>([])
        for spec in [put(1), put(2), RequestSpec(target: .path(.get, "notes/1"))] {
            try session.add(
                spec,
                completion: { _, outcome in
                    guard case .failure(let failure) = outcome else { return }
                    reasons.update { $0.append(failure.reason) }
                }, end: {})
        }
        try session.send(completion: { _, _ in }, end: {})
        XCTAssertEqual(transport.next().exchange.method, "POST")
        client.close()
        let ended = reasons.wait { $0.count == 3 ? $0 : nil }
        XCTAssertEqual(ended?.filter { $0 == .queued }.count, 2)
        XCTAssertEqual(ended?.filter { $0 == .closed }.count, 1)
        XCTAssertEqual(try found().count, 2)
    }

    func testACancelledCallIsNotStoredByAClose() throws {
        let client = try client()
        let cancelled = try client.send(put(1))
        _ = transport.next()
        cancelled.cancel()
        client.close()
        XCTAssertEqual(failure(of: cancelled)?.reason, .cancelled)
        XCTAssertEqual(try found(), [])
    }

    func testACallWhoseAnswerHasComeIsNotStoredByAClose() throws {
        let client = try client()
        let parsing = Monitor(false)
        let go = Monitor(false)
        _ = try client.addStage(.intercept, routes: []) { _ in
            parsing.update { $0 = true }
            go.wait { $0 ? () : nil }
            return nil
        }
        let call = try client.send(put(1))
        transport.answer(200, "{}")
        parsing.wait { $0 ? () : nil }
        client.close()
        go.update { $0 = true }
        XCTAssertEqual(failure(of: call)?.reason, .closed)
        XCTAssertEqual(try found(), [])
    }

    func testADraftInFlightIsInTheStoreAfterAClose() throws {
        for isFile in [false, true] {
            let client = try client(transport: FakeTransport()) {
                if isFile { $0.files.store = directory + "/objects.db" }
            }
            let draft = Draft(try client.api.entity(named: "Thing"))
            try draft.set(.string("new"), attribute: 1)
            let call = try client.send(
                RequestSpec(target: .subject(.post), subject: .draft(draft, client.store)))
            client.close()
            XCTAssertEqual(failure(of: call)?.reason, .queued)
            XCTAssertEqual(try found().map { $0.suffix(11) }, ["POST things"])
            removeFiles()
        }
    }
}
