import Glibc
import RestwayThreads
import XCTest

final class WorkerLoopTests: XCTestCase {
    private var limit: Deadline { SystemClock().now().advanced(milliseconds: 60_000) }

    func testAJobTakenAtTheEndOfAnotherRunsNextAndOnTheSameThread() {
        let pool = WorkerPool(threadsMax: 1)
        let seen = Monitor<[String]>([])
        let taken = Monitor<[Bool]>([])
        let thread = Monitor<[pthread_t]>([])
        pool.submit {
            pool.submit { seen.update { $0.append("waiting") } }
            thread.withLock { $0.append(pthread_self()) }
            WorkerLoop.ending {
                let first = WorkerLoop.take {
                    thread.withLock { $0.append(pthread_self()) }
                    seen.update { $0.append("taken") }
                }
                let second = WorkerLoop.take { seen.update { $0.append("refused") } }
                taken.withLock { $0 = [first, second] }
            }
            seen.update { $0.append("first") }
        }
        let order: [String]? = seen.wait(until: limit) { $0.count == 3 ? $0 : nil }
        XCTAssertEqual(order, ["first", "taken", "waiting"])
        XCTAssertEqual(taken.withLock { $0 }, [true, false])
        let threads = thread.withLock { $0 }
        XCTAssertEqual(threads.count, 2)
        XCTAssertEqual(threads.first, threads.last)
    }

    func testAJobIsTakenOnlyAtTheEndOfAJobOfAWorker() {
        WorkerLoop.ending { XCTAssertFalse(WorkerLoop.take {}) }
        let taken = Monitor<[Bool]?>(nil)
        WorkerPool(threadsMax: 1).submit {
            let before = WorkerLoop.take {}
            WorkerLoop.ending {}
            let after = WorkerLoop.take {}
            taken.update { $0 = [before, after] }
        }
        XCTAssertEqual(taken.wait(until: limit) { $0 }, [false, false])
    }

    func testACallbackOfTheHostMayWaitForTheJobThatWasTakenBeforeIt() {
        let hasRun = Monitor(false)
        let hasSeen = Monitor<Bool?>(nil)
        WorkerPool.shared.submit { [limit] in
            WorkerLoop.ending { _ = WorkerLoop.take { hasRun.update { $0 = true } } }
            CallbackScope.run {
                let isSeen = hasRun.wait(until: limit) { $0 ? true : nil }
                hasSeen.update { $0 = isSeen ?? false }
            }
        }
        XCTAssertEqual(hasSeen.wait { $0 }, true)
    }
}
