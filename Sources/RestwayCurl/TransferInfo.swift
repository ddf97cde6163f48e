import CCurl
import RestwayHTTP

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

    func summary(queuedMicroseconds: Int64, repetitions: Int) -> ExchangeSummary {
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
            repetitions: repetitions, uploadedBytes: number(CURLINFO_SIZE_UPLOAD_T),
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
