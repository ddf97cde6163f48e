/// The interface that performs exchanges. All functions may be called from any thread, also inside
/// an observer call, and never block.
package protocol Transport: AnyObject, Sendable {
    /// Starts `exchange`, or queues it. `observer` is kept until it has received the completion.
    ///
    /// After `close` the observer receives `.closed` on the caller's thread, before this returns.
    func start(_ exchange: Exchange, observer: any ExchangeObserver) -> ExchangeID

    /// Ends an exchange. It completes with `.cancelled`, unless it has already completed or
    /// completes at the same time. An unknown id is ignored.
    func cancel(_ id: ExchangeID)

    /// Resumes an exchange whose observer replied `.pause`. It may be called before that reply. An
    /// unknown id is ignored.
    func resume(_ id: ExchangeID)

    /// Closes the transport. Running and queued exchanges and every later start complete with
    /// `.closed`. Closing twice is allowed. A transport closes itself when its last reference is
    /// released.
    func close()
}

extension Transport {
    package func resume(_ id: ExchangeID) {}
}

/// Identifies a started exchange. It is unique within its transport.
package struct ExchangeID: Hashable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// The interface through which a transport reports the events of one exchange.
///
/// It is called on a thread of the transport, one call at a time for each exchange, and without a
/// lock of the transport. Every call must be quick and must not block, because all other exchanges
/// wait. It may call any function of the transport.
///
/// The order is: `receivedHead` at most once, and never for an interim (1xx) response; then
/// `receivedBody`, any number of times; `receivedTrailers` at most once; `progressed` at any time;
/// `completed` exactly once, last.
/// A successful completion comes after a head and the whole body. The transport releases the
/// observer after `completed`.
package protocol ExchangeObserver: AnyObject, Sendable {
    /// Whether the observer wants `progressed`; read once, at the start. The default is `true`.
    var wantsProgress: Bool { get }

    /// Receives the status and the headers.
    func receivedHead(_ head: ResponseHead)

    /// Receives bytes of the body as they are on the wire, without decoding content codings.
    /// `bytes` is borrowed until this returns, and is not empty.
    func receivedBody(_ bytes: UnsafeRawBufferPointer) -> BodyReply

    /// Receives the fields after the body, if the response has fields there.
    func receivedTrailers(_ trailers: Headers)

    /// Receives the bytes of the bodies moved so far, whenever they change. A total of 0 means
    /// unknown.
    func progressed(
        uploaded: Int64, uploadTotal: Int64, downloaded: Int64, downloadTotal: Int64)

    /// Receives the end, which is a success or a failure.
    func completed(_ result: Result<ExchangeSummary, TransportError>)
}

extension ExchangeObserver {
    package var wantsProgress: Bool { true }

    package func receivedTrailers(_ trailers: Headers) {}

    package func progressed(
        uploaded: Int64, uploadTotal: Int64, downloaded: Int64, downloadTotal: Int64
    ) {}
}

/// An observer's reply to a piece of a body.
package enum BodyReply: Equatable, Sendable {
    case proceed
    /// The bytes are taken. No more events come until `Transport.resume`.
    case pause
    /// The exchange ends here and completes with this error.
    case stop(TransportError)
}

/// Facts about an exchange that has ended successfully.
package struct ExchangeSummary: Sendable {
    /// The resolved `Location` of a 3xx response.
    package var redirectURL: String?
    package var timings: ExchangeTimings
    package var connectionWasReused: Bool
    /// How often the transport sent the request again by itself, because a kept connection had
    /// died. The server may have received it as often.
    package var repetitions: Int
    /// The bytes of the request body, without headers.
    package var uploadedBytes: Int64
    package var downloadedBytes: Int64

    package init(
        redirectURL: String? = nil, timings: ExchangeTimings = ExchangeTimings(),
        connectionWasReused: Bool = false, repetitions: Int = 0, uploadedBytes: Int64 = 0,
        downloadedBytes: Int64 = 0
    ) {
        self.redirectURL = redirectURL
        self.timings = timings
        self.connectionWasReused = connectionWasReused
        self.repetitions = repetitions
        self.uploadedBytes = uploadedBytes
        self.downloadedBytes = downloadedBytes
    }
}

/// How long the phases of an exchange took, in microseconds.
///
/// `queuedMicroseconds` is the wait in the queue. Each other time counts from the end of that wait
/// to the end of its phase, so it includes the phases before its own. A phase that did not happen
/// is 0.
package struct ExchangeTimings: Equatable, Sendable {
    package var queuedMicroseconds: Int64 = 0
    package var nameLookupMicroseconds: Int64 = 0
    package var connectMicroseconds: Int64 = 0
    package var tlsMicroseconds: Int64 = 0
    package var firstByteMicroseconds: Int64 = 0
    package var totalMicroseconds: Int64 = 0

    package init() {}
}
