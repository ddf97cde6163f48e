import CCurl
import RestwayHTTP

/// A body on its way from its source to libcurl: the piece that is being taken, and the next one,
/// which is asked for as soon as the one before is. So memory holds two pieces at most.
///
/// Used by the driver of the loop alone. While the source takes its time libcurl pauses the upload.
struct PulledBody {
    private let source: any BodySource
    private var piece: [UInt8] = []
    private var taken = 0
    private var next: [UInt8]?
    private var isAsking = false
    private var hasEnded = false
    private var failure: TransportError?
    /// Something went to libcurl, which may lose it: it cannot be given again.
    private(set) var hasBegun = false
    /// libcurl waits for more.
    private(set) var isPaused = false

    /// What libcurl's read function answers.
    enum Answer {
        /// So many bytes; 0 is the end.
        case bytes(Int)
        /// Nothing is there yet.
        case pause
        case abort(TransportError)
    }

    init(_ source: any BodySource) {
        self.source = source
    }

    var length: Int64? { source.length }

    /// Fills `buffer` as far as it goes.
    ///
    /// - Parameter deliver: Where what is asked for is brought, on whatever thread.
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

    /// Takes what the source has brought; true when libcurl waits for it.
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
    /// libcurl wants more of the body.
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
