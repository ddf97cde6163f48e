import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayBodies
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Tests how the program receives a body while it arrives, with a transport that the test controls.
final class StreamTests: AuthTestCase {
    /// What the receiver of a test has seen.
    private struct Seen {
        var head: Response?
        var bytes: [UInt8] = []
        var largest = 0
        var calls = 0
    }

    private let seen = Monitor(Seen())

    /// - Parameter answer: Is asked after each piece, with the number of pieces so far.
    private func spec(
        _ answer: @escaping @Sendable (Int) -> Result<BodyFlow, Failure> = { _ in
            .success(.proceed)
        }
    ) -> RequestSpec {
        var spec = RequestSpec.get("things")
        let receiver = BodyReceiver(
            receiveHead: { [seen] head in
                seen.update { $0.head = head }
                return .success(())
            },
            receive: { [seen] bytes in
                let count = seen.update { seen in
                    seen.bytes += bytes
                    seen.largest = max(seen.largest, bytes.count)
                    seen.calls += 1
                    return seen.calls
                }
                return answer(count)
            })
        spec.reception.bodyDestination = .receiver(receiver)
        return spec
    }

    @discardableResult
    private func give(_ bytes: [UInt8], to started: FakeTransport.Started) -> BodyReply {
        bytes.withUnsafeBytes { started.observer.receivedBody($0) }
    }

    private func waitForBytes(_ count: Int) {
        _ = seen.wait { $0.bytes.count >= count ? () : nil }
    }

    func testTheHeadComesBeforeTheBytesAndTheBytesBeforeTheEnd() throws {
        let client = try client(auth: "{}")
        let call = try client.send(spec())
        let started = transport.begin(200, [HeaderField(name: "X-A", value: "b")])
        XCTAssertEqual(give(Array("first".utf8), to: started), .proceed)
        waitForBytes(5)
        let head = seen.withLock { $0.head }
        XCTAssertEqual(head?.headers[first: "X-A"], "b")
        XCTAssertEqual(head?.httpVersion, .http11)
        XCTAssertEqual(head?.bodyCount, 0)
        XCTAssertFalse(call.isComplete)
        give(Array(", last".utf8), to: started)
        started.observer.completed(.success(ExchangeSummary()))
        let response = try call.wait(milliseconds: 0)
        XCTAssertEqual(seen.withLock { $0.bytes }, Array("first, last".utf8))
        XCTAssertEqual(response.saved?.length, 11)
        XCTAssertNil(response.saved?.path)
    }

    func testAReceiverThatPausesPausesTheTransportAtABound() throws {
        let client = try client(auth: "{}")
        let call = try client.send(spec { .success($0 == 1 ? .pause : .proceed) })
        let started = transport.begin()
        give([1], to: started)
        waitForBytes(1)
        let piece = [UInt8](repeating: 2, count: 64 << 10)
        var given = 0
        while give(piece, to: started) == .proceed { given += 1 }
        XCTAssertLessThanOrEqual(given, 16, "the bound is 512 KiB, and a worker may hold as much")
        XCTAssertEqual(seen.withLock { $0.bytes.count }, 1)
        call.resume()
        transport.waitForResume()
        started.observer.completed(.success(ExchangeSummary()))
        XCTAssertEqual(try call.wait(milliseconds: 0).saved?.length, Int64(1 + (given + 1) << 16))
    }

    func testAResumeBeforeThePauseIsNotLost() throws {
        let client = try client(auth: "{}")
        let known = Monitor<Call?>(nil)
        let call = try client.send(
            spec { count in
                if count == 1 { known.wait { $0 }?.resume() }
                return .success(count == 1 ? .pause : .proceed)
            })
        let started = transport.begin()
        give([1], to: started)
        known.update { $0 = call }
        waitForBytes(1)
        give([2], to: started)
        started.observer.completed(.success(ExchangeSummary()))
        XCTAssertEqual(try call.wait(milliseconds: 0).saved?.length, 2)
        known.update { $0 = nil }
    }

    func testAResumeBeforeTheExchangeHasItsNumberIsNotLost() throws {
        let client = try client(auth: "{}")
        let known = Monitor<Call?>(nil)
        transport.onStart { [seen] started in
            started.observer.receivedHead(
                ResponseHead(status: 200, headers: Headers(), url: started.exchange.url))
            _ = withUnsafeBytes(of: UInt8(1)) { started.observer.receivedBody($0) }
            _ = seen.wait { $0.bytes.isEmpty ? nil : () }
            known.wait { $0 }?.resume()
        }
        let call = try client.send(spec { .success($0 == 1 ? .pause : .proceed) })
        known.update { $0 = call }
        let started = transport.next()
        waitForBytes(1)
        give([2], to: started)
        started.observer.completed(.success(ExchangeSummary()))
        XCTAssertEqual(try call.wait(milliseconds: 0).saved?.length, 2)
        known.update { $0 = nil }
    }

    func testAReceiverThatFailsEndsTheExchangeWithItsReason() throws {
        let client = try client(auth: "{}", retry: #"{"attempts": 3, "baseMilliseconds": 0}"#)
        let call = try client.send(spec { _ in .failure(Failure(.store, "the receiver is full")) })
        let started = transport.begin()
        give([1], to: started)
        transport.waitForCancels()
        started.fail(.cancelled)
        let failure = failure(of: call)
        XCTAssertEqual(failure?.reason, .store)
        XCTAssertTrue(failure?.message.contains("the receiver is full") ?? false)
        XCTAssertEqual(failure?.isOfProgram, true)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testABodyThatHasBegunIsNotSentAgainAndOneThatHasNotIs() throws {
        let client = try client(auth: "{}", retry: #"{"attempts": 3, "baseMilliseconds": 100}"#)
        let call = try client.send(spec())
        transport.answer(503, "later")
        _ = advanceToNext()
        let started = transport.begin()
        give([1], to: started)
        started.fail(.connectionLost)
        XCTAssertEqual(failure(of: call)?.reason, .connectionLost)
        XCTAssertEqual(seen.withLock { $0.bytes }, [1])
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testACancelEndsAPausedCall() throws {
        let client = try client(auth: "{}")
        let call = try client.send(spec { _ in .success(.pause) })
        let started = transport.begin()
        give([1], to: started)
        waitForBytes(1)
        give([2], to: started)
        call.cancel()
        transport.waitForCancels()
        started.fail(.cancelled)
        XCTAssertEqual(failure(of: call)?.reason, .cancelled)
        XCTAssertEqual(seen.withLock { $0.bytes }, [1])
        call.resume()
    }

    func testACancelEndsAPausedCallWhoseExchangeIsOver() throws {
        let client = try client(auth: "{}")
        weak var receiver: BodyReceiver?
        let call: Call = try {
            let spec = spec { _ in .success(.pause) }
            if case .receiver(let made) = spec.reception.bodyDestination { receiver = made }
            return try client.send(spec)
        }()
        do {
            let started = transport.begin()
            give([1], to: started)
            waitForBytes(1)
            give([2], to: started)
            started.observer.completed(.success(ExchangeSummary()))
        }
        call.cancel()
        XCTAssertEqual(failure(of: call)?.reason, .cancelled)
        XCTAssertEqual(seen.withLock { $0.bytes }, [1])
        // A worker lets go of it.
        while receiver != nil { sched_yield() }
    }

    func testACodedBodyIsGivenInSmallPiecesHoweverMuchItBecomes() throws {
        // What libbrotlienc makes of 20,000,000 zeros.
        let bomb: [UInt8] = [
            0xCF, 0xFF, 0xFF, 0x7F, 0xF8, 0x27, 0x00, 0xE2, 0xB1, 0x40, 0x20, 0xF7, 0xFE, 0x3F,
            0xFF, 0x59, 0x62, 0xF0, 0x4F, 0x00, 0xC4, 0x61, 0x01, 0x80, 0x2E, 0x49, 0x0C,
        ]
        let client = try client(auth: "{}")
        let call = try client.send(spec { .success($0 == 1 ? .pause : .proceed) })
        let started = transport.begin(200, [HeaderField(name: "Content-Encoding", value: "br")])
        give(bomb, to: started)
        started.observer.completed(.success(ExchangeSummary()))
        waitForBytes(1)
        XCTAssertEqual(seen.withLock { $0.calls }, 1)
        call.resume()
        XCTAssertEqual(try call.wait(milliseconds: 0).saved?.length, 20_000_000)
        XCTAssertLessThanOrEqual(seen.withLock { $0.largest }, 64 << 10)
    }
}
