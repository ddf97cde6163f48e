import CCurl
import RestwayHTTP
import RestwayThreads

/// Translates libcurl's result of an exchange.
extension EasyHandle {
    /// The facts that libcurl knows about the exchange.
    var info: TransferInfo { TransferInfo(easy: easy) }

    /// - Parameter startedAt: The time at which the exchange left the queue.
    func result(
        _ code: CURLcode, startedAt: Deadline
    ) -> Result<ExchangeSummary, TransportError> {
        if let failure = failure(code) { return .failure(failure) }
        let queued = active.map { startedAt.microseconds(since: $0.acceptedAt) } ?? 0
        return .success(
            info.summary(queuedMicroseconds: queued, wasRepeated: transfer.wasRepeated))
    }

    private func failure(_ code: CURLcode) -> TransportError? {
        if let failure = transfer.failure { return failure }
        // The answer is complete when libcurl tries to send the request again.
        if transfer.isExpectationRefused,
            code == CURLE_ABORTED_BY_CALLBACK || code == CURLE_COULDNT_CONNECT
        {
            return nil
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
        if code != CURLE_OK, transfer.attempts == 0, let refusal = proxyRefusal(code) {
            return refusal
        }
        if code == CURLE_OPERATION_TIMEDOUT { return timeOut() }
        guard code == CURLE_OK else {
            return .curl(code, detail: errorDetail, place: place, wasSent: transfer.attempts > 0)
        }
        // libcurl accepts a connection that ends within the headers.
        guard transfer.head.isComplete else {
            return TransportError(
                .connectionLost, "\(place): the connection ended within the response headers")
        }
        guard transfer.tlsEnd == .awaited else { return nil }
        return TransportError(
            .connectionLost, code: Int32(CURLE_RECV_ERROR.rawValue),
            "\(place): the connection ended without a goodbye of TLS (close_notify), "
                + "and the body has no length: it may be cut off")
    }

    /// The error of libcurl's own time limits, which names the phase.
    private func timeOut() -> TransportError? {
        guard let timeouts = active?.exchange.timeouts else { return nil }
        let connect = timeouts.connectMilliseconds
        let isConnecting = transfer.attempts == 0 && connect > 0
        let isConnectLimit = isConnecting && (totalMilliseconds == 0 || connect < totalMilliseconds)
        let text =
            isConnectLimit
            ? "the connect time limit of \(connect) ms has passed" : timeouts.totalText
        return TransportError(
            .timedOut, code: Int32(CURLE_OPERATION_TIMEDOUT.rawValue),
            "\(place): \(text) (\(errorDetail))")
    }

    /// Why the exchange must end because its answer has not begun in time; `nil` if there is time
    /// left, for the number of milliseconds in `left`.
    func lateAnswer(left: inout Int64) -> TransportError? {
        guard let active else { return nil }
        let limit = active.exchange.timeouts.firstByteMilliseconds
        // The time of a source that is not ready does not count.
        let isAwaiting =
            transfer.answerAwaitedSince != .never && !transfer.head.hasBegun
            && active.pulled?.isPaused != true
        let passed =
            isAwaiting ? SystemClock().now().milliseconds(since: transfer.answerAwaitedSince) : 0
        left = limit - passed
        guard left <= 0 else { return nil }
        return TransportError(
            .timedOut, code: Int32(CURLE_OPERATION_TIMEDOUT.rawValue),
            "\(place): no byte of the answer has come within the first-byte time limit of "
                + "\(limit) ms")
    }

    /// The error if a proxy has refused to connect to the server. libcurl reports this as if the
    /// connection had been lost.
    private func proxyRefusal(_ code: CURLcode) -> TransportError? {
        let status = info.proxyStatus
        guard status != 0, !(200..<300).contains(status) else { return nil }
        return TransportError(
            .connect, code: Int32(code.rawValue),
            "\(place): the proxy refused to connect, with status \(status)")
    }
}

/// Reads the facts that libcurl knows about the last exchange of a handle (`curl_easy_getinfo`).
struct TransferInfo {
    let easy: UnsafeMutableRawPointer

    /// Whether the response came over HTTP/2 or later, where exchanges share connections.
    var isMultiplexed: Bool { whole(CURLINFO_HTTP_VERSION) >= CURL_HTTP_VERSION_2_0 }

    /// The status with which a proxy answered a CONNECT; 0 if no proxy has answered one.
    var proxyStatus: Int { whole(CURLINFO_HTTP_CONNECTCODE) }

    /// The bytes that were sent and received, with the headers of the response.
    var movedBytes: Int64 {
        number(CURLINFO_SIZE_UPLOAD_T) + number(CURLINFO_SIZE_DOWNLOAD_T)
            + Int64(whole(CURLINFO_HEADER_SIZE))
    }

    func summary(queuedMicroseconds: Int64, wasRepeated: Bool) -> ExchangeSummary {
        var timings = ExchangeTimings()
        timings.queuedMicroseconds = queuedMicroseconds
        let connections = whole(CURLINFO_NUM_CONNECTS)
        // For a kept connection, libcurl reports how long it took to find it.
        if connections > 0 {
            timings.nameLookupMicroseconds = number(CURLINFO_NAMELOOKUP_TIME_T)
            timings.connectMicroseconds = number(CURLINFO_CONNECT_TIME_T)
            timings.tlsMicroseconds = number(CURLINFO_APPCONNECT_TIME_T)
        }
        timings.firstByteMicroseconds = number(CURLINFO_STARTTRANSFER_TIME_T)
        timings.totalMicroseconds = number(CURLINFO_TOTAL_TIME_T)
        return ExchangeSummary(
            redirectURL: redirectURL, timings: timings, connectionWasReused: connections == 0,
            wasRepeated: wasRepeated, uploadedBytes: number(CURLINFO_SIZE_UPLOAD_T),
            downloadedBytes: number(CURLINFO_SIZE_DOWNLOAD_T))
    }

    private var redirectURL: String? {
        var url: UnsafeMutablePointer<CChar>?
        rw_easy_get_string(easy, CURLINFO_REDIRECT_URL, &url)
        return url.map { String(cString: $0) }
    }

    private func whole(_ info: CURLINFO) -> Int {
        var number = 0
        rw_easy_get_long(easy, info, &number)
        return number
    }

    private func number(_ info: CURLINFO) -> Int64 {
        var number: curl_off_t = 0
        rw_easy_get_offset(easy, info, &number)
        return Int64(number)
    }
}

extension TransportError {
    /// Translates libcurl's `code`. `detail` is libcurl's own text, `place` the host and port.
    ///
    /// - Parameter wasSent: Whether a request had been sent when the error occurred.
    static func curl(
        _ code: CURLcode, detail: String, place: String, wasSent: Bool
    ) -> TransportError {
        // libcurl has no separate code for invalid chunks.
        let isBadChunk = code == CURLE_RECV_ERROR && detail.hasSuffix("in chunked-encoding")
        let kind = isBadChunk ? .protocolViolation : kind(of: code, wasSent: wasSent)
        let text = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        return TransportError(kind, code: Int32(code.rawValue), "\(place): \(text)")
    }

    static func noResources(_ what: String) -> TransportError {
        TransportError(.internal, "the system cannot provide \(what)")
    }

    private static func kind(of code: CURLcode, wasSent: Bool) -> Kind {
        switch code {
        // libcurl also uses this code for an answer that is not HTTP/1.
        case CURLE_UNSUPPORTED_PROTOCOL: wasSent ? .protocolViolation : .unsupported
        // libcurl's header parser uses this code for a line with a bad name.
        case CURLE_BAD_FUNCTION_ARGUMENT: wasSent ? .protocolViolation : .internal
        case CURLE_NOT_BUILT_IN: .unsupported
        // A body without a length cannot be sent to a server that speaks HTTP/1.0.
        case CURLE_UPLOAD_FAILED: .unsupported
        case CURLE_URL_MALFORMAT: .invalidURL
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .resolve
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED: .connect
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_OUT_OF_MEMORY: .outOfMemory
        case CURLE_TOO_MANY_REDIRECTS: .tooManyRedirects
        case CURLE_FILESIZE_EXCEEDED: .tooLarge
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
            .tls
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE,
            CURLE_HTTP2_STREAM, CURLE_SSL_SHUTDOWN_FAILED, CURLE_AGAIN, CURLE_SEND_FAIL_REWIND:
            .connectionLost
        case CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_BAD_CONTENT_ENCODING:
            .protocolViolation
        default: .internal
        }
    }
}
