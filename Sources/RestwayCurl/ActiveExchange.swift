import RestwayHTTP
import RestwayThreads

/// Facts about an exchange that libcurl had before, for its next start.
struct NewStart {
    /// Whether HTTP/2 left the request unanswered.
    var isRepetition = false
    /// How often the request was not sent on the connection that libcurl had chosen.
    var stops = 0
    /// How often the request was sent before.
    var attemptsBefore = 0
    /// How often the request was sent once more, by libcurl or after a new start.
    var repetitions = 0
    /// Whether libcurl makes a new connection for the exchange.
    var needsNewConnection = false
}

/// An exchange between its start and its completion.
///
/// `@unchecked Sendable`: the caller's thread makes it and hands it over through the inbox. After
/// that only the I/O thread uses it.
final class ActiveExchange: @unchecked Sendable {
    let id: ExchangeID
    private(set) var exchange: Exchange
    let acceptedAt: Deadline
    /// The end of the total time limit.
    let deadline: Deadline
    /// Whether the exchange carries a credential.
    let holdsCredential: Bool

    /// The observer; nil after the exchange has completed. Queues skip a completed exchange.
    private(set) var observer: (any ExchangeObserver)?
    /// The queue of the origin, from queueing until the end.
    var originQueue: OriginQueue?
    /// The time at which the exchange left the queue.
    var startedAt = Deadline.never
    /// The earlier starts of the exchange.
    var newStart = NewStart()
    /// The handle that performs the exchange while it runs.
    var handle: EasyHandle?
    /// The body, if libcurl pulls it from a source.
    var pulled: PulledBody?

    var hasEnded: Bool { observer == nil }
    var priority: Int32 { exchange.priority }
    /// Whether libcurl or the loop may send the exchange again without losing a part of its body.
    var isRepeatable: Bool { exchange.isRepeatable && pulled?.hasBegun != true }
    /// Whether it runs and its answer, or the answer after a Digest challenge, has not begun.
    var awaitsAnswer: Bool {
        guard let handle, !hasEnded else { return false }
        return exchange.digest != nil || !handle.transfer.head.hasBegun
    }

    /// Returns the rest of the time limit for the first byte of the answer. The time in which the
    /// source of the body has no bytes does not count.
    func answerTimeLeft(at now: Deadline) -> Int64 {
        let limit = exchange.timeouts.firstByteMilliseconds
        guard let handle, !handle.transfer.head.hasBegun, pulled?.isPaused != true else {
            return limit
        }
        return handle.transfer.answerWait.left(of: limit, at: now)
    }

    /// Whether the exchange still waits in its queue.
    var isWaiting: Bool { handle == nil && !hasEnded }

    /// - Parameter deliver: Receives the pieces of a body that is read from a source, on any
    ///   thread.
    init(
        id: ExchangeID, exchange: Exchange, observer: any ExchangeObserver, acceptedAt: Deadline,
        deliver: (@Sendable (BodyPiece) -> Void)?
    ) {
        self.id = id
        self.exchange = exchange
        self.observer = observer
        self.acceptedAt = acceptedAt
        if case .source(let source) = exchange.body, let deliver {
            pulled = PulledBody(source, deliver)
        }
        holdsCredential = exchange.holdsCredential
        let total = exchange.timeouts.totalMilliseconds
        deadline = total > 0 ? acceptedAt.advanced(milliseconds: total) : .never
    }

    /// Why the exchange cannot be sent, if it cannot. Callers that check their headers never see
    /// this error. The check keeps a line break in a value from becoming a header.
    var refusal: TransportError? {
        guard Headers.isValidName(exchange.method), exchange.method != "CONNECT" else {
            return TransportError(.unsupported, "the method cannot be sent")
        }
        let hasNoBody = exchange.method == "HEAD" || exchange.method == "TRACE"
        if hasNoBody, exchange.body.count != 0 {
            return TransportError(
                .unsupported, "\(exchange.method) cannot be sent with a body")
        }
        for header in exchange.headers
        where !Headers.isValidName(header.name) || !Headers.isValidValue(header.value) {
            return TransportError(.unsupported, "a header cannot be sent: its name or its value")
        }
        return nil
    }

    /// Returns the observer, once, so that the completion can be reported. Also releases the
    /// headers, the body and the queue, because a queue may still refer to this exchange for a
    /// while.
    func end() -> (any ExchangeObserver)? {
        exchange.body = .none
        exchange.headers = []
        pulled = nil
        originQueue = nil
        return observer.take()
    }
}
