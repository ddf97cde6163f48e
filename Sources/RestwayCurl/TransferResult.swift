import CCurl
import Glibc
import RestwayHTTP
import RestwayThreads

/// The result of an exchange: libcurl's code together with what the callbacks of its handle have
/// seen.
struct TransferResult {
    let handle: EasyHandle
    let code: CURLcode

    private var transfer: EasyHandle.Transfer { handle.transfer }
    private var place: String { handle.place }

    /// Translates it for the observer of the exchange.
    ///
    /// - Parameter startedAt: The time at which the exchange left the queue.
    func summary(startedAt: Deadline) -> Result<ExchangeSummary, TransportError> {
        let repetitions = handle.active?.newStart.repetitions ?? 0
        if var failure {
            failure.repetitions = repetitions
            return .failure(failure)
        }
        let queued = handle.active.map { startedAt.microseconds(since: $0.acceptedAt) } ?? 0
        return .success(
            handle.info.summary(queuedMicroseconds: queued, repetitions: repetitions))
    }

    /// Why the exchange has failed; `nil` if its answer is complete.
    private var failure: TransportError? {
        if let failure = transfer.failure { return failure }
        // The answer is complete when libcurl tries to send the request again.
        if transfer.isExpectationRefused,
            code == CURLE_ABORTED_BY_CALLBACK || code == CURLE_COULDNT_CONNECT
        {
            return nil
        }
        // One of our callbacks has ended the exchange at the end of the body.
        if transfer.bytesLeft == 0, code == CURLE_WRITE_ERROR || code == CURLE_OK { return nil }
        if code != CURLE_OK, transfer.attempts == 0, transfer.lack != 0 {
            return .noResources("a socket for \(place)", transfer.lack)
        }
        if code == CURLE_OUT_OF_MEMORY, transfer.attempts == 0 {
            return .noResources("memory or a thread for \(place)", ENOMEM)
        }
        if code == CURLE_OUT_OF_MEMORY, transfer.attempts > 0, !transfer.head.isComplete {
            // libcurl reports this error as "out of memory"; a real lack of memory never shows
            // here.
            let message = "\(place): a line of the response headers exceeds libcurl's 100 KiB"
            return TransportError(.tooLarge, code: Int32(code.rawValue), message)
        }
        if code == CURLE_HTTP2, !transfer.head.hasBegun, transfer.attempts > 0 {
            // libcurl 7.88 reports a GOAWAY in this way.
            return TransportError(
                .connectionLost, code: Int32(code.rawValue),
                "\(place): the server ended the HTTP/2 connection before it answered")
        }
        if code != CURLE_OK, transfer.attempts == 0, let refusal = proxyRefusal {
            return refusal
        }
        if code == CURLE_OPERATION_TIMEDOUT { return timeOut }
        guard code == CURLE_OK else {
            return .curl(
                code, detail: handle.errorDetail, place: place, wasSent: transfer.attempts > 0)
        }
        // libcurl accepts a connection that ends within the headers.
        guard transfer.head.isComplete else {
            return TransportError(
                .connectionLost, "\(place): the connection ended within the response headers")
        }
        if let left = transfer.bytesLeft, left > 0 {
            return TransportError(
                .connectionLost, code: Int32(CURLE_PARTIAL_FILE.rawValue),
                "\(place): the connection ended with \(left) bytes of the body left")
        }
        guard transfer.tlsEnd == .awaited else { return nil }
        return TransportError(
            .connectionLost, code: Int32(CURLE_RECV_ERROR.rawValue),
            "\(place): the connection ended without a goodbye of TLS (close_notify), "
                + "and the body has no length: it may be cut off")
    }

    /// The error of libcurl's own time limits, which names the phase.
    private var timeOut: TransportError? {
        guard let timeouts = handle.active?.exchange.timeouts else { return nil }
        let connect = timeouts.connectMilliseconds
        let total = handle.totalMilliseconds
        let isConnecting = transfer.attempts == 0 && connect > 0
        let isConnectLimit = isConnecting && (total == 0 || connect < total)
        let text =
            isConnectLimit
            ? "the connect time limit of \(connect) ms has passed" : timeouts.totalText
        return TransportError(
            .timedOut, code: Int32(CURLE_OPERATION_TIMEDOUT.rawValue),
            "\(place): \(text) (\(handle.errorDetail))")
    }

    /// The error if a proxy has refused to connect to the server. libcurl reports this as if the
    /// connection had been lost.
    private var proxyRefusal: TransportError? {
        let status = handle.info.proxyStatus
        guard status != 0, !(200..<300).contains(status) else { return nil }
        return TransportError(
            .connect, code: Int32(code.rawValue),
            "\(place): the proxy refused to connect, with status \(status)")
    }
}
