import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayAuth
@testable import RestwayBatch
@testable import RestwayBodies
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayPacing
@testable import RestwayRequests

/// A body reader of a program that gives pieces one by one and waits when it is told to. The test
/// fails if two of its functions run at once.
final class ScriptedReader: Sendable {
    private struct State {
        var given = 0
        var reads = 0
        var rewinds = 0
        var isRunning = false
        /// Waits before it gives this piece.
        var gate: Int?
        var failure: Failure?
        var rewindFailure: Failure?
    }

    private let pieces: [String]
    private let state = Monitor(State())
    private let ended = Monitor(false)

    init(_ pieces: [String], gate: Int? = nil, failure: Failure? = nil, rewind: Failure? = nil) {
        self.pieces = pieces
        state.update { state in
            state.gate = gate
            state.failure = failure
            state.rewindFailure = rewind
        }
    }

    var reads: Int { state.withLock { $0.reads } }
    var rewinds: Int { state.withLock { $0.rewinds } }

    /// Lets it continue.
    func open() { state.update { $0.gate = nil } }

    /// Waits until it was called this many times.
    func waitForReads(_ count: Int) { state.wait { $0.reads >= count ? () : nil } }

    /// Waits until it can no longer be called.
    func waitForEnd() { ended.wait { $0 ? () : nil } }
    var hasEnded: Bool { ended.withLock { $0 } }

    func body(length: Int64? = nil, rewinds: Bool = true) -> RequestSpec.Body {
        let ending = EndOfLife { [ended] in ended.update { $0 = true } }
        let read: BodyReader.Read = { buffer in
            withExtendedLifetime(ending) { self.read(buffer) }
        }
        let rewind: BodyReader.Rewind = { withExtendedLifetime(ending) { self.rewind() } }
        let reader = BodyReader(length: length, read: read, rewind: rewinds ? rewind : nil)
        return .init(reader: reader, mediaType: "text/plain")
    }

    private func read(_ buffer: UnsafeMutableRawBufferPointer) -> Result<Int, Failure> {
        begin { $0.reads += 1 }
        return state.wait { state -> Result<Int, Failure>? in
            if let gate = state.gate, gate == state.given { return nil }
            state.isRunning = false
            guard state.given < self.pieces.count else {
                return state.failure.map { .failure($0) } ?? .success(0)
            }
            let piece = Array(self.pieces[state.given].utf8)
            XCTAssertLessThanOrEqual(piece.count, buffer.count)
            buffer.copyBytes(from: piece)
            state.given += 1
            return .success(piece.count)
        } ?? .success(0)
    }

    private func rewind() -> Result<Void, Failure> {
        begin { $0.rewinds += 1 }
        return state.update { state in
            state.isRunning = false
            state.given = 0
            return state.rewindFailure.map { .failure($0) } ?? .success(())
        }
    }

    private func begin(_ count: (inout State) -> Void) {
        XCTAssertTrue(CallbackScope.isActive, "not asked as a question")
        state.update { state in
            XCTAssertFalse(state.isRunning, "two functions of one reader at once")
            state.isRunning = true
            count(&state)
        }
    }
}

private final class EndOfLife: Sendable {
    let end: @Sendable () -> Void
    init(_ end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }
}

extension FakeTransport.Started {
    /// Reads the body to its end, like a transport; returns `nil` if it fails.
    func pull() -> String? {
        guard case .source(let source) = exchange.body else { return nil }
        var body: [UInt8] = []
        while true {
            let piece = pullOne(source)
            switch piece {
            case .bytes(let bytes): body += bytes
            case .end: return String(decoding: body, as: UTF8.self)
            case .failed: return nil
            }
        }
    }

    /// Reads one piece, and waits for it.
    func pullOne() -> String? {
        guard case .source(let source) = exchange.body, case .bytes(let bytes) = pullOne(source)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Asks for a piece, and does not wait.
    func ask() {
        if case .source(let source) = exchange.body { source.next { _ in } }
    }

    private func pullOne(_ source: any BodySource) -> BodyPiece {
        let delivered = Monitor<BodyPiece?>(nil)
        source.next { piece in
            delivered.update { place in
                if case .some = place { XCTFail("delivered twice") }
                place = piece
            }
        }
        return delivered.wait { $0 }!
    }
}
