package import RestwayHTTP
import Synchronization

/// Collects the response of one exchange for its call.
///
/// `@unchecked Sendable`: the transport calls it on one thread at a time until the exchange is
/// complete. After that, only the receiver of `finished` uses it.
package final class ExchangeRecorder: ExchangeObserver, @unchecked Sendable {
    package typealias Finished =
        @Sendable (Result<ExchangeSummary, TransportError>, ExchangeRecorder) -> Void

    /// Receives the numbers of moved bytes; a total of 0 is not known.
    package typealias Progressed =
        @Sendable (_ uploaded: Int64, _ downloaded: Int64, _ downloadTotal: Int64) -> Void

    package private(set) var head: ResponseHead?
    package private(set) var trailers = Headers()
    private var body: BodyCollector
    private let finished: Finished
    private let hasFinished = Atomic<Bool>(false)

    private let progressed: Progressed?

    /// - Parameter progressed: `nil` if no one asks for progress.
    package init(
        bodyBytesMax: Int, isAwaited: Bool = false, progressed: Progressed? = nil,
        finished: @escaping Finished
    ) {
        self.isAwaited = isAwaited
        self.progressed = progressed
        body = BodyCollector(bytesMax: bodyBytesMax)
        self.finished = finished
    }

    /// Whether the transport has reported the end of the exchange.
    package var isFinished: Bool { hasFinished.load(ordering: .acquiring) }

    package let isAwaited: Bool
    package var wantsProgress: Bool { progressed != nil }

    package func progressed(
        uploaded: Int64, uploadTotal: Int64, downloaded: Int64, downloadTotal: Int64
    ) {
        progressed?(uploaded, downloaded, downloadTotal)
    }

    package func receivedHead(_ head: ResponseHead) {
        self.head = head
        body.expect(head.headers)
    }

    package func receivedBody(_ bytes: UnsafeRawBufferPointer) -> BodyReply {
        body.append(bytes)
    }

    package func receivedTrailers(_ trailers: Headers) {
        self.trailers = trailers
    }

    /// Hands over the body. Nothing else holds it then, so it can be changed without a copy.
    package func takeBody() -> [UInt8] {
        body.take()
    }

    package func completed(_ result: Result<ExchangeSummary, TransportError>) {
        // A transport that completes twice must not end the next exchange of a redirect.
        guard !hasFinished.exchange(true, ordering: .acquiringAndReleasing) else { return }
        finished(result, self)
    }
}
