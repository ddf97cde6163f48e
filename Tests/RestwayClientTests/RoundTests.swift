import Glibc
import RestwayHTTP
import RestwayMapping
import RestwaySupport
import XCTest

@testable import RestwayClient

/// Answers that a worker maps together, once the transport says that its round is over, and those
/// that do not wait for that.
final class RoundTests: XCTestCase {
    private static let company = #"{"id": 1, "name": "One"}"#

    private let transport = FakeTransport(tellsRounds: true)

    private func client(
        _ mode: ClientOptions.Delivery = .thread, _ api: API? = nil,
        _ change: (inout ClientOptions) -> Void = { _ in }
    ) throws -> Client {
        var options = ClientOptions()
        options.delivery = mode
        change(&options)
        return try Client(api: try api ?? TestAPI.load(), options: options, transport: transport)
    }

    /// Whether the call that is answered by `answer` waits for the end of its round, and completes
    /// then; or else completes without.
    private func waitsForRound(
        _ client: Client, _ call: Call, _ answer: () -> Void
    ) throws -> Bool {
        answer()
        let waits = client.round.count == 1
        if !waits { _ = try? call.wait(milliseconds: 10_000) }
        XCTAssertEqual(call.isComplete, !waits)
        client.round.end()
        _ = try? call.wait(milliseconds: 10_000)
        XCTAssertTrue(call.isComplete)
        return waits
    }

    func testASmallAnswerIsMappedWhenTheRoundIsOver() throws {
        for mode in [ClientOptions.Delivery.thread, .process, .drain] {
            // A closed client closes its transport.
            let transport = FakeTransport(tellsRounds: true)
            var options = ClientOptions()
            options.delivery = mode
            let client = try Client(
                api: try TestAPI.load(), options: options, transport: transport)
            let call = try client.send(.get("companies/1"))
            transport.answer(200, Self.company)
            XCTAssertFalse(call.isComplete)
            client.round.end()
            XCTAssertEqual(try call.wait(milliseconds: 10_000).objects.count, 1)
            XCTAssertEqual(client.reachability, .reachable)
            client.close()
        }
    }

    func testNoticesOfARoundRunOnOneWorkerInOrderBehindItsAnswers() throws {
        let client = try client()
        let told = Monitor<[(number: Int, thread: pthread_t, stored: Int)]>([])
        // One more would not wait for the end.
        let answers = Round.worksMax - 1
        for number in 0..<answers {
            _ = try client.send(.get("companies/\(number + 1)")) { _, _ in
                XCTAssertTrue(CallbackScope.isActive)
                let stored = (try? client.store.count(nil)) ?? 0
                told.update { $0.append((number, pthread_self(), stored)) }
            }
        }
        for number in 0..<answers {
            transport.answer(200, #"{"id": \#(number + 1), "name": "One"}"#)
        }
        XCTAssertEqual(client.round.count, answers)
        client.round.end()
        let limit = SystemClock().now().advanced(milliseconds: 30_000)
        let all = try XCTUnwrap(told.wait(until: limit) { $0.count == answers ? $0 : nil })
        XCTAssertEqual(all.map(\.number), Array(0..<answers))
        XCTAssertEqual(all.map(\.stored), Array(repeating: answers, count: answers))
        for one in all {
            XCTAssertEqual(pthread_equal(one.thread, pthread_self()), 0)
            XCTAssertNotEqual(pthread_equal(one.thread, all[0].thread), 0)
        }
        client.close()
    }

    func testManyAnswersDoNotWaitForTheEndOfTheirRound() throws {
        let client = try client()
        let calls = try (1...Round.worksMax).map { try client.send(.get("companies/\($0)")) }
        for number in 1...Round.worksMax {
            XCTAssertEqual(client.round.count, number - 1)
            transport.answer(200, #"{"id": \#(number), "name": "One"}"#)
        }
        for call in calls {
            XCTAssertEqual(try call.wait(milliseconds: 30_000).objects.count, 1)
        }
        XCTAssertEqual(client.round.count, 0)
        client.close()
    }

    func testWhatIsLargeOrCodedDoesNotWaitForItsRound() throws {
        let client = try client()
        var call = try client.send(.get("companies/1"))
        let most = Self.company + String(repeating: " ", count: 4_096 - Self.company.utf8.count)
        XCTAssertTrue(try waitsForRound(client, call) { transport.answer(200, most) })
        call = try client.send(.get("companies/1"))
        XCTAssertFalse(try waitsForRound(client, call) { transport.answer(200, most + " ") })

        call = try client.send(.get("companies/1"))
        let coding = HeaderField(name: "content-encoding", value: "identity")
        XCTAssertFalse(
            try waitsForRound(client, call) {
                transport.answer(200, Self.company, headers: [coding])
            })
        client.close()
    }

    func testWhatTheHostIsAskedAboutDoesNotWaitForItsRound() throws {
        let api = try TestAPI.load(
            """
            {"restway": 1,
             "entities": {"Company": {"attributes": {"name": "name"}}},
             "responses": [{"path": "companies/:id", "entity": "Company", "hook": "look"}]}
            """)
        try api.addHook("look") { _ in }
        let client = try client(.thread, api) { $0.baseURL = "http://api.test" }
        let call = try client.send(.get("companies/1"))
        XCTAssertFalse(try waitsForRound(client, call) { transport.answer(200, Self.company) })
        client.close()
    }

    func testAnAnswerThatFailsDoesNotWaitForItsRound() throws {
        let client = try client()
        let call = try client.send(.get("companies/1"))
        XCTAssertFalse(
            try waitsForRound(client, call) {
                transport.answer(404, #"{"error": {"code": "gone"}}"#)
            })
        XCTAssertEqual(failure { _ = try call.wait(milliseconds: 0) }?.httpStatus, 404)
        client.close()
    }

    func testACallThatWasCancelledWithinItsRoundStoresNothing() throws {
        let client = try client()
        let call = try client.send(.get("companies/1"))
        transport.answer(200, Self.company)
        XCTAssertEqual(client.round.count, 1)
        call.cancel()
        client.round.end()
        XCTAssertEqual(failure { _ = try call.wait(milliseconds: 0) }?.reason, .cancelled)
        // The round's own work is behind it when a later one has been done.
        let next = try client.send(.get("companies/2"))
        transport.answer(200, #"{"id": 2, "name": "Two"}"#)
        client.round.end()
        _ = try next.wait(milliseconds: 10_000)
        XCTAssertEqual(try client.store.count(nil), 1)
        client.close()
    }
}
