/// The interface through which a transport reports the events of one exchange.
///
/// It is called on a thread that drives the transport, one call at a time for each exchange, and
/// without a lock of the transport. Every call must be quick and must not block, because all other
/// exchanges wait. It may call any function of the transport except `drive`.
///
/// The order is: `receivedHead` at most once, and never for an interim (1xx) response; then
/// `receivedBody`, any number of times; `receivedTrailers` at most once; `progressed` at any time;
/// `completed` exactly once, last.
/// A successful completion comes after a head and the whole body. The transport releases the
/// observer after `completed`.
package protocol ExchangeObserver: AnyObject, Sendable {
    /// Whether the observer wants `progressed`; read once, at the start. The default is `true`.
    var wantsProgress: Bool { get }

    /// Whether a thread waits for the completion and will `drive` the transport meanwhile; read
    /// once, at the start. The default is `false`.
    var isAwaited: Bool { get }

    /// Receives the status and the headers.
    func receivedHead(_ head: ResponseHead)

    /// Receives bytes of the body as they are on the wire, without decoding content codings.
    /// `bytes` is borrowed until this returns, and is not empty.
    func receivedBody(_ bytes: UnsafeRawBufferPointer) -> BodyReply

    /// Receives the fields after the body, if there are any.
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
    package var isAwaited: Bool { false }

    package func receivedTrailers(_ trailers: Headers) {}

    package func progressed(
        uploaded: Int64, uploadTotal: Int64, downloaded: Int64, downloadTotal: Int64
    ) {}
}
