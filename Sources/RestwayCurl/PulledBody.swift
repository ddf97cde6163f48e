import CCurl
import RestwayHTTP

/// A body that libcurl reads from its source. The next piece is requested as soon as the current
/// piece has come, so memory holds two pieces at most.
///
/// Only the driver of the loop uses it. libcurl pauses the upload while the source is not ready.
struct PulledBody {
    private let source: any BodySource
    private var piece: [UInt8] = []
    private var taken = 0
    private var next: [UInt8]?
    private var isAsking = false
    private var hasEnded = false
    private var failure: TransportError?
    /// Whether libcurl has taken bytes. It may lose them, and they cannot be given again.
    private(set) var hasBegun = false
    /// Whether libcurl waits for more bytes.
    private(set) var isPaused = false

    /// The answer to libcurl's read function.
    enum Answer {
        /// This number of bytes; 0 is the end.
        case bytes(Int)
        /// No bytes are available yet.
        case pause
        case abort(TransportError)
    }

    init(_ source: any BodySource) {
        self.source = source
    }

    var length: Int64? { source.length }

    /// Copies as many bytes as possible into `buffer`.
    ///
    /// - Parameter deliver: Receives the requested pieces, on any thread.
    mutating func give(
        _ buffer: UnsafeMutableRawBufferPointer,
        _ deliver: @escaping @Sendable (BodyPiece) -> Void
    ) -> Answer {
        hasBegun = true
        if let failure { return .abort(failure) }
        if taken == piece.count, let next = self.next.take() {
            piece = next
            taken = 0
        }
        let count = min(buffer.count, piece.count - taken)
        piece.withUnsafeBytes { bytes in
            buffer.copyMemory(from: .init(rebasing: bytes[taken..<taken + count]))
        }
        taken += count
        if next == nil, !isAsking, !hasEnded {
            isAsking = true
            source.next(deliver)
        }
        isPaused = count == 0 && !hasEnded
        return isPaused ? .pause : .bytes(count)
    }

    /// Takes a piece from the source; true if libcurl waits for it.
    mutating func take(_ delivered: BodyPiece) -> Bool {
        guard isAsking else { return false }
        isAsking = false
        switch delivered {
        case .bytes(let bytes): next = bytes
        case .end: hasEnded = true
        case .failed(let error): failure = error
        }
        defer { isPaused = false }
        return isPaused
    }
}

extension EasyHandle {
    /// Copies the next bytes when libcurl wants more of the body.
    func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let active, buffer.count > 0 else { return Int(CURL_READFUNC_ABORT) }
        switch active.give(buffer) {
        case .bytes(let count): return count
        case .pause: return Int(CURL_READFUNC_PAUSE)
        case .abort(let error):
            failure = error
            return Int(CURL_READFUNC_ABORT)
        }
    }
}
