import LoopbackServer
import RestwayHTTP
import RestwayThreads
import XCTest

/// Back-pressure: an observer pauses the body.
final class PauseTests: CurlTransportTestCase {
    /// Answers `.pause` to every piece.
    private final class PausingObserver: ExchangeObserver {
        struct Record {
            var pieces = 0
            var bytes = 0
            var trailers: Headers?
            var result: Result<ExchangeSummary, TransportError>?
        }

        let record = Monitor(Record())

        func receivedHead(_ head: ResponseHead) {}

        func receivedBody(_ bytes: UnsafeRawBufferPointer) -> BodyReply {
            record.update { record in
                record.pieces += 1
                record.bytes += bytes.count
            }
            return .pause
        }

        func receivedTrailers(_ trailers: Headers) {
            record.update { $0.trailers = trailers }
        }

        func completed(_ result: Result<ExchangeSummary, TransportError>) {
            record.update { $0.result = result }
        }

        var pieces: Int { record.withLock { $0.pieces } }
        func wait(forPiece count: Int) -> Bool? {
            record.wait(until: .testLimit) { $0.pieces >= count || $0.result != nil ? true : nil }
        }
    }

    private static let bodyBytes = 1 << 20

    private func largeServer() throws -> TestServer {
        try TestServer.answering { request in
            guard request.path == "/large" else {
                return "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            }
            return "HTTP/1.1 200 OK\r\nContent-Length: \(Self.bodyBytes)\r\n\r\n"
                + String(repeating: "x", count: Self.bodyBytes)
        }
    }

    func testNothingComesUntilItIsResumed() throws {
        let server = try largeServer()
        let observer = PausingObserver()
        let id = transport.start(.get(server.url("/large")), observer: observer)
        var count = 0
        while true {
            XCTAssertNotNil(observer.wait(forPiece: count + 1))
            if observer.record.withLock({ $0.result }) != nil { break }
            count = observer.pieces
            // The loop has run once, and has delivered nothing more.
            XCTAssertEqual(perform(.get(server.url("/small"))).text, "ok")
            XCTAssertEqual(observer.pieces, count)
            transport.resume(id)
        }
        if case .failure(let error)? = observer.record.withLock({ $0.result }) {
            XCTFail("\(error)")
        }
        XCTAssertGreaterThan(count, 8, "it came in many pieces")
        XCTAssertEqual(observer.record.withLock { $0.bytes }, Self.bodyBytes)
    }

    func testWhatIsPausedCanBeCancelled() throws {
        let server = try largeServer()
        let observer = PausingObserver()
        let id = transport.start(.get(server.url("/large")), observer: observer)
        XCTAssertNotNil(observer.wait(forPiece: 1))
        transport.cancel(id)
        let result = observer.record.wait(until: .testLimit) { $0.result }
        guard case .failure(let error)? = result else { return XCTFail("it did not end") }
        XCTAssertEqual(error.kind, .cancelled)
        // The handle is used for the next exchange, which is not paused.
        XCTAssertEqual(perform(.get(server.url("/small"))).text, "ok")
    }

    func testTrailersAreTold() throws {
        let server = try TestServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "0\r\nX-One: 1\r\nX-Two:  2 \r\n\r\n")
        }
        let observer = PausingObserver()
        _ = transport.start(.get(server.url()), observer: observer)
        XCTAssertNotNil(observer.record.wait(until: .testLimit) { $0.result })
        XCTAssertEqual(
            observer.record.withLock { $0.trailers }?.fields.map { "\($0.name)=\($0.value)" },
            ["X-One=1", "X-Two=2"])
    }
}
