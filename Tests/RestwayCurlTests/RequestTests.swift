import LoopbackServer
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

    func testPathsAndQueriesGoOutAsTheyAreWhateverWentBefore() throws {
        let server = try echo()
        let other = try echo()
        let targets = [
            "/p", "/p?x=1", "/q", "/%2F%2f?%C3%A9", "/p?", "/p", "/?a?b/c", "//p", "/a;b=1,2@x:y",
            "/p?x=%20", "/p?x=1&y=[2]", "/", "/a/../b/./c",
        ]
        for target in targets {
            for to in [server, other] {
                let record = perform(.get(to.url(target)))
                XCTAssertNil(record.error, target)
                XCTAssertEqual(record.head?.headers[first: "X-Path"], target)
                XCTAssertEqual(record.head?.url, to.url(target))
            }
        }
        XCTAssertEqual(server.requests.map(\.path), targets)
        _ = perform(.get(server.url("")))
        XCTAssertEqual(server.requests.last?.path, "/")
        _ = perform(.get(server.url("?x=1")))
        XCTAssertEqual(server.requests.last?.path, "/?x=1")
        // The memory of a credential is overwritten, and the credential is made again.
        var secret = Exchange.get(server.url("/s?key=1"))
        secret.headers = [HeaderField(name: "Authorization", value: "Bearer x")]
        for target in ["/s?key=1", "/t?u", "/v"] {
            _ = perform(secret)
            XCTAssertEqual(server.requests.last?.path, "/s?key=1")
            _ = perform(.get(server.url(target)))
            XCTAssertEqual(server.requests.last?.path, target)
        }
        let hosts = Set(server.requests.map { $0.header("Host") })
        XCTAssertEqual(hosts, ["127.0.0.1:\(server.port)"])
        XCTAssertEqual(server.connectionCount, 1)
    }

    func testTheSameURLAgainGoesOutAsItDid() throws {
        let server = try echo()
        let targets = ["/p?x=1", "/p?x=1", "/p", "/p", "/p?", "/p?", "/%2F", "/%2F", "/p"]
        for target in targets {
            for method in ["GET", "POST"] {
                let record = perform(Exchange(method: method, url: server.url(target)))
                XCTAssertEqual(record.head?.headers[first: "X-Path"], target)
            }
        }
        XCTAssertEqual(server.requests.map(\.path), targets.flatMap { [$0, $0] })
        XCTAssertEqual(server.connectionCount, 1)
    }

    func testARedirectIsResolvedAgainstTheExchangesOwnURL() throws {
        let server = try TestServer.answering { _ in
            response("", status: "302 Found", headers: "Location: ../c?d\r\n")
        }
        for path in ["/x/a/b?q", "/y/a/b", "/%41/a/b"] {
            let record = perform(.get(server.url(path)))
            let first = path.split(separator: "/")[0]
            XCTAssertEqual(record.summary?.redirectURL, server.url("/\(first)/c?d"), path)
        }
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
