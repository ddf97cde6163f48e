/// The seam through which a transport tells what happens to one exchange.
///
/// Called on a thread that drives the transport, one call at a time for each exchange; a transport
/// holds no lock meanwhile. Every call must be quick and must not block: all other exchanges wait.
/// Any function of the transport but `drive` may be called from inside.
///
/// The order is: `receivedHead` at most once, and never for an interim (1xx) response; then
/// `receivedBody`, any number of times; `receivedTrailers` at most once; `progressed` at any time;
/// `completed` exactly once, last.
/// A successful completion comes after a head, and after the whole body. The transport lets go of
/// the observer after `completed`.
package protocol ExchangeObserver: AnyObject, Sendable {
    /// Whether `progressed` is of interest; asked once, at the start. `true` unless declared.
    var wantsProgress: Bool { get }

    /// Whether a thread waits for the completion that will `drive` the transport meanwhile; asked
    /// once, at the start. `false` unless declared.
    var isAwaited: Bool { get }

    /// The status and headers have come.
    func receivedHead(_ head: ResponseHead)

    /// Some bytes of the body, as they are on the wire: content codings are not undone. `bytes` is
    /// borrowed until this returns, and not empty.
    func receivedBody(_ bytes: UnsafeRawBufferPointer) -> BodyReply

    /// The fields behind the body, when there are any.
    func receivedTrailers(_ trailers: Headers)

    /// How many bytes of the bodies have moved, whenever that changes; a total of 0 is unknown.
    func progressed(
        uploaded: Int64, uploadTotal: Int64, downloaded: Int64, downloadTotal: Int64)

    /// The end, good or bad.
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
