import Glibc
import RestwayHTTP
import RestwaySupport

/// An exchange between its start and its completion.
///
/// `@unchecked Sendable`: made on the caller's thread and handed over through the inbox; from then
/// on only the I/O thread touches it.
final class ActiveExchange: @unchecked Sendable {
    let id: ExchangeID
    private(set) var exchange: Exchange
    let acceptedAt: Deadline
    /// When the total time-out passes.
    let deadline: Deadline
    let priority: Int32
    /// A thread waits for it, which can drive the loop meanwhile.
    let isAwaited: Bool

    /// A credential stands in it.
    let holdsCredential: Bool
    let hasDigest: Bool
    /// See `Exchange`.
    let sendsBody: Bool

    /// nil when it has completed; what still refers to it skips it.
    private(set) var observer: (any ExchangeObserver)?
    /// From when it is queued to its end.
    var lane: Lane?
    /// When it left the queue.
    var startedAt = Deadline.never
    /// It was given to libcurl before, which could not send it.
    var isRepetition = false
    /// The handle that performs it, while it runs.
    var handle: EasyHandle?
    /// Its body, when that is pulled.
    private var pulled: PulledBody?
    /// `nil`: there is none to pull.
    private let deliver: (@Sendable (BodyPiece) -> Void)?

    var hasEnded: Bool { observer == nil }
    /// Plain HTTP: TLS is for the I/O thread alone.
    var mayBeDrivenByGuests: Bool {
        var url = exchange.url
        return url.withUTF8 { url in
            guard url.count >= 5, let start = url.baseAddress else { return false }
            return memcmp(start, "http:", 5) == 0 || memcmp(start, "HTTP:", 5) == 0
        }
    }
    /// Whether libcurl, or the loop, may send it again by itself: nothing of its body is lost.
    var isRepeatable: Bool { exchange.isRepeatable && !hasPulled }
    /// Something of a body that is pulled was given to libcurl.
    var hasPulled: Bool { pulled?.hasBegun == true }
    /// libcurl waits for more of a body that is pulled.
    var isPaused: Bool { pulled?.isPaused == true }
    /// It stands in its lane.
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

    /// Why this cannot be sent, if it cannot. A caller that checked its headers never sees it: it
    /// keeps a line break in a value from becoming a header.
    ///
    /// - Parameter known: Headers that were looked at and can be sent.
    func refusal(knowing known: [HeaderField]) -> TransportError? {
        guard Headers.isValidName(exchange.method), exchange.method != "CONNECT" else {
            return TransportError(.unsupported, "the method cannot be sent")
        }
        if exchange.method == "HEAD", exchange.body.count != 0 {
            return TransportError(.unsupported, "HEAD cannot be sent with a body")
        }
        // Most often the very same list.
        if exchange.headers == known { return nil }
        for header in exchange.headers
        where !Headers.isValidName(header.name) || !Headers.isValidValue(header.value) {
            return TransportError(.unsupported, "a header cannot be sent: its name or its value")
        }
        return nil
    }

    /// The next bytes of a body that is pulled.
    func give(_ buffer: UnsafeMutableRawBufferPointer) -> PulledBody.Answer {
        guard let deliver else { return .bytes(0) }
        return pulled?.give(buffer, deliver) ?? .bytes(0)
    }

    /// Takes what the source of the body has brought; true when libcurl waits for it.
    func take(_ piece: BodyPiece) -> Bool {
        pulled?.take(piece) ?? false
    }

    /// Hands over the observer, once, to be told of the completion. Headers and body go too: a
    /// queue may refer to this for a while yet. So does the lane, which may be that queue.
    func end() -> (any ExchangeObserver)? {
        exchange.body = .none
        exchange.headers = []
        pulled = nil
        lane = nil
        return observer.take()
    }
}
