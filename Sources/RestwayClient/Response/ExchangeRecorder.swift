import RestwayHTTP
import Synchronization

/// Collects the response of one exchange for its call.
///
/// `@unchecked Sendable`: the transport calls it on one thread at a time until the exchange is
/// complete. After that, only the receiver of `finished` uses it.
final class ExchangeRecorder: ExchangeObserver, @unchecked Sendable {
    typealias Finished =
        @Sendable (Result<ExchangeSummary, TransportError>, ExchangeRecorder) -> Void

    /// Receives the numbers of moved bytes; a total of 0 is not known.
    typealias Progressed =
        @Sendable (_ uploaded: Int64, _ downloaded: Int64, _ downloadTotal: Int64) -> Void

    private(set) var head: ResponseHead?
    private(set) var trailers = Headers()
    private var body: BodyCollector
    private let finished: Finished
    private let hasFinished = Atomic<Bool>(false)

    private let progressed: Progressed?

    /// - Parameter progressed: `nil` if no one asks for progress.
    init(
        bodyBytesMax: Int, isAwaited: Bool = false, progressed: Progressed? = nil,
        finished: @escaping Finished
    ) {
        self.isAwaited = isAwaited
        self.progressed = progressed
        body = BodyCollector(bytesMax: bodyBytesMax)
        self.finished = finished
    }

    /// Whether the transport has reported the end of the exchange.
    var isFinished: Bool { hasFinished.load(ordering: .acquiring) }

    let isAwaited: Bool
    var wantsProgress: Bool { progressed != nil }

    func progressed(
        uploaded: Int64, uploadTotal: Int64, downloaded: Int64, downloadTotal: Int64
    ) {
        progressed?(uploaded, downloaded, downloadTotal)
    }

    func receivedHead(_ head: ResponseHead) {
        self.head = head
        body.expect(head.headers)
    }

    func receivedBody(_ bytes: UnsafeRawBufferPointer) -> BodyReply {
        body.append(bytes)
    }

    func receivedTrailers(_ trailers: Headers) {
        self.trailers = trailers
    }

    /// Hands over the body. Nothing else holds it then, so it can be changed without a copy.
    func takeBody() -> [UInt8] {
        body.take()
    }

    func completed(_ result: Result<ExchangeSummary, TransportError>) {
        // A transport that completes twice must not end the next exchange of a redirect.
        guard !hasFinished.exchange(true, ordering: .acquiringAndReleasing) else { return }
        finished(result, self)
    }
}
