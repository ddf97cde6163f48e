import CRestway
import RestwayThreads
import XCTest

@testable import RestwayABI
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome

/// Random schedules that test the guarantee of the header: a call that was started completes
/// exactly once, its context is destroyed exactly once, and nothing leaks.
final class ExactlyOnceTests: XCTestCase {
    private static let schedulesOfAMode = 60

    func testEveryCallCompletesOnceInThreadMode() throws {
        try run(.thread)
    }

    func testEveryCallCompletesOnceInProcessMode() throws {
        try run(.process)
    }

    func testEveryCallCompletesOnceInDrainMode() throws {
        try run(.drain)
    }

    private func run(_ mode: Delivery.Mode) throws {
        let pool = WorkerPool(threadsMax: 3)
        for seed in 0..<UInt64(Self.schedulesOfAMode) {
            let before = HandleCounts.shared.total
            let promises = try play(seed: seed, mode, pool)
            for promise in promises {
                let done = promise.doneCount.load(ordering: .relaxed)
                let destroyed = promise.destroyCount.load(ordering: .relaxed)
                XCTAssertEqual(destroyed, 1, "seed \(seed)")
                // Notices that the program did not fetch before its last release may be dropped,
                // but never repeated.
                XCTAssertLessThanOrEqual(done, 1, "seed \(seed)")
                if mode == .thread { XCTAssertEqual(done, 1, "seed \(seed)") }
            }
            XCTAssertGreaterThan(promises.count, 0)
            XCTAssertEqual(HandleCounts.shared.total, before, "seed \(seed)")
            if testRun?.totalFailureCount != 0 { return }
        }
    }

    /// Runs one schedule to its end; its result can no longer change.
    private func play(
        seed: UInt64, _ mode: Delivery.Mode, _ pool: WorkerPool
    ) throws -> [Promise] {
        let schedule = try makeSchedule(seed: seed, mode, pool)
        let running = Monitor(Schedule.threads)
        for _ in 0..<Schedule.threads {
            schedule.retainClient()
            let hasStarted = RestwayThreads.Thread.start("schedule") {
                schedule.run()
                schedule.releaseClient()
                running.update { $0 -= 1 }
            }
            XCTAssertTrue(hasStarted)
        }
        while running.withLock({ $0 }) > 0 { schedule.deliver() }
        if schedule.chance(50) { restway_client_close(schedule.client) }
        if schedule.chance(50) { while schedule.deliver() {} }
        schedule.end()
        let deadline = SystemClock().now().advanced(milliseconds: 30_000)
        let isComplete: Bool? = schedule.progress.wait(until: deadline) { count in
            count >= schedule.all.count ? true : nil
        }
        XCTAssertEqual(isComplete, true, "seed \(seed): a context never ended")
        return schedule.all
    }

    private func makeSchedule(
        seed: UInt64, _ mode: Delivery.Mode, _ pool: WorkerPool
    ) throws -> Schedule {
        let document = Array(
            """
            {"restway": 1, "environments": {"e": {"baseURL": "http://api.test"}},
             "entities": {"A": {"identity": "id", "attributes": {"id": "id", "name": "name"}}},
             "responses": [{"entity": "A"}]}
            """.utf8)
        let api = try document.withUnsafeBytes { try API(document: $0) }
        var options = ClientOptions()
        options.delivery = mode
        let transport = MisbehavingTransport(seed: seed, pool: pool)
        let client = try Client(api: api, options: options, transport: transport)
        var request: OpaquePointer?
        XCTAssertEqual(CRestway.restway_request_create("GET", "a", &request, nil), .RESTWAY_OK)
        return Schedule(
            seed: seed, mode: mode, client: Handle.give(ClientHandle(client)),
            request: try XCTUnwrap(request))
    }
}
