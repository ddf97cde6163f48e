import Glibc
import LoopbackServer
import RestwayCurl
import RestwayHTTP
import RestwayThreads
import XCTest

/// Compares the two ways in which an exchange can be driven: by the I/O thread, and by the thread
/// that waits for it.
final class DriveComparisonTests: CurlTransportTestCase {
    /// Writes down all events of an exchange.
    private final class Transcript: ExchangeObserver {
        struct Events {
            var lines: [String] = []
            var body: [UInt8] = []
            var isOver = false
            var isOwnWork = false
        }

        let events = Monitor(Events())
        let isAwaited: Bool
        private let bodyBytesMax: Int
        private let waiter = pthread_self()

        init(isAwaited: Bool, bodyBytesMax: Int) {
            self.isAwaited = isAwaited
            self.bodyBytesMax = bodyBytesMax
        }

        func receivedHead(_ head: ResponseHead) {
            let fields = head.headers.fields.map { "\($0.name)=\($0.value)" }
            note("head \(head.status) \(head.httpVersion) \(head.url) \(fields)")
        }

        func receivedBody(_ bytes: UnsafeRawBufferPointer) -> BodyReply {
            events.update { events in
                events.body += bytes
                return events.body.count <= bodyBytesMax
                    ? .proceed : .stop(TransportError(.tooLarge, "enough"))
            }
        }

        func receivedTrailers(_ trailers: Headers) {
            note("trailers \(trailers.fields.map { "\($0.name)=\($0.value)" })")
        }

        func completed(_ result: Result<ExchangeSummary, TransportError>) {
            switch result {
            case .success(let summary):
                note(
                    "success \(summary.redirectURL ?? "-") \(summary.uploadedBytes) "
                        + "\(summary.downloadedBytes) \(summary.repetitions)")
            case .failure(let error):
                // libcurl says how many milliseconds a failed connection took.
                let words = error.message.split(separator: " ").filter { Int($0) == nil }
                note("\(error.kind) \(words.joined(separator: " "))")
            }
            let isOwnWork = pthread_equal(waiter, pthread_self()) != 0
            events.update { ($0.isOver, $0.isOwnWork) = (true, isOwnWork) }
        }

        private func note(_ line: String) { events.update { $0.lines.append(line) } }

        var isOver: Bool { events.withLock { $0.isOver } }

        /// All events in order, and whether the thread that waited did the work.
        func wait() -> (text: String, isOwnWork: Bool) {
            let events = events.wait(until: .testLimit) { $0.isOver ? $0 : nil }
            guard let events else { return ("it never completed", false) }
            let body = String(decoding: events.body.prefix(100), as: UTF8.self)
            let text = (events.lines + ["\(events.body.count) \(body)"]).joined(separator: "\n")
            return (text, events.isOwnWork)
        }
    }

    private static let answers: [String: String] = [
        "/ok": response("ok", headers: "A: 1\r\nA: 2\r\n"),
        "/empty": "HTTP/1.1 204 No Content\r\n\r\n",
        "/missing": response("no", status: "404 Not Found"),
        "/moved": response("there", status: "302 Found", headers: "Location: /ok\r\n"),
        "/large": response(String(repeating: "abcdefgh", count: 50_000)),
        "/chunked": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: T\r\n\r\n"
            + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: 1\r\n\r\n",
        "/interim": "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
            + response("x"),
        "/folded": "HTTP/1.1 200 OK\r\nLong: x\r\n  y\r\nContent-Length: 1\r\n\r\nz",
        "/garbage": "this is not HTTP\r\n\r\n",
        "/lengths": "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "/cut": "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
        "/headless": "HTTP/1.1 200 OK\r\nA: 1\r\n",
        "/flood": "HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 3_000) + "\r\n",
        "/nothing": "",
    ]
    private static let closing: Set<String> = [
        "/garbage", "/lengths", "/cut", "/headless", "/flood", "/nothing",
    ]

    private func run(
        _ exchange: Exchange, bodyBytesMax: Int, drives: Bool
    ) -> (text: String, isOwnWork: Bool) {
        let transcript = Transcript(isAwaited: drives, bodyBytesMax: bodyBytesMax)
        _ = transport.start(exchange, observer: transcript)
        if drives { transport.drive { !transcript.isOver } }
        return transcript.wait()
    }

    /// Performs `exchange` in both ways; a waiting thread gets its turn sooner or later.
    private func compare(
        _ exchange: () -> Exchange, bodyBytesMax: Int = .max, _ name: String
    ) {
        let plain = run(exchange(), bodyBytesMax: bodyBytesMax, drives: false)
        XCTAssertFalse(plain.isOwnWork, name)
        eventually {
            let driven = run(exchange(), bodyBytesMax: bodyBytesMax, drives: true)
            XCTAssertEqual(driven.text, plain.text, name)
            return driven.isOwnWork
        }
    }

    func testAWaitingThreadSeesWhatTheIOThreadSees() throws {
        let server = try TestServer { connection in
            while let request = connection.readRequest() {
                let answer = Self.answers[request.path] ?? response(
                    "\(request.method) " + String(decoding: request.body, as: UTF8.self))
                let isHead = request.method == "HEAD"
                connection.write(isHead ? "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n" : answer)
                if Self.closing.contains(request.path) { return connection.close() }
            }
        }
        for path in Self.answers.keys.sorted() {
            compare({ .get(server.url(path)) }, path)
        }
        compare({ .get(server.url("/large")) }, bodyBytesMax: 1_000, "an observer that stops")
        for method in ["HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
            compare({ Exchange(method: method, url: server.url("/echo")) }, method)
        }
        for method in ["POST", "PUT", "DELETE"] {
            let url = server.url("/echo")
            compare({ Exchange(method: method, url: url, body: .bytes([65, 66])) }, method)
            compare({ .upload(url, ScriptedSource(["one", "two"]), method: method) }, method)
        }
        compare({ .get("http://127.0.0.1:1/") }, "nobody listens")
        compare({ .get("http:///") }, "no host")
        compare({ .get(server.url("/a%2Fb?c=d%20e&f")) }, "escapes")
    }
}
