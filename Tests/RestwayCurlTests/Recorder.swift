import LoopbackServer
import RestwayHTTP
import RestwayThreads
import XCTest

/// An observer that records its calls, and fails the test when the contract of the seam is
/// violated.
final class Recorder: ExchangeObserver {
    struct Record {
        var head: ResponseHead?
        var body: [UInt8] = []
        var pieces = 0
        var uploaded: Int64 = 0
        var result: Result<ExchangeSummary, TransportError>?
    }

    let record = Monitor(Record())
    private let bodyBytesMax: Int
    private let onHead: @Sendable () -> Void
    private let onCompleted: @Sendable () -> Void

    init(
        bodyBytesMax: Int = .max, onHead: @escaping @Sendable () -> Void = {},
        onCompleted: @escaping @Sendable () -> Void = {}
    ) {
        self.bodyBytesMax = bodyBytesMax
        self.onHead = onHead
        self.onCompleted = onCompleted
    }

    func receivedHead(_ head: ResponseHead) {
        record.update { record in
            XCTAssertNil(record.head, "a second head")
            XCTAssertNil(record.result, "a head after the end")
            XCTAssertGreaterThanOrEqual(head.status, 200)
            record.head = head
        }
        onHead()
    }

    func receivedBody(_ bytes: UnsafeRawBufferPointer) -> BodyReply {
        record.update { record in
            XCTAssertNotNil(record.head, "a body before the head")
            XCTAssertNil(record.result, "a body after the end")
            XCTAssertFalse(bytes.isEmpty)
            record.body += bytes
            record.pieces += 1
            return record.body.count <= bodyBytesMax
                ? .proceed : .stop(TransportError(.tooLarge, "enough"))
        }
    }

    func progressed(uploaded: Int64, uploadTotal: Int64, downloaded: Int64, downloadTotal: Int64) {
        record.update { $0.uploaded = max($0.uploaded, uploaded) }
    }

    func completed(_ result: Result<ExchangeSummary, TransportError>) {
        record.update { record in
            XCTAssertNil(record.result, "completed twice")
            record.result = result
        }
        onCompleted()
    }

    /// Waits for the head.
    func waitForHead() -> ResponseHead? {
        record.wait(until: .testLimit) { $0.head }
    }

    /// Waits for the end.
    func wait(file: StaticString = #filePath, line: UInt = #line) -> Record {
        let record = record.wait(until: .testLimit) { $0.result == nil ? nil : $0 }
        if record == nil { XCTFail("it did not complete", file: file, line: line) }
        return record ?? Record()
    }
}

extension Recorder.Record {
    var error: TransportError? {
        if case .failure(let error)? = result { return error }
        return nil
    }

    var summary: ExchangeSummary? {
        if case .success(let summary)? = result { return summary }
        return nil
    }

    var text: String { String(decoding: body, as: UTF8.self) }
}

/// An event that a script waits for.
final class Gate: Sendable {
    private let isOpen = Monitor(false)

    func open() { isOpen.update { $0 = true } }
    func wait() { isOpen.wait(until: .testLimit) { $0 ? () : nil } }
}

extension Exchange {
    static func get(_ url: String, timeouts: ExchangeTimeouts = ExchangeTimeouts()) -> Exchange {
        Exchange(method: "GET", url: url, timeouts: timeouts)
    }
}

extension CurlTransportTestCase {
    /// Performs one exchange and waits for its end.
    func perform(
        _ exchange: Exchange, on transport: (any Transport)? = nil, bodyBytesMax: Int = .max,
        file: StaticString = #filePath, line: UInt = #line
    ) -> Recorder.Record {
        let recorder = Recorder(bodyBytesMax: bodyBytesMax)
        _ = (transport ?? self.transport).start(exchange, observer: recorder)
        return recorder.wait(file: file, line: line)
    }
}
