import RestwayHTTP

/// The default headers of a client, as a request takes them when it starts.
///
/// Their level is above the headers of the document and the environment, and below those of the
/// route and the request. They go where the headers of the environment go.
extension RequestSpec {
    /// Adds the client's headers to those of lower levels.
    func addClientHeaders(to headers: inout Headers, isTrusted: Bool) {
        guard isTrusted, let clientHeaders else { return }
        for field in clientHeaders { headers.set(field.name, field.value) }
    }

    /// Whether the client or the caller gives a value for a header.
    func givesHeader(_ name: String) -> Bool {
        headers.contains { $0.value != nil && $0.name.isSameHeader(as: name) }
            || clientHeaders?.contains { $0.isNamed(name) } == true
    }

    /// The headers of the client and the caller that are sent. A header of the caller replaces the
    /// client's.
    func sentHeaders(isTrusted: Bool) -> [(name: String, value: String?)] {
        guard isTrusted, let clientHeaders, !clientHeaders.isEmpty else { return headers }
        let kept = clientHeaders.filter { field in
            !headers.contains { $0.name.isSameHeader(as: field.name) }
        }
        return kept.map { ($0.name, $0.value) } + headers
    }
}
