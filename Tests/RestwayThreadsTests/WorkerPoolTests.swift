import RestwayThreads
import XCTest

final class WorkerPoolTests: XCTestCase {
    func testEveryJobRunsOnceAndNeverMoreAtATimeThanThereAreThreads() {
        struct Seen {
            var running = 0
            var runningMax = 0
            var done = 0
        }
        let pool = WorkerPool(threadsMax: 3)
        let seen = Monitor(Seen())
        for _ in 0..<500 {
            pool.submit {
                seen.withLock { seen in
                    seen.running += 1
                    seen.runningMax = max(seen.runningMax, seen.running)
                }
                seen.update { seen in
                    seen.running -= 1
                    seen.done += 1
                }
            }
        }
        let runningMax: Int? = seen.wait { $0.done == 500 ? $0.runningMax : nil }
        XCTAssertLessThanOrEqual(runningMax ?? .max, 3)
    }

    func testAJobMaySubmitAnotherWhileAllThreadsAreBusy() {
        let pool = WorkerPool(threadsMax: 1)
        let done = Monitor(false)
        pool.submit { pool.submit { done.update { $0 = true } } }
        XCTAssertEqual(done.wait { $0 ? true : nil }, true)
    }

    /// A job that is given to one of many idle threads runs without another job after it.
    func testIdleThreadsMissNoJob() {
        let (pool, threads) = (WorkerPool(threadsMax: 8), 8)
        let (arrived, done) = (Monitor(0), Monitor(0))
        for _ in 0..<threads {
            pool.submit {
                arrived.update { $0 += 1 }
                let _: Bool? = arrived.wait { $0 == threads ? true : nil }
                done.update { $0 += 1 }
            }
        }
        var sent = threads
        let limit = SystemClock().now().advanced(milliseconds: 60_000)
        for round in 0..<2_000 {
            let isReached: Bool? = done.wait(until: limit) { $0 == sent ? true : nil }
            guard isReached != nil else {
                XCTFail("round \(round): \(done.withLock { $0 }) of \(sent) jobs ran")
                return
            }
            for _ in 0...round % 3 {
                sent += 1
                pool.submit { done.update { $0 += 1 } }
            }
        }
    }

    func testASerialQueueKeepsOrderAndNeverOverlaps() {
        struct Seen {
            var isRunning = false
            var overlapped = false
            var order: [Int] = []
        }
        let queue = SerialQueue(pool: WorkerPool(threadsMax: 4))
        let seen = Monitor(Seen())
        for number in 0..<1_000 {
            queue.submit {
                seen.withLock { seen in
                    seen.overlapped = seen.overlapped || seen.isRunning
                    seen.isRunning = true
                }
                seen.update { seen in
                    seen.isRunning = false
                    seen.order.append(number)
                }
            }
        }
        let result: Seen? = seen.wait { $0.order.count == 1_000 ? $0 : nil }
        XCTAssertEqual(result?.order, Array(0..<1_000))
        XCTAssertEqual(result?.overlapped, false)
    }

    func testTheCallbackScopeBelongsToItsThreadAndNests() {
        XCTAssertFalse(CallbackScope.isActive)
        CallbackScope.run {
            CallbackScope.run { XCTAssertTrue(CallbackScope.isActive) }
            XCTAssertTrue(CallbackScope.isActive)
            let elsewhere = Monitor<Bool?>(nil)
            WorkerPool(threadsMax: 1).submit {
                let isActive = CallbackScope.isActive
                elsewhere.update { $0 = isActive }
            }
            XCTAssertEqual(elsewhere.wait { $0 }, false)
        }
        XCTAssertFalse(CallbackScope.isActive)
    }
}
