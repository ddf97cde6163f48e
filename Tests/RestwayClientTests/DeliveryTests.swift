import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome

final class DeliveryTests: XCTestCase {
    private let transport = FakeTransport()

    private func client(_ mode: Delivery.Mode) throws -> Client {
        var options = ClientOptions()
        options.delivery = mode
        return try Client(api: try TestAPI.load(), options: options, transport: transport)
    }

    private func isReadable(_ client: Client) throws -> Bool {
        var poll = pollfd(
            fd: try XCTUnwrap(client.delivery.descriptor), events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, 0) == 1
    }

    func testProcessingRunsNoticesOnTheCallersThreadInOrder() throws {
        let client = try client(.process)
        let order = Lock<[Int]>([])
        let own = pthread_self()
        for number in 0..<3 {
            let call = try client.send(.get("unknown/\(number)")) { _, _ in
                XCTAssertEqual(pthread_equal(own, pthread_self()), 1)
                order.withLock { $0.append(number) }
            }
            transport.answer(200)
            _ = try call.wait(milliseconds: 0)
        }
        // A call is complete before its notice is due, so the test waits for each.
        var count = 0
        while count < 3 { count += try client.delivery.process(milliseconds: -1) }
        XCTAssertEqual(order.withLock { $0 }, [0, 1, 2])
        XCTAssertFalse(try isReadable(client))
        XCTAssertEqual(try client.delivery.process(milliseconds: 0), 0)
        XCTAssertEqual(failure { _ = try client.delivery.drain(max: 1) }?.reason, .invalidArgument)
        client.close()
        XCTAssertEqual(try client.delivery.process(milliseconds: -1), 0, "closed, nothing left")
    }

    func testProcessingInsideANoticeIsRefused() throws {
        let client = try client(.process)
        let reason = Lock<Failure.Reason?>(nil)
        _ = try client.send(.get("unknown/1")) { call, _ in
            let failure = failure { _ = try client.delivery.process(milliseconds: 0) }
            reason.withLock { $0 = failure?.reason }
        }
        transport.answer(200)
        while try client.delivery.process(milliseconds: -1) == 0 {}
        XCTAssertEqual(reason.withLock { $0 }, .wouldBlock)
        client.close()
    }

    func testANoticeThatSendsAgainIsNotServedInTheSameRound() throws {
        let client = try client(.process)
        let sent = Lock(0)
        @Sendable func again() {
            sent.withLock { $0 += 1 }
            client.close()
        }
        _ = try client.send(.get("unknown/1")) { _, _ in again() }
        _ = try client.send(.get("unknown/2")) { _, _ in again() }
        transport.answer(200)
        var count = 0
        while count < 2 { count += try client.delivery.process(milliseconds: -1) }
        XCTAssertEqual(sent.withLock { $0 }, 2)
    }

    func testDrainingGivesTokensAndTheDescriptorFollows() throws {
        let client = try client(.drain)
        XCTAssertFalse(try isReadable(client))
        for token in 1...5 {
            _ = try client.send(.get("unknown/\(token)"), token: UInt64(token)) { _, _ in
                XCTFail("in drain mode nothing is called")
            }
        }
        client.close()
        XCTAssertTrue(try isReadable(client))
        XCTAssertEqual(try client.delivery.drain(max: 2).count, 2)
        XCTAssertTrue(try isReadable(client))
        XCTAssertEqual(try client.delivery.drain(max: 100).count, 3)
        XCTAssertFalse(try isReadable(client))
        XCTAssertEqual(try client.delivery.drain(max: 100).count, 0)
        XCTAssertEqual(
            failure { _ = try client.delivery.process(milliseconds: 0) }?.reason, .invalidArgument)
    }

    func testWhatIsNeverFetchedIsDroppedAndLetsGoOfItsContext() throws {
        final class Context: Sendable {}
        weak var held: Context?
        let client = try client(.drain)
        do {
            let context = Context()
            held = context
            _ = try client.send(.get("unknown/1")) { _, _ in _ = context }
        }
        client.close()
        XCTAssertNotNil(held)
        client.delivery.drop()
        XCTAssertNil(held)
        XCTAssertFalse(try isReadable(client))
    }

    func testAnModifierChangesWhatGoesOutAndMayRefuse() throws {
        let client = try client(.thread)
        try client.setModifier { spec in
            var spec = spec
            spec.headers.append(("X-Intercepted", "yes"))
            XCTAssertTrue(CallbackScope.isActive)
            return .success(spec)
        }
        let call = try client.send(.get("unknown/1"))
        let exchange = transport.answer(200)
        XCTAssertTrue(exchange.headers.contains { $0.name == "X-Intercepted" })
        _ = try call.wait(milliseconds: 0)

        try client.setModifier { _ in .failure(Failure(.cancelled, "not today")) }
        let refused = try client.send(.get("unknown/2"))
        XCTAssertEqual(failure { _ = try refused.wait(milliseconds: 0) }?.message, "not today")
        XCTAssertEqual(transport.waitingCount, 0)
        client.close()
        XCTAssertEqual(failure { try client.setModifier(nil) }?.reason, .closed)
    }

    func testTheAnswerToAQuestionOfAnEndedCallIsDropped() throws {
        let client = try client(.thread)
        let isAsked = Monitor(false)
        let mayAnswer = Monitor(false)
        let hasAnswered = Monitor(false)
        try client.setModifier { spec in
            isAsked.update { $0 = true }
            mayAnswer.wait { $0 ? () : nil }
            defer { hasAnswered.update { $0 = true } }
            return .success(spec)
        }
        let call = try client.send(.get("unknown/1"))
        isAsked.wait { $0 ? () : nil }
        call.cancel()
        XCTAssertEqual(failure { _ = try call.wait(milliseconds: 0) }?.reason, .cancelled)
        mayAnswer.update { $0 = true }
        hasAnswered.wait { $0 ? () : nil }
        try client.setModifier(nil)
        let next = try client.send(.get("unknown/2"))
        XCTAssertTrue(transport.answer(200).url.hasSuffix("/2"), "the first never went out")
        _ = try next.wait(milliseconds: 0)
        client.close()
    }
}
