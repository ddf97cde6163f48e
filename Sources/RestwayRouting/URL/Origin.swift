/// A scheme, a host in lower case and a port. It decides where credentials may be sent (RFC 6454).
package struct Origin: Sendable, Hashable, CustomStringConvertible {
    package let scheme: String
    /// The host in ASCII; an IPv6 address is in brackets.
    package let host: String
    package let port: Int

    /// The origin of an absolute URL.
    package init(url: String) throws(RoutingError) {
        self = try HTTPURL(url).origin
    }

    init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// The origin as text, "https://api.example.com". A default port is left out.
    package var description: String {
        let isDefault = port == (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(host)\(isDefault ? "" : ":\(port)")"
    }
}
