import Glibc
import RestwayThreads
import XCTest

@testable import RestwayBatch
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome

/// Waits whose thread uses an interrupt (restway/interrupt.h).
final class InterruptedWaitTests: XCTestCase {
    private let transport = FakeTransport()
    private var interrupt: Interrupt!

    override func setUpWithError() throws {
        interrupt = try XCTUnwrap(Interrupt())
        Interrupt.use(interrupt)
    }

    override func tearDown() {
        Interrupt.use(nil)
    }

    private func client(_ mode: Delivery.Mode = .thread) throws -> Client {
        var options = ClientOptions()
        options.delivery = mode
        let api = try TestAPI.load(
            #"""
            {"restway": 1, "batch": {"path": "batch"},
             "environments": {"test": {"baseURL": "http://api.test/v2"}}}
            """#)
        return try Client(api: api, options: options, transport: transport)
    }

    func testTheCallGoesOnAndCanBeWaitedForAgain() throws {
        let client = try client()
        let call = try client.send(.get("unknown/1")) { _, _ in }
        for milliseconds in [Int64(0), 60_000] {
            interrupt.raise()
            let failure = failure { _ = try call.wait(milliseconds: milliseconds) }
            XCTAssertEqual(failure?.reason, .interrupted)
            XCTAssertEqual(failure?.domain, .cancelled)
            XCTAssertFalse(call.isComplete)
        }
        XCTAssertEqual(transport.cancelledCount, 0)
        transport.answer(200)
        XCTAssertEqual(try call.wait(milliseconds: 0).status, 200)
        interrupt.raise()
        XCTAssertEqual(try call.wait(milliseconds: 0).status, 200, "the result is there")
        XCTAssertTrue(interrupt.lower())
        client.close()
    }

    func testACallWithoutAHandleIsCancelled() throws {
        let client = try client()
        for milliseconds in [Int64(0), 60_000] {
            interrupt.raise()
            let failure = failure {
                _ = try client.perform(.get("unknown/1"), milliseconds: milliseconds)
            }
            XCTAssertEqual(failure?.reason, .interrupted)
        }
        transport.waitForCancels(2)
        client.close()
    }

    func testTheWaitForNoticesEnds() throws {
        let client = try client(.process)
        interrupt.raise()
        XCTAssertEqual(
            failure { _ = try client.delivery.process(milliseconds: -1) }?.reason, .interrupted)
        let count = Lock(0)
        let interrupt = try XCTUnwrap(self.interrupt)
        for _ in 0..<2 {
            let call = try client.send(.get("unknown/1")) { _, _ in
                count.withLock { $0 += 1 }
                interrupt.raise()
            }
            transport.answer(200)
            _ = try call.wait(milliseconds: 60_000)
        }
        while count.withLock({ $0 }) < 1 {
            _ = try? client.delivery.process(milliseconds: -1)
        }
        XCTAssertEqual(count.withLock { $0 }, 1, "no further notice runs after an interrupt")
        _ = interrupt.lower()
        while count.withLock({ $0 }) < 2 {
            _ = try? client.delivery.process(milliseconds: -1)
        }
        client.close()
    }

    func testTheWaitForABatchEnds() throws {
        let client = try client()
        let batch = try BatchSession(client.batches)
        _ = try batch.add(.get("unknown/1"))
        try batch.send(on: .caller)
        interrupt.raise()
        XCTAssertEqual(failure { try batch.wait(milliseconds: 0) }?.reason, .interrupted)
        XCTAssertFalse(batch.isComplete)
        client.close()
        XCTAssertNotNil(failure { try batch.wait(milliseconds: 0) })
    }
}
