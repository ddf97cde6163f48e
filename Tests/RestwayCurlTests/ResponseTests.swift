import LoopbackServer
import RestwayCurl
import RestwayHTTP
import XCTest

final class ResponseTests: CurlTransportTestCase {
    /// A server that reads a request, writes `answer` and closes.
    private func once(_ answer: String) throws -> TestServer {
        try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(answer)
        }
    }

    func testHeadersComeInOrderWithRepeatsAndFoldedLines() throws {
        let server = try once(
            "HTTP/1.1 404 Not Found\r\nA: 1\r\nb:2 \r\nA: 3\r\nLong: x\r\n  y\r\nEmpty:\r\n"
                + "Content-Length: 2\r\n\r\nno")
        let record = perform(.get(server.url()))
        let head = try XCTUnwrap(record.head)
        XCTAssertEqual(head.status, 404)
        XCTAssertEqual(head.httpVersion, .http11)
        XCTAssertEqual(
            head.headers.fields.map { "\($0.name)=\($0.value)" },
            ["A=1", "b=2", "A=3", "Long=x y", "Empty=", "Content-Length=2"])
        XCTAssertEqual(record.text, "no")
    }

    func testAChunkedBodyIsJoinedAndTrailersStayOutOfTheHead() throws {
        let server = try once(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n")
        let record = perform(.get(server.url()))
        XCTAssertEqual(record.text, "abcde")
        XCTAssertNil(record.head?.headers[first: "X-Trailer"])
        XCTAssertNil(record.error)
    }

    func testATrickledResponseIsReadByteByByte() throws {
        let server = try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            for byte in response("hello", headers: "X-A: b\r\n").utf8 { connection.write([byte]) }
        }
        let record = perform(.get(server.url()))
        XCTAssertEqual(record.text, "hello")
        XCTAssertEqual(record.head?.headers[first: "x-a"], "b")
    }

    func testInterimResponsesAreSkipped() throws {
        let server = try once(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                + response("x"))
        let record = perform(.get(server.url()))
        XCTAssertEqual(record.head?.status, 200)
        XCTAssertNil(record.head?.headers[first: "Link"])
        XCTAssertEqual(record.text, "x")
    }

    func testAFloodOfInterimResponsesEnds() throws {
        let server = try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            while connection.write("HTTP/1.1 102 Processing\r\n\r\n") {}
        }
        XCTAssertEqual(perform(.get(server.url())).error?.kind, .tooLarge)
    }

    func testEndlessHeadersEnd() throws {
        let many = try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\n")
            while connection.write("X-More: and more\r\n") {}
        }
        XCTAssertEqual(perform(.get(many.url())).error?.kind, .tooLarge)
        let long = try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nX-Long: ")
            while connection.write(String(repeating: "x", count: 10_000)) {}
        }
        XCTAssertEqual(perform(.get(long.url())).error?.kind, .tooLarge)
        let trailers = try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n")
            while connection.write("X-More: and more\r\n") {}
        }
        XCTAssertEqual(perform(.get(trailers.url())).error?.kind, .tooLarge)
    }

    func testHalfABodyIsALostConnection() throws {
        let length = try once("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        let record = perform(.get(length.url()))
        XCTAssertEqual(record.error?.kind, .connectionLost)
        XCTAssertEqual(record.head?.status, 200)
        let chunked = try once(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n")
        XCTAssertEqual(perform(.get(chunked.url())).error?.kind, .connectionLost)
    }

    func testALengthThatNoCounterHoldsIsAProtocolViolation() throws {
        for length in ["9223372036854775808", "18446744073709551626", "99999999999999999999"] {
            let server = try once("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\npart")
            let record = perform(.get(server.url()))
            XCTAssertEqual(record.error?.kind, .protocolViolation, length)
            XCTAssertNil(record.head, length)
        }
        let folded = try once("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n 0\r\n\r\nno")
        XCTAssertEqual(perform(.get(folded.url())).error?.kind, .protocolViolation)
    }

    func testTransferCodingsThatAreNotUndoneAreProtocolViolations() throws {
        let chunks = "3\r\nabc\r\n0\r\n\r\n"
        for coding in ["rot13", "gzip", "gzip, chunked", "chunked, chunked", "chunked, rot13"] {
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n"
            let server = try once(head + chunks)
            let record = perform(.get(server.url()))
            XCTAssertEqual(record.error?.kind, .protocolViolation, coding)
            XCTAssertEqual(record.text, "", coding)
        }
        let plain = try once("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nabc")
        XCTAssertEqual(perform(.get(plain.url())).text, "abc")
    }

    func testTheLengthBesideTheCodingIdentityEndsTheBody() throws {
        for (length, text) in [(3, "abc"), (0, ""), (3, "abcdef")] {
            // The server keeps the connection open until the client ends it.
            let server = try TestServer { connection in
                guard connection.readRequest() != nil else { return }
                connection.write(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n"
                        + "Content-Length: \(length)\r\n\r\n\(text)")
                _ = connection.readRequest()
            }
            let record = perform(.get(server.url()))
            XCTAssertNil(record.error, text)
            XCTAssertEqual(record.text, String(text.prefix(length)))
        }
        let short = try once(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 9\r\n\r\nabc")
        XCTAssertEqual(perform(.get(short.url())).error?.kind, .connectionLost)
    }

    func testABareCarriageReturnInAHeadIsAProtocolViolation() throws {
        for line in ["X-A: 1\rX-B: 2", "X-A\r: 1", "X-A: 1\r", "X-A: 1\r\n \rfolded"] {
            let server = try once(
                "HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 2\r\n\r\nok")
            let error = perform(.get(server.url())).error
            XCTAssertEqual(error?.kind, .protocolViolation, line.debugDescription)
        }
        let status = try once("HTTP/1.1 200 O\rK\r\nContent-Length: 2\r\n\r\nok")
        XCTAssertEqual(perform(.get(status.url())).error?.kind, .protocolViolation)
        let trailer = try once(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-A: 1\rB: 2\r\n\r\n")
        XCTAssertEqual(perform(.get(trailer.url())).error?.kind, .protocolViolation)
    }

    func testHeadersWithoutTheirBlankLineAreAnError() throws {
        for answer in [
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 204 No Content\r\nX: y", "HTTP/1.1 2", "HTTP/1.1 100 Continue\r\n\r\n",
        ] {
            let server = try once(answer)
            let record = perform(.get(server.url()))
            XCTAssertNotNil(record.error, answer)
            XCTAssertTrue(
                [.connectionLost, .protocolViolation].contains(record.error?.kind), answer)
            XCTAssertNil(record.head)
        }
    }

    func testGarbageIsAProtocolViolation() throws {
        for answer in ["garbage\r\n\r\n", "SSH-2.0-OpenSSH\r\n", "<html>\n</html>\n"] {
            let server = try once(answer)
            XCTAssertEqual(perform(.get(server.url())).error?.kind, .protocolViolation, answer)
        }
        let nameless = try once("HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 0\r\n\r\n")
        XCTAssertEqual(perform(.get(nameless.url())).error?.kind, .protocolViolation)
    }

    func testAConnectionThatSaysNothingIsLost() throws {
        let server = try TestServer { connection in _ = connection.readRequest() }
        let error = try XCTUnwrap(perform(.get(server.url("/secret?token=1"))).error)
        XCTAssertEqual(error.kind, .connectionLost)
        XCTAssertTrue(error.message.hasPrefix("127.0.0.1:\(server.port)"), error.message)
        XCTAssertFalse(error.message.contains("token"))
        let resetting = try TestServer { connection in
            _ = connection.readRequest()
            connection.reset()
        }
        XCTAssertEqual(perform(.get(resetting.url())).error?.kind, .connectionLost)
    }

    func testAnObserverCanStopABody() throws {
        let server = try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\n\r\n")
            while connection.write(String(repeating: "x", count: 10_000)) {}
        }
        let record = perform(.get(server.url()), bodyBytesMax: 100_000)
        XCTAssertEqual(record.error, TransportError(.tooLarge, "enough"))
    }

    func testContentCodingsAreLeftAlone() throws {
        let server = try once(response("not gzip", headers: "Content-Encoding: gzip\r\n"))
        XCTAssertEqual(perform(.get(server.url())).text, "not gzip")
    }
}
