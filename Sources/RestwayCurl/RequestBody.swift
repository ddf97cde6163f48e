import Glibc
import RestwayHTTP

extension Exchange {
    /// Whether the request is framed with a body. This includes an empty body if the server expects
    /// one to be declared (`Content-Length: 0`).
    var sendsBody: Bool {
        switch body {
        case .none: expectsBody
        case .bytes(let bytes): !bytes.isEmpty || expectsBody
        case .source: true
        }
    }

    private var expectsBody: Bool { method == "POST" || method == "PUT" || method == "PATCH" }
}

/// The memory of a request's body while libcurl sends it. libcurl does not copy it, and the storage
/// of a Swift array has no lasting address.
struct BodyBuffer: ~Copyable {
    private var storage: UnsafeMutableRawPointer?
    private var capacity = 0

    deinit {
        free(storage)
    }

    /// Copies `body`; the result is valid until `release`. Returns nil if there is no memory.
    mutating func hold(_ body: ExchangeBody) -> UnsafeMutableRawPointer? {
        // libcurl takes NULL for "ask for the body", so an empty body needs an address too.
        release()
        let count = max(1, Int(body.count ?? 0))
        storage = malloc(count)
        capacity = storage == nil ? 0 : count
        if case .bytes(let bytes) = body, let storage {
            bytes.withUnsafeBytes { source in
                if let address = source.baseAddress { memcpy(storage, address, source.count) }
            }
        }
        return storage
    }

    /// Overwrites the bytes before `release`.
    func wipe() {
        if let storage { explicit_bzero(storage, capacity) }
    }

    mutating func release() {
        free(storage)
        storage = nil
        capacity = 0
    }
}

/// A body that libcurl reads from its source. The next piece is requested as soon as the current
/// piece has come, so memory holds two pieces at most.
///
/// Only the I/O thread uses it. libcurl pauses the upload while the source is not ready.
struct PulledBody {
    private let source: any BodySource
    /// Receives the requested pieces, on any thread.
    private let deliver: @Sendable (BodyPiece) -> Void
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

    init(_ source: any BodySource, _ deliver: @escaping @Sendable (BodyPiece) -> Void) {
        self.source = source
        self.deliver = deliver
    }

    /// Copies as many bytes as possible into `buffer`.
    mutating func give(_ buffer: UnsafeMutableRawBufferPointer) -> Answer {
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
