import RestwayCurl
import RestwayHTTP
import XCTest

final class RequestTests: CurlTransportTestCase {
    private func echo() throws -> TestServer {
        try TestServer.answering { request in
            let body = request.method == "HEAD" ? "" : "\(request.method) \(request.body.count)"
            return response(body, headers: "X-Path: \(request.path)\r\n")
        }
    }

    func testMethodsAndBodiesGoOutAsTheyAre() throws {
        let server = try echo()
        for (method, body) in [
            ("GET", nil), ("POST", "abc"), ("PUT", "abcd"), ("PATCH", "ab"), ("DELETE", nil),
            ("DELETE", "xyz"), ("GET", "q"), ("OPTIONS", nil), ("PURGE", nil), ("POST", nil),
            ("GET", nil),
        ] {
            let sent = body.map { ExchangeBody.bytes(Array($0.utf8)) } ?? .none
            let record = perform(
                Exchange(method: method, url: server.url("/p"), body: sent))
            XCTAssertEqual(record.head?.status, 200, method)
            XCTAssertEqual(record.text, "\(method) \(body?.utf8.count ?? 0)")
        }
        XCTAssertEqual(server.connectionCount, 1)
        let posts = server.requests.filter { $0.method == "POST" }
        XCTAssertEqual(posts.map { $0.header("Content-Length") }, ["3", "0"])
        let bare = server.requests.filter { $0.method == "GET" && $0.body.isEmpty }
        XCTAssertEqual(bare.map { $0.header("Content-Length") }, [nil, nil])
    }

    func testHeadHasNoBodyAndIsFollowedByOthers() throws {
        let server = try TestServer { connection in
            while let request = connection.readRequest() {
                let isHead = request.method == "HEAD"
                connection.write(
                    isHead ? "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" : response("x"))
            }
        }
        for method in ["HEAD", "GET", "HEAD", "POST"] {
            let record = perform(Exchange(method: method, url: server.url()))
            XCTAssertNil(record.error, method)
            XCTAssertEqual(record.text, method == "HEAD" ? "" : "x")
        }
        XCTAssertEqual(server.requests.map(\.method), ["HEAD", "GET", "HEAD", "POST"])
        XCTAssertEqual(server.connectionCount, 1)
    }

    func testOnlyGivenHeadersAreSent() throws {
        let server = try echo()
        let headers = [
            HeaderField(name: "X-Empty", value: ""), HeaderField(name: "X-One", value: "1"),
            HeaderField(name: "content-length", value: "99"),
            HeaderField(name: "X-One", value: "2"),
        ]
        let record = perform(
            Exchange(
                method: "POST", url: server.url("/a/../b?c"), headers: headers,
                body: .bytes([1, 2, 3])))
        XCTAssertNil(record.error)
        let request = try XCTUnwrap(server.requests.first)
        XCTAssertEqual(request.path, "/a/../b?c")
        XCTAssertEqual(
            request.headers.sorted(),
            [
                "Content-Length: 3", "Host: 127.0.0.1:\(server.port)", "X-Empty:", "X-One: 1",
                "X-One: 2",
            ])
        _ = perform(.get(server.url()))
        XCTAssertEqual(server.requests.last?.headers.count, 1, "only Host")
    }

    func testAHeaderCannotSmuggleALineIn() throws {
        let server = try echo()
        for field in [
            HeaderField(name: "X-A", value: "1\r\nX-B: 2"), HeaderField(name: "X A", value: "1"),
        ] {
            var exchange = Exchange.get(server.url())
            exchange.headers = [field]
            XCTAssertEqual(perform(exchange).error?.kind, .unsupported)
        }
        let method = Exchange(method: "GET / HTTP/1.1\r\nX:", url: server.url())
        XCTAssertEqual(perform(method).error?.kind, .unsupported)
        XCTAssertEqual(server.connectionCount, 0)
    }

    func testALargeBodyArrivesWholeAndIsProgress() throws {
        let server = try echo()
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let record = perform(Exchange(method: "PUT", url: server.url(), body: .bytes(bytes)))
        XCTAssertEqual(record.text, "PUT 3000000")
        XCTAssertEqual(server.requests.first?.body, bytes)
        XCTAssertEqual(record.uploaded, 3_000_000)
        XCTAssertEqual(record.summary?.uploadedBytes, 3_000_000)
    }

    func testTheSummarySaysWhereTimeWentAndWhatWasReused() throws {
        let server = try echo()
        let first = try XCTUnwrap(perform(.get(server.url())).summary)
        XCTAssertFalse(first.connectionWasReused)
        XCTAssertGreaterThan(first.timings.totalMicroseconds, 0)
        XCTAssertGreaterThanOrEqual(
            first.timings.totalMicroseconds, first.timings.firstByteMicroseconds)
        XCTAssertEqual(first.downloadedBytes, 5)
        let second = try XCTUnwrap(perform(.get(server.url())).summary)
        XCTAssertTrue(second.connectionWasReused)
    }

    func testARedirectIsNotFollowedButResolved() throws {
        let server = try TestServer.answering { _ in
            response(status: "302 Found", headers: "Location: ../x?y=1\r\n")
        }
        let record = perform(.get(server.url("/a/b/c")))
        XCTAssertEqual(record.head?.status, 302)
        XCTAssertEqual(record.summary?.redirectURL, server.url("/a/x?y=1"))
        XCTAssertEqual(server.requests.count, 1)
    }

    func testAnInvalidURLAndAnotherSchemeAreRefused() {
        for url in ["", "nothing", "ftp://127.0.0.1/", "file:///etc/passwd", "http://"] {
            XCTAssertEqual(perform(.get(url)).error?.kind, .invalidURL, url)
        }
    }
}
