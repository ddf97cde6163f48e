import Foundation
import LoopbackServer
import Restway
import RestwayThreads
import XCTest

/// Tasks that prefer the workers of the library as their executor.
final class WorkerTests: DemoTestCase {
    /// The name of the present thread, or why it cannot be read.
    private static func threadName() -> String {
        do {
            return try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
                .trimmingCharacters(in: .newlines)
        } catch {
            return "\(error)"
        }
    }

    private static func thread() -> Int { Int(bitPattern: UInt(pthread_self())) }

    func testATaskRunsOnAWorkerBeforeAndAfterItAwaitsARequest() async throws {
        let client = try client()
        let names = try await withTaskExecutorPreference(Client.workers) {
            var names = [Self.threadName()]
            for id in 1...20 {
                _ = try await client.get("enterprises/\(id)")
                names.append(Self.threadName())
            }
            return names
        }
        XCTAssertEqual(names, Array(repeating: "restway-worker", count: 21))
    }

    /// Waits until each worker has come to a job of this function, so that none of them still runs
    /// what was there before.
    private static func meetAllWorkers() {
        let count = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let arrived = Monitor(0)
        let wait = { @Sendable in arrived.wait(until: .testLimit) { $0 == count ? true : nil } }
        for _ in 0..<count {
            WorkerPool.shared.submit {
                arrived.update { $0 += 1 }
                _ = wait()
            }
        }
        XCTAssertEqual(wait(), true)
    }

    /// The server answers when the task has left its worker: a task whose answer comes earlier goes
    /// on where it is. Each client is new, so that no notice of an earlier call is under way on
    /// another worker.
    func testATaskContinuesOnTheWorkerThatHasReadTheAnswer() async throws {
        let server = try TestServer.answering { _ in
            Self.meetAllWorkers()
            return response("{}")
        }
        for _ in 0..<20 {
            let api = try API(document: [
                "restway": 1, "routes": ["status": ["path": "status", "parse": "thread"]],
            ])
            try api.addParser("thread") { _, _ in Self.thread() }
            let client = try ending(Client(api, options: .init(baseURL: server.url())))
            let (reader, continued) = try await withTaskExecutorPreference(Client.workers) {
                let response = try await client.get(.route("status"))
                return (try response.decode(Int.self), Self.thread())
            }
            XCTAssertEqual(reader, continued)
        }
    }

    func testATaskWithoutThePreferenceRunsOnNoWorker() async throws {
        _ = try await client().get("enterprises/1")
        XCTAssertNotEqual(Self.threadName(), "restway-worker")
    }

    func testErrorsArriveInTheTask() async throws {
        let client = try client()
        let status = await withTaskExecutorPreference(Client.workers) { () -> Int? in
            do throws(RestwayError) {
                try await client.get("enterprises/999999")
                return nil
            } catch {
                return error.httpStatus
            }
        }
        XCTAssertEqual(status, 404)
    }

    func testMoreTasksThanThereAreWorkersAllEnd() async throws {
        let client = try client()
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...32 {
                group.addTask(executorPreference: Client.workers) {
                    var sum = 0
                    for id in 1...10 {
                        let response = try await client.get("enterprises/\(id)")
                        let read: Int? = response.object?["itemID"]
                        sum += number * (read ?? 0)
                    }
                    return sum
                }
            }
            return try await group.reduce(0, +)
        }
        XCTAssertEqual(sum, 55 * 528)
    }

    func testACancelledTaskCancelsItsCall() async throws {
        let server = try TestServer.silent()
        let client = try client { $0.baseURL = server.url("/v2") }
        var events = try client.calls.events([.didBegin]).makeAsyncIterator()
        let task = Task(executorPreference: Client.workers) { () -> RestwayError.Kind? in
            do throws(RestwayError) {
                try await client.get("anything")
                return nil
            } catch {
                return error.kind
            }
        }
        let begun = await events.next()
        XCTAssertNotNil(begun)
        task.cancel()
        let kind = await task.value
        XCTAssertEqual(kind, .cancelled)
    }

    func testATaskMayLeaveTheWorkersAndComeBack() async throws {
        let client = try client()
        let names = try await withTaskExecutorPreference(Client.workers) {
            _ = try await client.get("enterprises/1")
            let elsewhere = await withTaskExecutorPreference(globalConcurrentExecutor) {
                Self.threadName()
            }
            return [Self.threadName(), elsewhere]
        }
        XCTAssertEqual(names.first, "restway-worker")
        XCTAssertNotEqual(names.last, "restway-worker")
    }
}
