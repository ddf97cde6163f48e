import Glibc
import LoopbackServer
import RestwayCurl
import RestwayHTTP
import RestwayThreads
import XCTest

final class ConnectionTests: CurlTransportTestCase {
    /// Answers the first request of its first connection, then closes that connection when the next
    /// request has arrived on it.
    private func closingKeptConnections() throws -> TestServer {
        try TestServer { connection in
            while connection.readRequest() != nil {
                let isFirst = connection.number > 0 || !connection.hasAnswered
                guard isFirst else { return }
                connection.hasAnswered = true
                connection.write(response("ok"))
            }
        }
    }

    func testAGetIsRepeatedWhenAKeptConnectionDies() throws {
        let server = try closingKeptConnections()
        XCTAssertEqual(perform(.get(server.url())).text, "ok")
        XCTAssertEqual(perform(.get(server.url())).text, "ok")
        XCTAssertEqual(server.requests.count, 3)
        XCTAssertEqual(server.connectionCount, 2)
    }

    func testAnUnsafeRequestIsNotRepeatedWhenAKeptConnectionDies() throws {
        for method in ["POST", "PATCH", "PUT", "DELETE"] {
            let server = try closingKeptConnections()
            XCTAssertEqual(perform(.get(server.url())).text, "ok")
            let error = perform(
                Exchange(method: method, url: server.url(), body: .bytes([1]))
            ).error
            XCTAssertEqual(error?.kind, .connectionLost, method)
            XCTAssertEqual(server.requests.map(\.method), ["GET", method])
            XCTAssertEqual(perform(.get(server.url())).text, "ok", "the transport goes on")
        }
    }

    func testAPostWithAnIdempotencyKeyIsRepeated() throws {
        let server = try closingKeptConnections()
        XCTAssertEqual(perform(.get(server.url())).text, "ok")
        let key = HeaderField(name: "idempotency-key", value: "1")
        let record = perform(
            Exchange(method: "POST", url: server.url(), headers: [key], body: .bytes([1, 2])))
        XCTAssertEqual(record.text, "ok")
        XCTAssertEqual(server.requests.map(\.method), ["GET", "POST", "POST"])
        XCTAssertEqual(server.requests.last?.body, [1, 2])
    }

    func testAnIdleConnectionThatWasClosedIsReplaced() throws {
        let server = try TestServer { connection in
            for _ in 0..<3 {
                guard connection.readRequest() != nil else { return }
                connection.write(response("ok"))
            }
        }
        for index in 0..<10 {
            let record = perform(Exchange(method: "POST", url: server.url(), body: .bytes([1])))
            // The close may not have arrived yet: the request is then sent on a kept connection
            // that ends.
            if let error = record.error { XCTAssertEqual(error.kind, .connectionLost, "\(index)") }
        }
    }

    func testAnIdleConnectionWhoseEndHasComeIsNotUsed() throws {
        // Only a request that must not be repeated shows the failure: other requests are sent
        // again.
        let hasEnded = Monitor(0)
        let server = try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(response("ok"))
            connection.close()
            hasEnded.update { $0 += 1 }
        }
        for count in 1...10 {
            let post = Exchange(method: "POST", url: server.url(), body: .bytes([1]))
            XCTAssertNil(perform(post).error)
            XCTAssertNotNil(hasEnded.wait(until: .testLimit) { $0 >= count ? true : nil })
        }
    }

    func testARefusedConnection() throws {
        let server = try TestServer { _ in }
        let url = server.url()
        server.stop()
        for _ in 0..<20 {
            let error = perform(.get(url)).error
            if error?.kind == .connectionLost { continue }
            XCTAssertEqual(error?.kind, .connect)
            XCTAssertEqual(error?.code, 7)
        }
    }

    /// A label of 64 octets is too long: the limit is 63 (RFC 1035, section 2.3.4), so the resolver
    /// sends no query.
    private static let unresolvable = String(repeating: "a", count: 64) + ".test"

    func testAnUnresolvableName() {
        let error = perform(.get("http://\(Self.unresolvable)/path?secret=1")).error
        XCTAssertEqual(error?.kind, .resolve)
        XCTAssertTrue(error?.message.hasPrefix("\(Self.unresolvable):80") == true)
        XCTAssertFalse(error?.message.contains("secret") == true)
    }

    func testRefusalsAndNamesInTurnsDoNotConfuseTheSocketSet() throws {
        let server = try TestServer.answering { _ in response("ok") }
        let port = server.port
        for _ in 0..<10 {
            XCTAssertNotNil(perform(.get("http://127.0.0.1:1/")).error)
            let record = perform(.get("http://localhost:\(port)/"))
            XCTAssertEqual(record.text, "ok", record.error?.message ?? "")
            XCTAssertNotNil(perform(.get("http://\(Self.unresolvable)/")).error)
            XCTAssertEqual(perform(.get(server.url())).text, "ok")
        }
    }

    func testTotalTimeOutOnTheWire() throws {
        let server = try TestServer { $0.readToEnd() }
        let timeouts = ExchangeTimeouts(totalMilliseconds: 150)
        let record = perform(.get(server.url(), timeouts: timeouts))
        XCTAssertEqual(record.error?.kind, .timedOut)
    }

    func testTotalTimeOutInTheQueue() throws {
        let server = try TestServer { $0.readToEnd() }
        let transport = CurlTransport(
            limits: .init(connectionsMax: 1, connectionsPerHostMax: 1))
        let running = Recorder()
        _ = transport.start(.get(server.url()), observer: running)
        let timeouts = ExchangeTimeouts(totalMilliseconds: 100)
        let record = perform(.get(server.url(), timeouts: timeouts), on: transport)
        XCTAssertEqual(record.error?.kind, .timedOut)
        XCTAssertTrue(record.error?.message.contains("waiting") == true)
        transport.close()
        XCTAssertEqual(running.wait().error?.kind, .closed)
    }

    func testConnectTimeOut() throws {
        // A listener that never accepts, with a full backlog, does not answer a connect.
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var fillers: [Int32] = []
        defer { for filler in fillers { close(filler) } }
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                XCTAssertEqual(bind(listener, $0, size), 0)
                XCTAssertEqual(listen(listener, 0), 0)
                XCTAssertEqual(getsockname(listener, $0, &size), 0)
                for _ in 0..<4 {
                    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
                    let filler = socket(AF_INET, type, 0)
                    _ = connect(filler, $0, size)
                    fillers.append(filler)
                }
            }
        }
        let port = UInt16(bigEndian: address.sin_port)
        let timeouts = ExchangeTimeouts(connectMilliseconds: 150)
        let record = perform(.get("http://127.0.0.1:\(port)/", timeouts: timeouts))
        XCTAssertEqual(record.error?.kind, .timedOut)
    }

    /// A server that answers every path except "/late".
    private func lateServer() throws -> TestServer {
        try TestServer { connection in
            guard let request = connection.readRequest() else { return }
            if request.path == "/late" { return connection.readToEnd() }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
            connection.readToEnd()
        }
    }

    func testAnAnswerThatDoesNotBeginInTimeIsATimeOut() throws {
        let server = try lateServer()
        let timeouts = ExchangeTimeouts(firstByteMilliseconds: 200)
        let late = perform(.get(server.url("/late"), timeouts: timeouts))
        XCTAssertEqual(late.error?.kind, .timedOut)
        XCTAssertTrue(
            late.error?.message.hasSuffix("within the first-byte time limit of 200 ms") ?? false)
        XCTAssertEqual(perform(.get(server.url("/"), timeouts: timeouts)).text, "a")
    }

    func testTheEndOfALateAnswerMakesRoomForTheNextExchange() throws {
        let server = try lateServer()
        let transport = CurlTransport(limits: .init(connectionsMax: 1, connectionsPerHostMax: 1))
        defer { transport.close() }
        let timeouts = ExchangeTimeouts(firstByteMilliseconds: 200)
        let recorders = [Recorder(), Recorder()]
        _ = transport.start(
            .get(server.url("/late"), timeouts: timeouts), observer: recorders[0])
        _ = transport.start(.get(server.url("/")), observer: recorders[1])
        let results = recorders.map { $0.record.wait { $0.result } }
        if case .success = results[0] { XCTFail("the late answer is no success") }
        if case .failure(let error) = results[1] { XCTFail("\(error)") }
    }

    func testIdleTimeOut() throws {
        let server = try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            connection.readToEnd()
        }
        let timeouts = ExchangeTimeouts(idleMilliseconds: 300)
        let record = perform(.get(server.url(), timeouts: timeouts))
        XCTAssertEqual(record.error?.kind, .timedOut)
        XCTAssertEqual(record.text, "abc")
    }

    func testCookiesAreKeptUnlessSwitchedOff() throws {
        let server = try TestServer.answering { request in
            response(headers: request.path == "/set" ? "Set-Cookie: a=1; Path=/\r\n" : "")
        }
        let cookieless = try XCTUnwrap(transport)
        let keeping = CurlTransport(cookies: try CookieJar.open(path: nil))
        defer { keeping.close() }
        var own = Exchange.get(server.url("/own"))
        own.headers = [HeaderField(name: "Cookie", value: "b=2")]
        var without = Exchange.get(server.url("/without"))
        without.usesCookies = false
        for (transport, exchange) in [
            (keeping, .get(server.url("/set"))), (keeping, .get(server.url("/kept"))),
            (keeping, own), (keeping, without), (keeping, .get(server.url("/again"))),
            (cookieless, .get(server.url("/set"))), (cookieless, .get(server.url("/off"))),
        ] {
            XCTAssertNil(perform(exchange, on: transport).error)
        }
        XCTAssertEqual(
            server.requests.map { $0.header("Cookie") },
            [nil, "a=1", "a=1; b=2", nil, "a=1", nil, nil])
        XCTAssertTrue(
            server.requests.allSatisfy { request in
                request.headers.filter { $0.hasPrefix("Cookie") }.count <= 1
            })
    }
}
