import CCurl
import RestwayHTTP
import RestwayThreads

/// Translates libcurl's result of an exchange.
extension EasyHandle {
    /// Whether the response came over HTTP/2 or later, where exchanges share connections.
    var isMultiplexed: Bool {
        var version = 0
        rw_easy_get_long(easy, CURLINFO_HTTP_VERSION, &version)
        return version >= CURL_HTTP_VERSION_2_0
    }

    /// - Parameter startedAt: The time at which the exchange left the queue.
    func result(
        _ code: CURLcode, startedAt: Deadline
    ) -> Result<ExchangeSummary, TransportError> {
        if let failure { return .failure(failure) }
        if code == CURLE_OUT_OF_MEMORY, attempts > 0, !head.isComplete {
            // libcurl reports this error as "out of memory"; a real lack of memory never shows
            // here.
            let message = "\(place): a line of the response headers exceeds libcurl's 100 KiB"
            return .failure(TransportError(.tooLarge, code: Int32(code.rawValue), message))
        }
        guard code == CURLE_OK else {
            return .failure(
                .curl(code, detail: errorDetail, place: place, wasSent: attempts > 0))
        }
        // libcurl accepts a connection that ends within the headers.
        guard head.isComplete else {
            return .failure(
                TransportError(
                    .connectionLost, "\(place): the connection ended within the response headers"))
        }
        if tlsEnd == .awaited {
            let message =
                "\(place): the connection ended without a goodbye of TLS (close_notify), "
                + "and the body has no length: it may be cut off"
            return .failure(
                TransportError(
                    .connectionLost, code: Int32(CURLE_RECV_ERROR.rawValue), message))
        }
        return .success(summary(startedAt))
    }

    private func summary(_ startedAt: Deadline) -> ExchangeSummary {
        var timings = ExchangeTimings()
        if let active, startedAt > active.acceptedAt {
            let queued = startedAt.nanoseconds - active.acceptedAt.nanoseconds
            timings.queuedMicroseconds = Int64(queued / 1_000)
        }
        var connections = 0
        rw_easy_get_long(easy, CURLINFO_NUM_CONNECTS, &connections)
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

    private func number(_ info: CURLINFO) -> Int64 {
        var number: curl_off_t = 0
        rw_easy_get_offset(easy, info, &number)
        return Int64(number)
    }
}
