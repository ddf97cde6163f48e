/// Scheme, host in lower case and port: what decides where credentials may go (RFC 6454).
package struct Origin: Sendable, Hashable, CustomStringConvertible {
    package let scheme: String
    /// In ASCII; an IPv6 address is in brackets.
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

    /// "https://api.example.com", with the port only when it is not the scheme's own.
    package var description: String {
        let isDefault = port == (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(host)\(isDefault ? "" : ":\(port)")"
    }
}
