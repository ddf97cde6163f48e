import Glibc
import RestwayHTTP
import RestwayThreads

/// An exchange between its start and its completion.
///
/// `@unchecked Sendable`: the caller's thread makes it and hands it over through the inbox. After
/// that only the thread that drives the loop uses it.
final class ActiveExchange: @unchecked Sendable {
    let id: ExchangeID
    private(set) var exchange: Exchange
    let acceptedAt: Deadline
    /// The end of the total time limit.
    let deadline: Deadline
    let priority: Int32
    /// Whether a thread waits for the exchange. The waiting thread can drive the loop.
    let isAwaited: Bool

    /// Whether the exchange carries a credential.
    let holdsCredential: Bool
    let hasDigest: Bool
    /// Whether the request is framed with a body: see `Exchange`.
    let sendsBody: Bool

    /// The observer; nil after the exchange has completed. Queues skip a completed exchange.
    private(set) var observer: (any ExchangeObserver)?
    /// The queue of the origin, from queueing until the end.
    var lane: Lane?
    /// The time at which the exchange left the queue.
    var startedAt = Deadline.never
    /// Whether libcurl had the exchange before and could not send it.
    var isRepetition = false
    /// The handle that performs the exchange while it runs.
    var handle: EasyHandle?
    /// The body, if libcurl pulls it from a source.
    private var pulled: PulledBody?
    /// Takes pieces from the source; `nil` if there is no source.
    private let deliver: (@Sendable (BodyPiece) -> Void)?

    var hasEnded: Bool { observer == nil }
    /// Whether a waiting thread may drive it: plain HTTP only, because TLS stays on the I/O thread.
    var mayBeDrivenByGuests: Bool {
        var url = exchange.url
        return url.withUTF8 { url in
            guard url.count >= 5, let start = url.baseAddress else { return false }
            return memcmp(start, "http:", 5) == 0 || memcmp(start, "HTTP:", 5) == 0
        }
    }
    /// Whether libcurl or the loop may send the exchange again without losing a part of its body.
    var isRepeatable: Bool { exchange.isRepeatable && !hasPulled }
    /// Whether libcurl has taken a part of a pulled body.
    var hasPulled: Bool { pulled?.hasBegun == true }
    /// Whether libcurl waits for more of a pulled body.
    var isPaused: Bool { pulled?.isPaused == true }
    /// Whether the exchange still waits in its queue.
    var isWaiting: Bool { handle == nil && !hasEnded }

    init(
        id: ExchangeID, exchange: Exchange, observer: any ExchangeObserver, acceptedAt: Deadline,
        deliver: (@Sendable (BodyPiece) -> Void)?
    ) {
        self.id = id
        self.exchange = exchange
        self.observer = observer
        self.acceptedAt = acceptedAt
        self.deliver = deliver
        if case .source(let source) = exchange.body { pulled = PulledBody(source) }
        isAwaited = observer.isAwaited
        holdsCredential = exchange.holdsCredential
        hasDigest = exchange.digest != nil
        sendsBody = exchange.sendsBody
        priority = exchange.priority
        let total = exchange.timeouts.totalMilliseconds
        deadline = total > 0 ? acceptedAt.advanced(milliseconds: total) : .never
    }

    /// Why the exchange cannot be sent, if it cannot. Callers that check their headers never see
    /// this error. The check keeps a line break in a value from becoming a header.
    ///
    /// - Parameter known: Headers that were checked before and can be sent.
    func refusal(knowing known: [HeaderField]) -> TransportError? {
        guard Headers.isValidName(exchange.method), exchange.method != "CONNECT" else {
            return TransportError(.unsupported, "the method cannot be sent")
        }
        if exchange.method == "HEAD", exchange.body.count != 0 {
            return TransportError(.unsupported, "HEAD cannot be sent with a body")
        }
        // Usually it is the very same list.
        if exchange.headers == known { return nil }
        for header in exchange.headers
        where !Headers.isValidName(header.name) || !Headers.isValidValue(header.value) {
            return TransportError(.unsupported, "a header cannot be sent: its name or its value")
        }
        return nil
    }

    /// Copies the next bytes of a pulled body.
    func give(_ buffer: UnsafeMutableRawBufferPointer) -> PulledBody.Answer {
        guard let deliver else { return .bytes(0) }
        return pulled?.give(buffer, deliver) ?? .bytes(0)
    }

    /// Takes a piece from the source of the body; true if libcurl waits for it.
    func take(_ piece: BodyPiece) -> Bool {
        pulled?.take(piece) ?? false
    }

    /// Returns the observer, once, so that the completion can be reported. Also releases the
    /// headers, the body and the queue, because a queue may still refer to this exchange for a
    /// while.
    func end() -> (any ExchangeObserver)? {
        exchange.body = .none
        exchange.headers = []
        pulled = nil
        lane = nil
        return observer.take()
    }
}
