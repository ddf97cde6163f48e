import CCurl

/// Parses URLs and resolves references with libcurl.
enum CurlURL {
    struct Parts {
        let scheme: String
        let hasCredentials: Bool
        let host: String
        let zone: String?
        let port: String
        let path: String
        let query: String?
    }

    /// Parses an absolute URL. Dot segments are kept.
    ///
    /// - Parameter original: The URL that an error names. The parameter has this meaning in
    ///   `resolve` too.
    static func parse(
        _ text: String, original: String
    ) throws(RoutingError) -> Parts {
        let handle = try makeHandle(original)
        defer { curl_url_cleanup(handle) }
        try set(text, on: handle, flags: CURLU_PATH_AS_IS, original)
        return Parts(
            scheme: get(CURLUPART_SCHEME, of: handle) ?? "",
            hasCredentials: get(CURLUPART_USER, of: handle) != nil
                || get(CURLUPART_PASSWORD, of: handle) != nil,
            host: get(CURLUPART_HOST, of: handle) ?? "",
            zone: get(CURLUPART_ZONEID, of: handle),
            port: get(CURLUPART_PORT, of: handle, flags: CURLU_DEFAULT_PORT) ?? "",
            path: get(CURLUPART_PATH, of: handle) ?? "",
            query: get(CURLUPART_QUERY, of: handle))
    }

    /// Resolves a reference without fragment (RFC 3986, section 5.2). Dot segments are removed.
    static func resolve(
        _ reference: String, against base: String, original: String
    ) throws(RoutingError) -> String {
        let handle = try makeHandle(original)
        defer { curl_url_cleanup(handle) }
        try set(base, on: handle, flags: CURLU_PATH_AS_IS, original)
        try set(reference, on: handle, flags: 0, original)
        guard let url = get(CURLUPART_URL, of: handle) else {
            throw .unusableURL(original, "not resolvable")
        }
        return url
    }

    private static func makeHandle(_ original: String) throws(RoutingError) -> OpaquePointer {
        guard let handle = curl_url() else { throw .unusableURL(original, "out of memory") }
        return handle
    }

    private static func set(
        _ text: String, on handle: OpaquePointer, flags: Int32, _ original: String
    ) throws(RoutingError) {
        let code = curl_url_set(handle, CURLUPART_URL, text, UInt32(flags))
        if code != CURLUE_OK {
            throw .unusableURL(original, String(cString: curl_url_strerror(code)))
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
