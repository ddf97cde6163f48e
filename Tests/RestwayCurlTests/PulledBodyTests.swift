import LoopbackServer
import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCurl

final class PulledBodyTests: CurlTransportTestCase {
    private func echo() throws -> TestServer {
        try .answering { response(String(decoding: $0.body, as: UTF8.self)) }
    }

    func testABodyOfKnownLengthSaysItsLength() throws {
        let server = try echo()
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            let source = ScriptedSource(length: 9, ["one", "two", "six"])
            let record = perform(.upload(server.url(), source, method: method))
            XCTAssertEqual(record.text, "onetwosix", method)
            XCTAssertEqual(record.uploaded, 9)
        }
        for request in server.requests {
            XCTAssertEqual(request.header("Content-Length"), "9")
            XCTAssertNil(request.header("Transfer-Encoding"))
            XCTAssertNil(request.header("Expect"))
        }
        XCTAssertEqual(server.requests.map(\.method), ["POST", "PUT", "PATCH", "DELETE"])
        XCTAssertEqual(server.connectionCount, 1)
    }

    func testABodyOfUnknownLengthGoesOutInChunks() throws {
        let server = try echo()
        let large = String(repeating: "abcdefgh", count: 40_000)
        let record = perform(.upload(server.url(), ScriptedSource(["1", large, "2"])))
        XCTAssertEqual(record.text, "1" + large + "2")
        XCTAssertEqual(server.requests.first?.header("Transfer-Encoding"), "chunked")
        XCTAssertNil(server.requests.first?.header("Content-Length"))
        XCTAssertEqual(perform(.upload(server.url(), ScriptedSource([]))).text, "")
    }

    func testWhatComesAfterOnTheSameHandleIsAsEver() throws {
        let server = try echo()
        XCTAssertEqual(perform(.upload(server.url(), ScriptedSource(["x"]))).text, "x")
        let post = Exchange(method: "POST", url: server.url(), body: .bytes([65, 66]))
        XCTAssertEqual(perform(post).text, "AB")
        XCTAssertEqual(perform(.get(server.url())).text, "")
        let requests = server.requests
        XCTAssertEqual(requests.map(\.method), ["POST", "POST", "GET"])
        XCTAssertEqual(requests[1].header("Content-Length"), "2")
        XCTAssertNil(requests[2].header("Content-Length"))
        XCTAssertNil(requests[2].header("Transfer-Encoding"))
    }

    func testASourceThatTakesItsTimeKeepsNobodyElseWaiting() throws {
        let server = try echo()
        let source = ScriptedSource(["slow", "ly"], isManual: true)
        let recorder = Recorder()
        _ = transport.start(.upload(server.url(), source), observer: recorder)
        source.waitForAsked(1)
        for _ in 0..<3 {
            XCTAssertEqual(perform(.get(server.url())).head?.status, 200)
        }
        source.give()
        XCTAssertEqual(perform(.get(server.url())).head?.status, 200)
        source.give()
        source.give()
        XCTAssertEqual(recorder.wait().text, "slowly")
    }

    func testMemoryHoldsTwoPiecesAtMost() {
        let source = ScriptedSource(["abcd", "efgh", "ij"], isManual: true)
        let delivered = Lock<[BodyPiece]>([])
        var body = PulledBody(source) { piece in delivered.withLock { $0.append(piece) } }
        var room = [UInt8](repeating: 0, count: 3)
        func give() -> String {
            room.withUnsafeMutableBytes { room in
                switch body.give(room) {
                case .bytes(let count): String(decoding: room[..<count], as: UTF8.self)
                case .pause: "pause"
                case .abort(let error): error.message
                }
            }
        }
        func take() -> Bool {
            source.give()
            return body.take(delivered.withLock { $0.removeFirst() })
        }
        XCTAssertFalse(body.hasBegun)
        XCTAssertEqual(give(), "pause")
        XCTAssertTrue(body.hasBegun)
        XCTAssertTrue(take(), "libcurl waits")
        XCTAssertEqual(give(), "abc")
        XCTAssertEqual(source.askedCount, 2, "the next one is read ahead")
        XCTAssertFalse(take(), "libcurl does not wait")
        XCTAssertEqual(give(), "d")
        XCTAssertEqual(source.askedCount, 2, "one is there: no more is asked for")
        XCTAssertEqual(give(), "efg")
        XCTAssertEqual(source.askedCount, 3)
        XCTAssertEqual(give(), "h")
        XCTAssertEqual(give(), "pause")
        XCTAssertTrue(take())
        XCTAssertEqual(give(), "ij")
        XCTAssertEqual(source.askedCount, 4)
        XCTAssertEqual(give(), "pause")
        XCTAssertTrue(take())
        XCTAssertEqual(give(), "")
        XCTAssertEqual(source.askedCount, 4, "nothing is asked after the end")
    }

    func testASourceThatFailsFailsTheExchange() throws {
        let server = try echo()
        let reason = TransportError(.cancelled, "no more of it")
        let source = ScriptedSource(length: 9, ["one"], isManual: true)
        let recorder = Recorder()
        _ = transport.start(.upload(server.url(), source), observer: recorder)
        source.give()
        source.give(.failed(reason))
        XCTAssertEqual(recorder.wait().error, reason)
        XCTAssertEqual(perform(.get(server.url())).head?.status, 200)
    }

    func testNothingIsAskedBeforeThereIsAConnection() throws {
        let server = try echo()
        server.stop()
        let source = ScriptedSource(["never"])
        var record = Recorder.Record()
        // A connection that the kernel had already accepted for the listener may still succeed.
        for _ in 0..<10 where record.error?.kind != .connect {
            record = perform(.upload("http://127.0.0.1:1/", source))
        }
        XCTAssertEqual(record.error?.kind, .connect)
        XCTAssertEqual(source.askedCount, 0)
    }

    func testAnExchangeEndsWhileItsSourceIsAsked() throws {
        let server = try echo()
        for closes in [false, true] {
            let transport = CurlTransport()
            var source: ScriptedSource? = ScriptedSource(["late"], isManual: true)
            weak let held = source
            let recorder = Recorder()
            let id = transport.start(.upload(server.url(), source!), observer: recorder)
            source!.waitForAsked(1)
            if closes { transport.close() } else { transport.cancel(id) }
            XCTAssertEqual(recorder.wait().error?.kind, closes ? .closed : .cancelled)
            // A later piece belongs to no exchange.
            source!.give()
            source = nil
            eventually { held == nil }
            transport.close()
        }
    }

    func testABodyThatHasBegunIsNeverSentTwiceOnItsOwn() throws {
        // The connection is kept, and ends in the middle of the second request.
        let server = try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(response("first"))
            guard connection.number == 0 else { return }
            connection.readHead()
            _ = connection.read(4)
            connection.reset()
        }
        XCTAssertEqual(perform(.get(server.url())).text, "first")
        let source = ScriptedSource(length: 8, ["once", "only"], isManual: true)
        let key = [HeaderField(name: "Idempotency-Key", value: "1")]
        let recorder = Recorder()
        _ = transport.start(.upload(server.url(), source, headers: key), observer: recorder)
        source.give()
        XCTAssertEqual(recorder.wait().error?.kind, .connectionLost)
        XCTAssertEqual(source.askedCount, 2)
        XCTAssertEqual(server.requests.count, 1)
    }

    func testAnAnswerMayComeBeforeTheEndOfTheBody() throws {
        let server = try TestServer { connection in
            connection.readHead()
            connection.write(response("enough", status: "413 Content Too Large"))
            connection.readToEnd()
        }
        let source = ScriptedSource(["a"], isManual: true)
        let recorder = Recorder()
        _ = transport.start(.upload(server.url(), source), observer: recorder)
        let record = recorder.wait()
        XCTAssertEqual(record.head?.status, 413)
        XCTAssertEqual(record.text, "enough")
        XCTAssertNil(record.error)
    }

    func testADigestChallengeComesBeforeTheBodyIsAskedFor() throws {
        let server = try TestServer.answering { request in
            guard request.header("Authorization") == nil else {
                return response(String(decoding: request.body, as: UTF8.self))
            }
            return response(
                "no", status: "401 Unauthorized",
                headers: "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\r\n")
        }
        for length in [4, nil] as [Int64?] {
            let source = ScriptedSource(length: length, ["body"])
            var exchange = Exchange.upload(server.url(), source)
            exchange.digest = DigestCredential(user: "u", password: Secret("p"))
            XCTAssertEqual(perform(exchange).text, "body")
        }
        XCTAssertEqual(server.requests.map(\.body.count), [0, 4, 0, 4])
    }
}
