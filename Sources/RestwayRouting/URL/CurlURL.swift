import CCurl

/// Parses URLs and resolves references with libcurl.
enum CurlURL {
    struct Parts {
        var scheme = ""
        var hasCredentials = false
        var host = ""
        var zone: String?
        var port = ""
        var path = ""
        var query: String?
    }

    /// libcurl's message about a URL that it refuses.
    struct Failure: Error {
        let reason: String
    }

    /// Parses an absolute URL. Dot segments are kept.
    static func parse(_ text: String) throws(Failure) -> Parts {
        let handle = try makeHandle()
        defer { curl_url_cleanup(handle) }
        try set(text, on: handle, flags: CURLU_PATH_AS_IS)
        var parts = Parts()
        parts.scheme = get(CURLUPART_SCHEME, of: handle) ?? ""
        parts.hasCredentials =
            get(CURLUPART_USER, of: handle) != nil || get(CURLUPART_PASSWORD, of: handle) != nil
        parts.host = get(CURLUPART_HOST, of: handle) ?? ""
        parts.zone = get(CURLUPART_ZONEID, of: handle)
        parts.port = get(CURLUPART_PORT, of: handle, flags: CURLU_DEFAULT_PORT) ?? ""
        parts.path = get(CURLUPART_PATH, of: handle) ?? ""
        parts.query = get(CURLUPART_QUERY, of: handle)
        return parts
    }

    /// Resolves a reference without fragment (RFC 3986, section 5.2). Dot segments are removed.
    static func resolve(_ reference: String, against base: String) throws(Failure) -> String {
        let handle = try makeHandle()
        defer { curl_url_cleanup(handle) }
        try set(base, on: handle, flags: CURLU_PATH_AS_IS)
        try set(reference, on: handle, flags: 0)
        guard let url = get(CURLUPART_URL, of: handle) else {
            throw Failure(reason: "not resolvable")
        }
        return url
    }

    private static func makeHandle() throws(Failure) -> OpaquePointer {
        guard let handle = curl_url() else { throw Failure(reason: "out of memory") }
        return handle
    }

    private static func set(
        _ text: String, on handle: OpaquePointer, flags: Int32
    ) throws(Failure) {
        let code = curl_url_set(handle, CURLUPART_URL, text, UInt32(flags))
        if code != CURLUE_OK {
            throw Failure(reason: String(cString: curl_url_strerror(code)))
        }
    }

    private static func get(
        _ part: CURLUPart, of handle: OpaquePointer, flags: Int32 = 0
    ) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, UInt32(flags)) == CURLUE_OK, let text else {
            return nil
        }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
