import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayOutcome
@testable import RestwayRequests

/// Calls whose notices are delivered in another way than those of their client.
final class ChosenDeliveryTests: XCTestCase {
    private static let modes: [Delivery.Mode] = [.thread, .process, .drain]
    private let transport = FakeTransport()

    private func client(_ mode: Delivery.Mode) throws -> Client {
        var options = ClientOptions()
        options.delivery = mode
        let client = try Client(api: try TestAPI.load(), options: options, transport: transport)
        addTeardownBlock { client.close() }
        return client
    }

    private func isReadable(_ client: Client) throws -> Bool {
        var poll = pollfd(
            fd: try XCTUnwrap(client.delivery.descriptor), events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, 0) == 1
    }

    func testEveryCallIsDeliveredWhereItChoseWhateverTheClientsModeIs() throws {
        for mode in Self.modes {
            let client = try client(mode)
            let own = pthread_self()
            let told = Monitor<[Delivery.Mode]>([])
            for chosen in Self.modes {
                let call = try client.send(.get("unknown"), token: 7, as: chosen) { _, _ in
                    let isHere = pthread_equal(own, pthread_self()) != 0
                    XCTAssertEqual(isHere, chosen == .process)
                    told.update { $0.append(chosen) }
                }
                transport.answer(204)
                _ = try call.wait(milliseconds: 0)
            }
            XCTAssertNotNil(told.wait { $0.contains(.thread) ? () : nil })
            while try client.delivery.process(milliseconds: -1) == 0 {}
            XCTAssertEqual(told.withLock { $0 }, [.thread, .process], "\(mode)")
            XCTAssertTrue(try isReadable(client), "an event waits")
            let events = try client.delivery.drain(max: 9)
            XCTAssertEqual(events.count, 1)
            XCTAssertFalse(try isReadable(client))
            for event in events { event.drop() }
        }
    }

    func testAClientWithoutSuchACallHasNoOtherPlaces() throws {
        let client = try client(.thread)
        XCTAssertNil(client.delivery.descriptor)
        XCTAssertEqual(
            failure { _ = try client.delivery.process(milliseconds: 0) }?.reason, .invalidArgument)
        XCTAssertEqual(failure { _ = try client.delivery.drain(max: 1) }?.reason, .invalidArgument)
        _ = try client.send(.get("unknown"), as: .process) { _, _ in }
        XCTAssertNotNil(client.delivery.descriptor)
        XCTAssertEqual(failure { _ = try client.delivery.drain(max: 1) }?.reason, .invalidArgument)
    }

    func testNoticesOfOnePlaceKeepTheirOrder() throws {
        let client = try client(.thread)
        let order = Lock<[Int]>([])
        for number in 0..<20 {
            let call = try client.send(
                .get("unknown"), as: number % 2 == 0 ? .process : .drain
            ) { _, _ in order.withLock { $0.append(number) } }
            transport.answer(204)
            _ = try call.wait(milliseconds: 0)
        }
        var count = 0
        while count < 10 { count += try client.delivery.process(milliseconds: -1) }
        XCTAssertEqual(order.withLock { $0 }, Array(stride(from: 0, to: 20, by: 2)))
        for event in try client.delivery.drain(max: 99) { _ = event.run() }
        XCTAssertEqual(
            order.withLock { $0 }.suffix(10), Array(stride(from: 1, to: 20, by: 2))[...])
    }

    func testTheProgressAndTheAttemptsOfACallGoWhereItsCompletionGoes() throws {
        let clock = ManualClock()
        let document = """
            {"restway": 1, "retry": {"attempts": 2},
             "environments": {"test": {"baseURL": "http://api.test"}}}
            """
        let client = try Client(
            api: try TestAPI.load(document), options: ClientOptions(), transport: transport,
            clock: clock)
        defer { client.close() }
        let told = Lock<[String]>([])
        try client.setAttemptObserver { _, _, _ in told.withLock { $0.append("attempt") } }
        var spec = RequestSpec.get("unknown")
        spec.reception.progress = ProgressRequest(
            intervalMilliseconds: 1, function: { _, _ in told.withLock { $0.append("progress") } })
        let call = try client.send(spec, as: .process) { _, _ in
            told.withLock { $0.append("done") }
        }
        transport.answer(503)
        while clock.nextMilliseconds == nil { sched_yield() }
        clock.advance(milliseconds: 60_000)
        transport.answer(204)
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(told.withLock { $0 }, [])
        while told.withLock({ $0.last }) != "done" {
            _ = try client.delivery.process(milliseconds: -1)
        }
        XCTAssertTrue(told.withLock { $0 }.contains("attempt"))
        XCTAssertTrue(told.withLock { $0 }.contains("progress"))
    }

    func testACloseCompletesTheCallsWhereTheyChose() throws {
        let client = try client(.thread)
        let told = Lock<[Failure.Reason?]>([])
        _ = try client.send(.get("unknown"), as: .process) { _, outcome in
            if case .failure(let failure) = outcome { told.withLock { $0.append(failure.reason) } }
        }
        client.close()
        XCTAssertEqual(try client.delivery.process(milliseconds: -1), 1)
        XCTAssertEqual(told.withLock { $0 }, [.closed])
        XCTAssertEqual(try client.delivery.process(milliseconds: -1), 0, "closed, nothing left")
        XCTAssertEqual(
            failure { _ = try client.send(.get("unknown"), as: .drain) }?.reason, .closed)
    }
}
