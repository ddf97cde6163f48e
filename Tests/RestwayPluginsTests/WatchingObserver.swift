import RestwayHTTP
import RestwayThreads
import XCTest

/// Records its calls, and fails the test when the contract of the seam is violated.
final class WatchingObserver: ExchangeObserver {
    struct Record {
        var head: ResponseHead?
        var body: [UInt8] = []
        var trailers: Headers?
        var progress: [Int64] = []
        var result: Result<ExchangeSummary, TransportError>?
    }

    let record = Monitor(Record())
    private let onHead: @Sendable () -> Void
    private let reply: @Sendable () -> BodyReply

    init(
        onHead: @escaping @Sendable () -> Void = {},
        reply: @escaping @Sendable () -> BodyReply = { .proceed }
    ) {
        self.onHead = onHead
        self.reply = reply
    }

    func receivedHead(_ head: ResponseHead) {
        record.update { record in
            XCTAssertNil(record.head)
            XCTAssertNil(record.result)
            record.head = head
        }
        onHead()
    }

    func receivedBody(_ bytes: UnsafeRawBufferPointer) -> BodyReply {
        record.update { record in
            XCTAssertNotNil(record.head)
            XCTAssertNil(record.result)
            XCTAssertFalse(bytes.isEmpty)
            record.body += bytes
        }
        return reply()
    }

    func receivedTrailers(_ trailers: Headers) {
        record.update { record in
            XCTAssertNil(record.trailers)
            record.trailers = trailers
        }
    }

    func progressed(uploaded: Int64, uploadTotal: Int64, downloaded: Int64, downloadTotal: Int64) {
        record.update { $0.progress.append(downloaded) }
    }

    func completed(_ result: Result<ExchangeSummary, TransportError>) {
        record.update { record in
            XCTAssertNil(record.result, "completed twice")
            record.result = result
        }
    }

    /// Waits for the end; returns `nil` if it does not come.
    func wait() -> Result<ExchangeSummary, TransportError>? {
        let limit = SystemClock().now().advanced(milliseconds: 30_000)
        return record.wait(until: limit) { $0.result }
    }

    var error: TransportError? {
        if case .failure(let error)? = record.withLock({ $0.result }) { error } else { nil }
    }

    var summary: ExchangeSummary? {
        if case .success(let summary)? = record.withLock({ $0.result }) { summary } else { nil }
    }
}
