import RestwayText

/// A parsed and normalised absolute http or https URL, without credentials or fragment.
///
/// Scheme and host are in lower case, the host is in ASCII (RFC 5891), a default port is not
/// written, an empty path is "/", and characters that are not allowed in a URL are percent-encoded
/// (RFC 3986, section 6.2). Dot segments are kept.
struct HTTPURL: Equatable, Sendable {
    let origin: Origin
    let path: String
    let query: String?

    init(_ text: String) throws(RoutingError) {
        let parts = try CurlURL.parse(try Self.encoded(text), original: text)
        guard parts.scheme == "http" || parts.scheme == "https" else {
            throw .unusableURL(text, "the scheme is neither http nor https")
        }
        if parts.hasCredentials {
            throw .unusableURL(text, "a URL has no user and no password")
        }
        guard let host = Self.host(parts) else {
            throw .unusableURL(text, "the host's name cannot be used")
        }
        guard let port = Int(parts.port), (1...65_535).contains(port) else {
            throw .unusableURL(text, "a port is from 1 to 65535")
        }
        origin = Origin(scheme: parts.scheme, host: host, port: port)
        path = parts.path.isEmpty ? "/" : parts.path
        query = parts.query
    }

    var text: String {
        origin.description + path + (query.map { "?" + $0 } ?? "")
    }

    /// The text for libcurl, which is too lenient with paths, queries and slashes.
    private static func encoded(_ text: String) throws(RoutingError) -> String {
        let utf8 = text.utf8
        guard URLText.isAbsolute(text), let colon = utf8.firstIndex(of: ASCII.colon) else {
            throw .unusableURL(
                text, "an absolute URL is expected, such as \"https://api.example.com/v1\"")
        }
        let start = utf8.index(colon, offsetBy: 3)
        let end =
            utf8[start...].firstIndex { $0 == ASCII.slash || ASCII.endsPath($0) } ?? utf8.endIndex
        let authority = text[start..<end]
        if authority.isEmpty { throw .unusableURL(text, "there is no host") }
        let isStrange = authority.utf8.contains {
            ASCII.isControl($0) || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\\")
        }
        if isStrange { throw .unusableURL(text, "a character that no host has") }
        return text[..<end] + URLText.encodedWithoutFragment(text[end...])
    }

    private static func host(_ parts: CurlURL.Parts) -> String? {
        guard let host = HostName.ascii(parts.host) else { return nil }
        guard let zone = parts.zone else { return host }
        // RFC 6874: the zone follows the address, within the brackets.
        return host.dropLast() + "%25" + PercentEncoding.encode(zone, keeping: .unreserved) + "]"
    }
}

extension URLText {
    /// Resolves a reference, such as a Location (RFC 3986, section 5), without its fragment.
    ///
    /// The result is normalised. Schemes other than http and https, and credentials, are refused
    /// (RFC 9110, section 4.2.4).
    package static func resolve(
        _ reference: String, against base: String
    ) throws(RoutingError) -> String {
        let base = try HTTPURL(base)
        if hasScheme(reference) { return try normalizedAbsolute(reference) }
        if reference.utf8.starts(with: "//".utf8) {
            return try normalizedAbsolute("\(base.origin.scheme):\(reference)")
        }
        let encoded = encodedWithoutFragment(reference[...])
        if encoded.isEmpty { return base.text }
        return try normalizedAbsolute(
            try CurlURL.resolve(encoded, against: base.text, original: reference))
    }

    /// An absolute http or https URL in its normal form: scheme and host in lower case, host in
    /// ASCII, no default port, a path, no fragment, and no characters that are not allowed in a
    /// URL. Dot segments are kept; credentials are refused.
    package static func normalizedAbsolute(_ text: String) throws(RoutingError) -> String {
        try HTTPURL(text).text
    }
}

/// A scheme, a host in lower case and a port. It decides where credentials may be sent (RFC 6454).
package struct Origin: Sendable, Hashable, CustomStringConvertible {
    package let scheme: String
    /// The host in ASCII; an IPv6 address is in brackets.
    package let host: String
    package let port: Int

    /// The origin as text, "https://api.example.com". A default port is left out.
    package var description: String {
        let isDefault = port == (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(host)\(isDefault ? "" : ":\(port)")"
    }
}

extension Origin {
    /// The origin of an absolute URL.
    package init(url: String) throws(RoutingError) {
        self = try HTTPURL(url).origin
    }
}
