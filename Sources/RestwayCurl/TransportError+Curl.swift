import CCurl
import Glibc
import RestwayHTTP

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

    /// - Parameter code: The system's own error code (errno).
    static func noResources(_ what: String, _ code: Int32) -> TransportError {
        let text = String(cString: strerror(code))
        return TransportError(
            .noResources, code: code, "the system cannot provide \(what): \(text) (\(code))")
    }

    /// Whether an error of the system says that it has no more to give.
    static func isLack(_ code: Int32) -> Bool {
        [EMFILE, ENFILE, ENOMEM, ENOBUFS, EAGAIN].contains(code)
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
