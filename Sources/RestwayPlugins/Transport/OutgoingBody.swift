import RestwayHTTP
import RestwayThreads

/// The body of a request, as a plugin reads it.
final class OutgoingBody: Sendable {
    enum Answer {
        /// This number of bytes was read, at least one byte.
        case bytes(Int)
        case end
        /// No bytes are available yet. The reader is told when there are more.
        case later
        case failed(TransportError)
    }

    private struct State {
        /// The unread piece of a source, or the whole body.
        var piece: [UInt8] = []
        /// The position within the piece.
        var offset = 0
        var given: Int64 = 0
        /// Whether the source has ever been asked for a piece, and whether it is being asked now.
        var hasBegun = false
        var isAsked = false
        /// Whether a reader received the answer `later`.
        var isAwaited = false
        var isEnded = false
        var failure: TransportError?
    }

    private let source: (any BodySource)?
    private let state: Lock<State>

    /// Creates the body to read; `nil` if the exchange has no body.
    init?(_ body: ExchangeBody) {
        var state = State()
        switch body {
        case .none:
            return nil
        case .bytes(let bytes):
            source = nil
            state.piece = bytes
        case .source(let pulled):
            source = pulled
        }
        self.state = Lock(state)
    }

    /// How many bytes were read in all.
    var given: Int64 { state.withLock { $0.given } }

    /// Reads the next bytes. Does not block.
    ///
    /// - Parameter isReady: Called when more bytes are available, after this returned `later`.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, _ isReady: @escaping @Sendable () -> Void
    ) -> Answer {
        if let answer = take(into: buffer) { return answer }
        guard let source else { return .end }
        let asks = state.withLock { state in
            defer { (state.hasBegun, state.isAsked) = (true, true) }
            return !state.isAsked
        }
        if asks { source.next { piece in if self.received(piece) { isReady() } } }
        let isLater = state.withLock { state in
            state.isAwaited = state.isAsked
            return state.isAsked
        }
        // The source may have answered at once.
        return isLater ? .later : take(into: buffer) ?? .end
    }

    /// The bytes that are available; `nil` if a source must be asked first.
    private func take(into buffer: UnsafeMutableRawBufferPointer) -> Answer? {
        state.withLock { state in
            if let failure = state.failure { return .failed(failure) }
            let left = state.piece.count - state.offset
            guard left > 0 else { return state.isEnded ? .end : nil }
            let count = min(buffer.count, left)
            state.piece.withUnsafeBytes { piece in
                let part = piece[state.offset..<state.offset + count]
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
            }
            state.offset += count
            state.given += Int64(count)
            return .bytes(count)
        }
    }

    /// - Returns: Whether a reader waits for the piece.
    private func received(_ piece: BodyPiece) -> Bool {
        state.withLock { state in
            state.isAsked = false
            switch piece {
            case .bytes(let bytes): (state.piece, state.offset) = (bytes, 0)
            case .end: state.isEnded = true
            case .failed(let error): state.failure = error
            }
            defer { state.isAwaited = false }
            return state.isAwaited
        }
    }

    /// Goes back to the beginning; false if the beginning is no longer available.
    func rewind() -> Bool {
        state.withLock { state in
            guard source == nil || !state.hasBegun else { return false }
            (state.offset, state.given) = (0, 0)
            return true
        }
    }
}
