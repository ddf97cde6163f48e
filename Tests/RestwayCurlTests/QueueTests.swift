import Glibc
import LoopbackServer
import RestwayCurl
import RestwayHTTP
import RestwayThreads
import XCTest

final class QueueTests: CurlTransportTestCase {
    func testManyExchangesCompleteOnceOverBoundedConnections() throws {
        let server = try TestServer.answering { response("body of \($0.path)") }
        let recorders = (0..<2_000).map { _ in Recorder() }
        for (index, recorder) in recorders.enumerated() {
            _ = transport.start(.get(server.url("/\(index)")), observer: recorder)
        }
        for (index, recorder) in recorders.enumerated() {
            XCTAssertEqual(recorder.wait().text, "body of /\(index)")
        }
        XCTAssertEqual(server.requests.count, 2_000)
        XCTAssertLessThanOrEqual(server.connectionCount, 32)
    }

    func testTheBoundPerHostHoldsAndTheTotalOneToo() throws {
        let gate = Gate()
        let answering = (0..<3).map { _ in Monitor((now: 0, max: 0)) }
        let servers = try answering.map { answering in
            try TestServer { connection in
                while connection.readRequest() != nil {
                    answering.update { $0 = ($0.now + 1, max($0.max, $0.now + 1)) }
                    gate.wait()
                    answering.update { $0.now -= 1 }
                    connection.write(response())
                }
            }
        }
        let transport = CurlTransport(limits: .init(connectionsMax: 5, connectionsPerHostMax: 2))
        defer { transport.close() }
        let recorders = (0..<30).map { _ in Recorder() }
        for (index, recorder) in recorders.enumerated() {
            _ = transport.start(.get(servers[index % 3].url()), observer: recorder)
        }
        eventually { servers.map { $0.requests.count }.reduce(0, +) == 5 }
        gate.open()
        for recorder in recorders { XCTAssertNil(recorder.wait().error) }
        for answering in answering {
            XCTAssertLessThanOrEqual(answering.withLock { $0.max }, 2)
        }
    }

    func testAFloodToOneOriginDoesNotDelayAnother() throws {
        let gate = Gate()
        let slow = try TestServer { connection in
            while connection.readRequest() != nil {
                gate.wait()
                connection.write(response())
            }
        }
        let quick = try TestServer.answering { _ in response("quick") }
        let flood = (0..<500).map { _ in Recorder() }
        for recorder in flood { _ = transport.start(.get(slow.url()), observer: recorder) }
        XCTAssertEqual(perform(.get(quick.url())).text, "quick")
        XCTAssertTrue(flood.allSatisfy { $0.record.withLock { $0.result == nil } })
        gate.open()
        for recorder in flood { XCTAssertNil(recorder.wait().error) }
    }

    func testCancelOfARunningExchange() throws {
        let server = try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            connection.readToEnd()
        }
        let recorder = Recorder()
        let id = transport.start(.get(server.url()), observer: recorder)
        XCTAssertNotNil(recorder.waitForHead())
        transport.cancel(id)
        transport.cancel(id)
        XCTAssertEqual(recorder.wait().error?.kind, .cancelled)
    }

    func testCancelOfQueuedExchangesLeavesTheOthers() throws {
        let gate = Gate()
        let server = try TestServer { connection in
            while connection.readRequest() != nil {
                gate.wait()
                connection.write(response())
            }
        }
        let transport = CurlTransport(limits: .init(connectionsMax: 1, connectionsPerHostMax: 1))
        defer { transport.close() }
        let first = Recorder()
        _ = transport.start(.get(server.url("/first")), observer: first)
        XCTAssertTrue(server.waitForRequests(1))
        let queued = (0..<200).map { index in
            let recorder = Recorder()
            return (recorder, transport.start(.get(server.url("/\(index)")), observer: recorder))
        }
        for (index, (_, id)) in queued.enumerated() where index % 10 != 0 { transport.cancel(id) }
        for (index, (recorder, _)) in queued.enumerated() where index % 10 != 0 {
            XCTAssertEqual(recorder.wait().error?.kind, .cancelled)
        }
        gate.open()
        XCTAssertNil(first.wait().error)
        for (index, (recorder, _)) in queued.enumerated() where index % 10 == 0 {
            XCTAssertNil(recorder.wait().error)
        }
        XCTAssertEqual(
            server.requests.map(\.path), ["/first"] + (0..<20).map { "/\($0 * 10)" })
    }

    func testCancelAfterCompletionAndOfTheUnknownIsFine() throws {
        let server = try TestServer.answering { _ in response("x") }
        let recorder = Recorder()
        let id = transport.start(.get(server.url()), observer: recorder)
        XCTAssertEqual(recorder.wait().text, "x")
        transport.cancel(id)
        transport.cancel(ExchangeID(12_345))
        XCTAssertEqual(perform(.get(server.url())).text, "x")
    }

    func testCloseCompletesWhatRunsAndWhatWaits() throws {
        let server = try TestServer { $0.readToEnd() }
        let recorders = (0..<100).map { _ in Recorder() }
        for recorder in recorders { _ = transport.start(.get(server.url()), observer: recorder) }
        transport.close()
        transport.close()
        let late = Recorder()
        _ = transport.start(.get(server.url()), observer: late)
        XCTAssertEqual(late.record.withLock { $0.result != nil }, true, "before start returns")
        for recorder in recorders + [late] {
            XCTAssertEqual(recorder.wait().error?.kind, .closed)
        }
    }

    func testNothingOfAClosedTransportIsKept() throws {
        let server = try TestServer { $0.readToEnd() }
        let ended = Monitor(0)
        weak var running: Recorder?
        weak var waiting: Recorder?
        do {
            let transport = CurlTransport(
                limits: .init(connectionsMax: 1, connectionsPerHostMax: 1))
            for index in 0..<10 {
                let recorder = Recorder(onCompleted: { ended.update { $0 += 1 } })
                if index == 0 { running = recorder } else { waiting = recorder }
                _ = transport.start(.get(server.url()), observer: recorder)
            }
        }
        XCTAssertNotNil(ended.wait(until: .testLimit) { $0 == 10 ? () : nil })
        eventually { running == nil && waiting == nil }
    }

    func testAnObserverMayStartCancelAndClose() throws {
        let server = try TestServer.answering { _ in response("x") }
        let transport = try XCTUnwrap(transport)
        let second = Recorder(onCompleted: { transport.close() })
        let first = Recorder(onCompleted: {
            transport.cancel(ExchangeID(99))
            _ = transport.start(.get(server.url()), observer: second)
        })
        _ = transport.start(.get(server.url()), observer: first)
        XCTAssertEqual(second.wait().text, "x")
        XCTAssertEqual(perform(.get(server.url())).error?.kind, .closed)
    }

    func testACloseInsideAHeadEndsThatExchange() throws {
        let server = try TestServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            connection.readToEnd()
        }
        let transport = try XCTUnwrap(transport)
        let recorder = Recorder(onHead: { transport.close() })
        _ = transport.start(.get(server.url()), observer: recorder)
        XCTAssertEqual(recorder.wait().error?.kind, .closed)
    }

    func testATransportThatIsReleasedLeavesNoThread() throws {
        let server = try TestServer { $0.readToEnd() }
        eventually { ioThreads == 0 }
        let recorder = Recorder()
        do {
            let transport = CurlTransport()
            _ = transport.start(.get(server.url()), observer: recorder)
        }
        XCTAssertEqual(recorder.wait().error?.kind, .closed)
        eventually { ioThreads == 0 }
    }

    func testAnUnusedTransportHasNoThread() {
        eventually { ioThreads == 0 }
        let transport = CurlTransport()
        transport.cancel(ExchangeID(1))
        XCTAssertEqual(ioThreads, 0)
        transport.close()
    }

    func testStartsCancelsAndACloseFromManyThreads() throws {
        let server = try TestServer.answering { _ in response("x") }
        let transport = try XCTUnwrap(transport)
        let done = Monitor(0)
        let recorders = (0..<400).map { _ in Recorder() }
        for part in 0..<4 {
            XCTAssertTrue(
                Thread.start("test-starter") {
                    for index in 0..<100 {
                        let id = transport.start(
                            .get(server.url()), observer: recorders[part * 100 + index])
                        if index % 3 == 0 { transport.cancel(id) }
                        if part == 3, index == 90 { transport.close() }
                    }
                    done.update { $0 += 1 }
                })
        }
        XCTAssertNotNil(done.wait(until: .testLimit) { $0 == 4 ? () : nil })
        for recorder in recorders {
            let error = recorder.wait().error
            XCTAssertTrue([nil, .cancelled, .closed].contains(error?.kind), "\(error as Any)")
        }
    }
}
