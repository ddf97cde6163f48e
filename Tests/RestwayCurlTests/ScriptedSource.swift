import LoopbackServer
import RestwayHTTP
import RestwayThreads
import XCTest

/// A body that the test gives piece by piece, or that gives itself. The test fails when it is read
/// in a way that the seam does not allow.
final class ScriptedSource: BodySource {
    private struct State {
        var pieces: [BodyPiece]
        var isManual: Bool
        var asked = 0
        var deliver: (@Sendable (BodyPiece) -> Void)?
        var isOver = false
    }

    let length: Int64?
    private let state: Monitor<State>

    /// - Parameter isManual: Whether nothing is given before `give`.
    init(length: Int64? = nil, _ pieces: [String], isManual: Bool = false) {
        self.length = length
        let pieces = pieces.map { BodyPiece.bytes(Array($0.utf8)) } + [.end]
        state = Monitor(State(pieces: pieces, isManual: isManual))
    }

    var askedCount: Int { state.withLock { $0.asked } }

    func next(_ deliver: @escaping @Sendable (BodyPiece) -> Void) {
        let piece: BodyPiece? = state.update { state in
            XCTAssertNil(state.deliver, "asked again before the answer")
            XCTAssertFalse(state.isOver, "asked after the end")
            state.asked += 1
            guard !state.isManual else {
                state.deliver = deliver
                return nil
            }
            return Self.next(&state)
        }
        if let piece { deliver(piece) }
    }

    /// Waits until a piece is asked for, and gives it: the next piece, or `piece`.
    func give(_ piece: BodyPiece? = nil) {
        let step: (deliver: @Sendable (BodyPiece) -> Void, piece: BodyPiece)? = state.wait(
            until: .testLimit
        ) { state in
            guard let deliver = state.deliver.take() else { return nil }
            return (deliver, piece ?? Self.next(&state))
        }
        guard let step else { return XCTFail("nobody asked") }
        step.deliver(step.piece)
    }

    /// Waits until this many pieces were asked for.
    func waitForAsked(_ count: Int) {
        XCTAssertNotNil(state.wait(until: .testLimit) { $0.asked >= count ? () : nil })
    }

    private static func next(_ state: inout State) -> BodyPiece {
        let piece = state.pieces.removeFirst()
        if case .bytes = piece { return piece }
        state.isOver = true
        return piece
    }
}

extension Exchange {
    static func upload(
        _ url: String, _ source: ScriptedSource, method: String = "POST",
        headers: [HeaderField] = []
    ) -> Exchange {
        Exchange(method: method, url: url, headers: headers, body: .source(source))
    }
}
