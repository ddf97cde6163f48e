import CCurl
import RestwayHTTP
import RestwayThreads

/// Checks the end of a body over TLS that has no length and no chunks, so that the connection's end
/// ends it.
///
/// Anyone on the network path can end a connection, but only the server can send the TLS alert
/// close_notify. Without this alert the body may be cut off (RFC 9112, section 9.8). With OpenSSL
/// before 3.2, libcurl accepts every end. Its debug function sees the alert. It is turned on while
/// a connection is made, as libcurl requires, and after the head of an answer whose body ends with
/// the connection.
extension EasyHandle {
    enum TLSEnd {
        /// The end of the connection is not the end of the body.
        case unimportant
        case awaited
        /// The server has sent close_notify.
        case told
    }

    func setDebugFunction(_ me: UnsafeMutableRawPointer) {
        guard CurlGlobal.tellsOfAlerts else { return }
        rw_easy_set_debug_function(easy) { _, kind, bytes, count, me in
            if kind == CURLINFO_TEXT {
                let text = UnsafeRawBufferPointer(start: bytes, count: count)
                UserData.object(EasyHandle.self, me!).noteProtocol(text)
                return 0
            }
            // Among TLS messages only alerts have two bytes: a level, and 0 for close_notify.
            guard kind == CURLINFO_SSL_DATA_IN, count == 2, bytes?[1] == 0 else { return 0 }
            let handle = UserData.object(EasyHandle.self, me!)
            // The alert may come from a proxy, which does not know whether the server's body ended.
            guard !handle.network.proxyMayUseTLS else { return 0 }
            if handle.transfer.tlsEnd == .awaited { handle.transfer.tlsEnd = .told }
            return 0
        }
        rw_easy_set_pointer(easy, CURLOPT_DEBUGDATA, me)
    }

    func tellOfTLS(_ isWanted: Bool) {
        guard isWanted != isToldOfTLS else { return }
        isToldOfTLS = isWanted
        rw_easy_set_long(easy, CURLOPT_VERBOSE, isWanted ? 1 : 0)
    }

    /// Decides, when the head of the answer has come, whether to wait for close_notify.
    func watchEnd(behind answer: ResponseHead) {
        transfer.tlsEnd = .unimportant
        guard CurlGlobal.tellsOfAlerts, let active, active.originQueue?.isSecure == true,
            active.exchange.method != "HEAD", answer.isEndedByConnection
        else { return }
        transfer.tlsEnd = .awaited
        tellOfTLS(true)
    }
}

extension ResponseHead {
    /// Whether only the end of the connection ends the body (RFC 9112, section 6.3).
    fileprivate var isEndedByConnection: Bool {
        switch httpVersion {
        case .http2, .http3: return false
        case .http10, .http11: break
        }
        if status == 204 || status == 304 { return false }
        if let coding = headers.joined("Transfer-Encoding") {
            // If there are several codings, the last one counts.
            return !coding.lowercased().hasSuffix("chunked")
        }
        return headers[first: "Content-Length"] == nil
    }
}

/// Digest authentication (RFC 7616): libcurl answers the challenge and sends the exchange again.
///
/// libcurl does not announce whether it will send the exchange again. Therefore the head of a
/// challenge is held back. It is dropped if the next request is sent, and reported if a part of its
/// body comes.
extension EasyHandle {
    /// Sets the credential. `nil` removes it, because the next exchange may belong to another
    /// client.
    func set(_ digest: DigestCredential?) {
        rw_easy_set_long(
            easy, CURLOPT_HTTPAUTH, Int(digest == nil ? rw_auth_basic() : rw_auth_digest()))
        rw_easy_set_string(easy, CURLOPT_USERNAME, digest?.user)
        rw_easy_set_string(easy, CURLOPT_PASSWORD, digest?.password.revealed)
    }

    func isChallenge(_ head: ResponseHead) -> Bool {
        guard active?.exchange.digest != nil, head.status == 401 else { return false }
        return head.headers.fields.contains { field in
            field.isNamed("WWW-Authenticate") && field.value.lowercased().hasPrefix("digest")
        }
    }

    /// Reports the challenge as an ordinary answer, because libcurl has not answered it.
    func tellChallenge() {
        guard let head = transfer.challenge.take() else { return }
        active?.observer?.receivedHead(head)
    }
}
