import Glibc
package import RestwayRouting
import RestwayText
package import RestwayThreads

/// How the built-in transport connects. A value of `nil` is not set.
package struct NetworkSettings: Sendable {
    /// The TLS settings of all origins that have no settings of their own.
    package var tls: TLSSettings?
    package var tlsByOrigin: [Origin: TLSSettings] = [:]
    /// `nil` takes the proxy of the environment variables.
    package var proxy: ProxyChoice?
    package var unixSocket: UnixSocket?
    package var localInterface: String?
    package var names = NameSettings()
    package var httpVersion: RequestedHTTPVersion?
    /// The file in which cookies are kept; `nil` keeps them in memory.
    package var cookieFile: String?
    /// The file of the hosts that may be reached only over TLS; `nil` remembers no hosts.
    package var hstsFile: String?

    package init() {}

    /// Returns these settings, with the settings of `others` where these have no value.
    package func completed(by others: NetworkSettings) -> NetworkSettings {
        var all = self
        all.tls = tls ?? others.tls
        all.tlsByOrigin.merge(others.tlsByOrigin) { own, _ in own }
        // A socket and a proxy exclude each other.
        if unixSocket == nil { all.proxy = proxy ?? others.proxy }
        if proxy == nil { all.unixSocket = unixSocket ?? others.unixSocket }
        all.httpVersion = httpVersion ?? others.httpVersion
        all.cookieFile = cookieFile ?? others.cookieFile
        all.hstsFile = hstsFile ?? others.hstsFile
        return all
    }

    /// The TLS settings for `origin`.
    package func tls(for origin: Origin) -> TLSSettings {
        tlsByOrigin[origin] ?? tls ?? TLSSettings()
    }
}

/// A network setting that cannot be used.
package struct NetworkSettingError: Error, Equatable, Sendable {
    /// The setting, by its name in the header.
    package let field: String
    /// Describes the problem. The message never contains a password.
    package let message: String

    package init(_ field: String, _ message: String) {
        self.field = field
        self.message = message
    }
}

/// The TLS settings of an origin.
package struct TLSSettings: Equatable, Sendable {
    package enum MinimumVersion: String, CaseIterable, Sendable {
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    /// A PEM file of trusted certificates. If both this and `caFolder` are `nil`, the system's
    /// authorities are trusted.
    package var caFile: String?
    /// A folder of trusted certificates, prepared by `openssl rehash`.
    package var caFolder: String?
    /// The client's certificate, in PEM or PKCS#12.
    package var certificateFile: String?
    /// Whether the file of the certificate is PKCS#12. The transport finds this out.
    package var isPKCS12 = false
    /// The key; `nil` if the file of the certificate holds it.
    package var keyFile: String?
    package var password: Secret?
    /// The public keys that are allowed, as libcurl takes them; `nil` allows any key.
    package private(set) var pinnedPublicKey: String?
    package var minimumVersion = MinimumVersion.tls12
    /// Whether the server's certificate is checked.
    package var isVerifying = true

    package init() {}

    /// Sets the public keys that are allowed. The text is checked, because libcurl would take any
    /// other text for the name of a file.
    package mutating func pin(_ text: String) throws(NetworkSettingError) {
        for key in text.split(separator: ";", omittingEmptySubsequences: false) {
            guard key.hasPrefix("sha256//"), Self.isDigest(key.dropFirst(8)) else {
                throw NetworkSettingError(
                    "pinned_public_key",
                    "the pinned public key is \"sha256//\" and the base64 text of 32 bytes, or "
                        + "several of these joined by \";\"")
            }
        }
        pinnedPublicKey = text
    }

    /// Whether `text` is the base64 text of a SHA-256: 43 characters and one of padding.
    private static func isDigest(_ text: Substring) -> Bool {
        let utf8 = text.utf8
        guard utf8.count == 44, utf8.last == UInt8(ascii: "=") else { return false }
        return utf8.dropLast().allSatisfy { byte in
            ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
        }
    }
}

/// Whether exchanges go through a proxy.
package enum ProxyChoice: Equatable, Sendable {
    /// No proxy is used, whatever the environment variables say.
    case direct
    case proxy(Proxy)
}

/// A proxy, which the exchanges of a client go through.
package struct Proxy: Equatable, Sendable {
    private static let schemes = ["http", "https", "socks5", "socks5h"]

    /// Scheme, host and port.
    package let url: String
    package var user: String?
    package var password: Secret?
    /// Hosts that are reached without the proxy, separated by commas.
    package var exceptions = ""

    /// - Parameter url: A URL without credentials, with a port. The error does not quote it,
    ///   because it may contain a password.
    package init(url: String) throws(NetworkSettingError) {
        guard let scheme = Self.schemes.first(where: { url.hasPrefix("\($0)://") }) else {
            throw NetworkSettingError(
                "proxy",
                "the URL of a proxy begins with http://, https://, socks5:// or socks5h://")
        }
        var place = url.dropFirst(scheme.count + 3)
        if place.hasSuffix("/") { place = place.dropLast() }
        if place.utf8.contains(UInt8(ascii: "@")) {
            throw NetworkSettingError(
                "proxy",
                "the URL of a proxy has no credentials: they are settings of their own")
        }
        guard Self.hasPort(place), (try? Origin(url: "http://\(place)")) != nil else {
            throw NetworkSettingError(
                "proxy", "the URL of a proxy is a scheme, a host and a port, without a path")
        }
        self.url = url
    }

    /// Whether the connection to the proxy itself uses TLS.
    package var isSecure: Bool { url.hasPrefix("https:") }

    private static func hasPort(_ place: Substring) -> Bool {
        guard !place.contains(where: { "/?#\\".contains($0) }), let colon = place.lastIndex(of: ":")
        else { return false }
        let digits = place[place.index(after: colon)...].utf8
        return !digits.isEmpty && digits.allSatisfy(ASCII.isDigit)
    }
}

/// A Unix-domain socket of a server.
package struct UnixSocket: Equatable, Sendable {
    /// `sun_path` has 108 bytes, and a path ends with a NUL.
    private static let pathBytesMax = 107

    /// The path, or the name of an abstract socket.
    package let path: String
    /// Whether the socket is not in the file system.
    package let isAbstract: Bool

    /// - Parameter text: A path, or "@" and the name of an abstract socket.
    package init(_ text: String) throws(NetworkSettingError) {
        isAbstract = text.hasPrefix("@")
        path = isAbstract ? String(text.dropFirst()) : text
        guard (1...Self.pathBytesMax).contains(path.utf8.count) else {
            throw NetworkSettingError(
                "unix_socket", "the path of a Unix-domain socket has 1 to 107 bytes")
        }
    }
}

/// How names of hosts become addresses.
package struct NameSettings: Sendable {
    package enum Family: Sendable {
        case any, ip4, ip6
    }

    /// Addresses in place of lookups, as libcurl takes them: "host:port:address,address".
    package private(set) var addresses: [String] = []
    /// The URL of a DNS server that is asked over HTTPS.
    package private(set) var dohURL: String?
    package var family = Family.any
    /// How long IPv6 is awaited before IPv4 is tried, too; `nil` for libcurl's default.
    package var happyEyeballsMilliseconds: Int64?

    package init() {}

    package mutating func add(address text: String) throws(NetworkSettingError) {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        let isWhole = parts.count == 3 && !parts[0].isEmpty && !parts[2].isEmpty
        guard isWhole, let port = UInt16(parts[1]), port > 0 else {
            throw NetworkSettingError(
                "addresses", "\"\(text)\" is not \"host:port:address[,address]...\"")
        }
        for address in parts[2].utf8.split(
            separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        where !Self.isAddress(Substring(address)) {
            throw NetworkSettingError(
                "addresses", "\"\(Substring(address))\" of \"\(text)\" is no IP address")
        }
        addresses.append(text)
    }

    /// Whether the text is an IPv4 address, or an IPv6 address with or without brackets.
    private static func isAddress(_ text: Substring) -> Bool {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let address = String(isBracketed ? text.dropFirst().dropLast() : text)
        var bytes = in6_addr()
        if inet_pton(AF_INET6, address, &bytes) == 1 { return true }
        return !isBracketed && inet_pton(AF_INET, address, &bytes) == 1
    }

    package mutating func askOverHTTPS(_ url: String) throws(NetworkSettingError) {
        guard let origin = try? Origin(url: url), origin.scheme == "https" else {
            throw NetworkSettingError("doh_url", "DNS over HTTPS needs an https URL")
        }
        dohURL = url
    }
}

/// The version of HTTP that is asked for.
package enum RequestedHTTPVersion: String, CaseIterable, Sendable {
    /// HTTP/1.1 alone.
    case http11 = "1.1"
    /// HTTP/2, also without TLS.
    case http2 = "2"
    case http3 = "3"
}
