import Glibc
import LoopbackServer
import RestwayCurl
import RestwayHTTP
import RestwayThreads
import XCTest

/// Threads that wait for an exchange and drive the transport meanwhile.
final class DriveTests: CurlTransportTestCase {
    /// A waiting thread, which remembers the thread of the completion.
    private final class Waiter: ExchangeObserver {
        struct Completion {
            let result: Result<ExchangeSummary, TransportError>
            let thread: pthread_t
        }

        let completions = Monitor<[Completion]>([])
        private let onHead: @Sendable () -> Void

        init(onHead: @escaping @Sendable () -> Void = {}) {
            self.onHead = onHead
        }

        var isAwaited: Bool { true }
        func receivedHead(_ head: ResponseHead) { onHead() }
        func receivedBody(_ bytes: UnsafeRawBufferPointer) -> BodyReply { .proceed }
        func completed(_ result: Result<ExchangeSummary, TransportError>) {
            completions.update { $0.append(.init(result: result, thread: pthread_self())) }
        }

        var isOver: Bool { completions.withLock { !$0.isEmpty } }

        /// The error, `nil` for a success, and whether this thread has driven the transport.
        func wait() -> (error: TransportError?, isOwnWork: Bool) {
            completions.wait(until: .testLimit) { $0.isEmpty ? nil : () }
            let completions = completions.withLock { $0 }
            XCTAssertEqual(completions.count, 1)
            guard let only = completions.first else { return (nil, false) }
            let isOwnWork = pthread_equal(only.thread, pthread_self()) != 0
            if case .failure(let error) = only.result { return (error, isOwnWork) }
            return (nil, isOwnWork)
        }
    }

    @discardableResult
    private func performDriving(
        _ exchange: Exchange, _ waiter: Waiter = Waiter()
    ) -> (error: TransportError?, isOwnWork: Bool) {
        _ = transport.start(exchange, observer: waiter)
        transport.drive { !waiter.isOver }
        return waiter.wait()
    }

    /// Performs exchanges until the I/O thread is idle, so that the next waiting thread drives.
    private func performUntilOwnWork(_ server: TestServer) {
        eventually { performDriving(.get(server.url())).isOwnWork }
    }

    func testWhoWaitsDrives() throws {
        let server = try TestServer.answering { _ in response("ok") }
        let first = performDriving(.get(server.url()))
        XCTAssertFalse(first.isOwnWork, "the I/O thread makes the loop")
        performUntilOwnWork(server)
        for _ in 0..<20 {
            let (error, isOwnWork) = performDriving(.get(server.url()))
            XCTAssertNil(error)
            XCTAssertTrue(isOwnWork)
        }
        XCTAssertEqual(server.connectionCount, 1)
        XCTAssertEqual(ioThreads, 1)
    }

    func testWhatAWaitingThreadLeavesGoesOn() throws {
        let gate = Gate()
        let server = try TestServer.answering { request in
            if request.path == "/late" { gate.wait() }
            return response("ok")
        }
        performUntilOwnWork(server)
        let late = Recorder()
        // This happens while the waiting thread drives.
        let (transport, url) = (transport!, server.url("/late"))
        let waiter = Waiter(onHead: { _ = transport.start(.get(url), observer: late) })
        XCTAssertNil(performDriving(.get(server.url()), waiter).error)
        XCTAssertTrue(server.waitForRequests(3))
        gate.open()
        XCTAssertEqual(late.wait().text, "ok")
        performUntilOwnWork(server)
    }

    func testACancelEndsTheDrive() throws {
        let server = try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(response("ok"))
            _ = connection.readRequest()
            connection.readToEnd()
        }
        let answering = try TestServer.answering { _ in response("ok") }
        performUntilOwnWork(answering)
        XCTAssertNil(performDriving(.get(server.url())).error)
        let waiter = Waiter()
        let (transport, id) = (transport!, transport.start(.get(server.url()), observer: waiter))
        XCTAssertTrue(Thread.start("test-cancel") {
            XCTAssertTrue(server.waitForRequests(2))
            transport.cancel(id)
        })
        transport.drive { !waiter.isOver }
        XCTAssertEqual(waiter.wait().error?.kind, .cancelled)
        performUntilOwnWork(answering)
    }

    func testAnExchangeGoesOnAfterItsThreadIsGone() throws {
        let (hasCome, gate) = (Gate(), Gate())
        let server = try TestServer.answering { request in
            if request.path == "/late" {
                hasCome.open()
                gate.wait()
            }
            return response("ok")
        }
        performUntilOwnWork(server)
        let waiter = Waiter()
        let isWanted = Monitor(true)
        let transport = transport!
        let id = transport.start(.get(server.url("/late")), observer: waiter)
        XCTAssertTrue(Thread.start("test-wake") {
            hasCome.wait()
            isWanted.withLock { $0 = false }
            transport.wake(id)
        })
        transport.drive { isWanted.withLock { $0 } }
        XCTAssertFalse(waiter.isOver)
        gate.open()
        let (error, isOwnWork) = waiter.wait()
        XCTAssertNil(error)
        XCTAssertFalse(isOwnWork)
    }

    func testAnExchangeGoesOnIfItsThreadNeverComes() throws {
        let server = try TestServer.answering { _ in response("ok") }
        performUntilOwnWork(server)
        let waiter = Waiter()
        transport.wake(transport.start(.get(server.url()), observer: waiter))
        XCTAssertNil(waiter.wait().error)
    }

    func testACloseEndsTheDrive() throws {
        let gate = Gate()
        let server = try TestServer.answering { request in
            if request.path == "/stall" {
                gate.open()
                return ""
            }
            return response("ok")
        }
        performUntilOwnWork(server)
        let waiter = Waiter()
        let transport = transport!
        _ = transport.start(.get(server.url("/stall")), observer: waiter)
        XCTAssertTrue(Thread.start("test-close") {
            gate.wait()
            transport.close()
        })
        transport.drive { !waiter.isOver }
        XCTAssertEqual(waiter.wait().error?.kind, .closed)
        eventually { ioThreads == 0 }
    }

    func testAConnectionThatEndedWhileNobodyWatchedIsNotUsed() throws {
        // Only a request that must not be repeated shows the failure: other requests are sent
        // again.
        let hasEnded = Monitor(0)
        let server = try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(response("ok"))
            connection.close()
            hasEnded.update { $0 += 1 }
        }
        let answering = try TestServer.answering { _ in response("ok") }
        performUntilOwnWork(answering)
        let post = Exchange(method: "POST", url: server.url(), body: .bytes([1]))
        for count in 1...10 {
            // The waiting thread and the I/O thread must notice it in turn.
            let error = count % 2 == 0 ? perform(post).error : performDriving(post).error
            XCTAssertNil(error)
            XCTAssertNotNil(hasEnded.wait(until: .testLimit) { $0 >= count ? true : nil })
        }
    }

    func testTLSStaysWithTheIOThread() throws {
        let server = try TestServer.answering { _ in response("ok") }
        performUntilOwnWork(server)
        XCTAssertNotNil(performDriving(.get("https://127.0.0.1:1/")).error)
        for _ in 0..<20 { XCTAssertFalse(performDriving(.get(server.url())).isOwnWork) }
    }

    func testManyWhoWaitShareOneLoop() throws {
        let server = try TestServer.answering { _ in response("ok") }
        performUntilOwnWork(server)
        let transport = transport!
        let url = server.url()
        let done = Monitor(0)
        for _ in 0..<8 {
            XCTAssertTrue(Thread.start("test-waiter") {
                for _ in 0..<50 {
                    let waiter = Waiter()
                    _ = transport.start(.get(url), observer: waiter)
                    transport.drive { !waiter.isOver }
                    XCTAssertNil(waiter.wait().error)
                }
                done.update { $0 += 1 }
            })
        }
        XCTAssertNotNil(done.wait(until: .testLimit) { $0 == 8 ? true : nil })
        performUntilOwnWork(server)
    }
}
