import CCurl
import RestwayHTTP

/// Sets options of libcurl on an easy handle: those that never change, and those of one exchange
/// that are plain numbers.
struct ExchangeOptions {
    let easy: UnsafeMutableRawPointer

    /// Sets the options that no exchange changes.
    func setConstants() {
        rw_easy_set_long(easy, CURLOPT_NOSIGNAL, 1)
        // Without this option, giving up on a name would block the thread until the resolver gives
        // up.
        rw_easy_set_long(easy, CURLOPT_QUICK_EXIT, 1)
        rw_easy_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        rw_easy_set_string(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        rw_easy_set_long(easy, CURLOPT_PATH_AS_IS, 1)
        rw_easy_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        rw_easy_set_long(easy, CURLOPT_HTTP_CONTENT_DECODING, 0)
        rw_easy_set_long(easy, CURLOPT_HTTP09_ALLOWED, 0)
        // The answer of a proxy to CONNECT is not the answer to the request.
        rw_easy_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        rw_easy_set_long(easy, CURLOPT_TCP_NODELAY, 1)
        // The buffer is as large as a piece of a body.
        rw_easy_set_long(easy, CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10)
    }

    /// Sets the options of an exchange.
    ///
    /// - Parameters:
    ///   - timeoutMilliseconds: The rest of the total time limit; 0 for no limit.
    ///   - sharesPlainConnections: Whether connections without TLS carry several exchanges.
    func set(
        _ active: ActiveExchange, timeoutMilliseconds: Int64, sharesPlainConnections: Bool
    ) {
        // libcurl allocates the buffer for each exchange. Freeing 64 KiB or more makes the C
        // library consolidate its whole heap, which only a large body is worth.
        let isLarge = active.exchange.mayReceiveLargeBody
        rw_easy_set_long(easy, CURLOPT_BUFFERSIZE, isLarge ? 128 << 10 : 32 << 10)
        let timeouts = active.exchange.timeouts
        rw_easy_set_long(easy, CURLOPT_TIMEOUT_MS, Self.long(timeoutMilliseconds))
        // For libcurl, 0 means 300 seconds, not "no limit".
        let connect = timeouts.connectMilliseconds
        rw_easy_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, Self.long(connect > 0 ? connect : .max))
        // libcurl waits to learn whether a connection can be shared. TLS tells this when the
        // connection is ready, plain HTTP only with the first response, unless the program has said
        // that the server speaks HTTP/2.
        let mayShare = sharesPlainConnections || active.originQueue?.isSecure == true
        rw_easy_set_long(easy, CURLOPT_PIPEWAIT, mayShare ? 1 : 0)
        // The progress of the upload also shows when the wait for the answer began.
        let needsProgress = timeouts.firstByteMilliseconds > 0
        let wantsProgress = active.observer?.wantsProgress == true
        rw_easy_set_long(easy, CURLOPT_NOPROGRESS, needsProgress || wantsProgress ? 0 : 1)
        // The weight of the stream in HTTP/2: 16 by default, from 1 to 256.
        let weight = 1 << Int(4 + max(-4, min(4, active.priority)))
        rw_easy_set_long(easy, CURLOPT_STREAM_WEIGHT, weight)
    }

    /// Limits a number to the range of int, in which libcurl keeps it.
    private static func long(_ number: Int64) -> Int { Int(min(max(0, number), 0x7FFF_FFFF)) }
}
