import RestwayCalls
import RestwayClient
import RestwayHTTP
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayThreads

extension ClientOptions {
    /// How a client connects: TLS, the proxy, sockets, names and versions of HTTP. A setting that
    /// is `nil` or empty comes from the environment in the API document, or else has the library's
    /// default. A transport of a plugin has options of its own.
    ///
    ///     options.network.tls = .init(caFile: "authority.pem", minimumVersion: .tls13)
    ///     options.network.proxy = .server(.init("socks5h://127.0.0.1:1080"))
    ///     options.network.addresses = ["api.example.com:443:192.0.2.7"]
    public struct Network: Sendable {
        /// The TLS settings of all origins that are not in `tlsByOrigin`.
        public var tls: TLS?
        /// The TLS settings of single origins, such as `https://api.example.com`. Each replaces the
        /// document's settings for its origin as a whole.
        public var tlsByOrigin: [String: TLS] = [:]
        /// The proxy; `nil` takes the proxy of the environment variables (`https_proxy` and others)
        /// if the document has no proxy either.
        public var proxy: ProxyChoice?
        /// The path of a Unix-domain socket to which all connections go; `@name` for an abstract
        /// socket.
        public var unixSocket: String?
        /// The network interface (`eth1`) or the address of this machine from which connections are
        /// made.
        public var localInterface: String?
        /// Addresses in place of name lookups, each `host:port:address[,address]...`.
        public var addresses: [String] = []
        /// The https URL of a server that looks up names (DNS over HTTPS, RFC 8484); `nil` uses the
        /// system's resolver.
        public var dohURL: String?
        /// How long a connection over IPv6 is awaited before IPv4 is tried, too: at most a minute
        /// (200 milliseconds).
        public var happyEyeballs: Duration?
        /// The version of the addresses that are connected to; `nil` for both, whichever connects
        /// first.
        public var ipVersion: IPVersion?
        /// The version of HTTP that is asked for; `nil` for HTTP/2 over TLS if the server has it,
        /// else HTTP/1.1.
        public var httpVersion: HTTPVersion?
        /// Whether a call fails at once with the kind `connect` while the program says that the
        /// server cannot be reached (`Client.setReachability`), unless the outbox may store its
        /// request or the cache answers it.
        public var failsWhenUnreachable = false
        /// The file in which cookies are kept, in the format of curl and browsers; `nil` keeps them
        /// in memory.
        public var cookieFile: String?
        /// The file in which the client remembers the hosts that may be reached only over TLS (RFC
        /// 6797, HSTS), in the format of curl; `nil` remembers no hosts.
        public var hstsFile: String?
    }

    /// The TLS settings of an origin, or of all origins. The files are checked when the client is
    /// made, and read again for each new connection.
    public struct TLS: Sendable {
        /// The oldest version of TLS that a client accepts.
        public enum Version: Sendable {
            /// TLS 1.2 or later.
            case tls12
            /// TLS 1.3 or later.
            case tls13
        }

        /// A PEM file with the certificates of trusted authorities, in place of the system's.
        public var caFile: String?
        /// A folder of such certificates that was prepared by `openssl rehash`.
        public var caFolder: String?
        /// The client's certificate: PEM, or PKCS#12, which holds the key, too.
        public var certificateFile: String?
        /// The PEM file of the private key, unless `certificateFile` holds the key.
        public var keyFile: String?
        /// The password of the key or of the PKCS#12 file.
        public var password: String?
        /// The public keys of which the server must have one: `sha256//` and the base64 text of the
        /// key's SHA-256; several are joined by `;`.
        public var pinnedPublicKey: String?
        /// The oldest version of TLS that is accepted.
        public var minimumVersion: Version
        /// Whether the certificate of the server is not checked, so that anyone on the network path
        /// can read and change everything. The client writes a warning into the log. Keys of
        /// `pinnedPublicKey` are still checked.
        public var insecureNoVerification = false

        /// Makes settings with the authorities that are trusted, and the client's certificate.
        public init(
            caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil,
            password: String? = nil, minimumVersion: Version = .tls12
        ) {
            self.caFile = caFile
            self.certificateFile = certificateFile
            self.keyFile = keyFile
            self.password = password
            self.minimumVersion = minimumVersion
        }
    }

    /// Whether requests go through a proxy.
    public enum ProxyChoice: Sendable {
        /// No proxy is used, whatever the document and the environment variables say.
        case direct
        /// All requests go through a proxy, except for its `exceptions`.
        case server(Proxy)
    }

    /// A proxy.
    public struct Proxy: Sendable {
        /// The URL: http, https, socks5 (names are looked up here) or socks5h (the proxy looks them
        /// up), with a host and a port, without credentials.
        public var url: String
        /// The user name for the proxy.
        public var user: String?
        /// The password for the proxy.
        public var password: String?
        /// Hosts that are reached without the proxy. A name includes its subdomains.
        public var exceptions: [String] = []

        /// Makes a proxy of its URL and the credentials that it asks for.
        public init(_ url: String, user: String? = nil, password: String? = nil) {
            self.url = url
            self.user = user
            self.password = password
        }
    }

    /// The version of the addresses that are connected to.
    public enum IPVersion: Sendable {
        /// IPv4 alone.
        case ip4
        /// IPv6 alone.
        case ip6
    }

    /// The version of HTTP that a client asks for.
    public enum HTTPVersion: Sendable {
        /// HTTP/1.1 alone.
        case http11
        /// HTTP/2, also without TLS, where the client has to know beforehand that the server speaks
        /// it.
        case http2
        /// HTTP/3, or an earlier version if no connection over QUIC can be made. A client can only
        /// be made if libcurl has HTTP/3.
        case http3
    }
}

/// Passwords appear neither in texts for people nor in a debugger's mirror.
extension ClientOptions.TLS: CustomStringConvertible, CustomReflectable {
    public var description: String { "<TLS>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ClientOptions.Proxy: CustomStringConvertible, CustomReflectable {
    public var description: String { "<Proxy \(url)>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ClientOptions.Network {
    /// Returns the settings for the core.
    func core() throws(RestwayError) -> NetworkSettings {
        try RestwayError.explaining { () throws(Failure) in try checked() }
    }

    private func checked() throws(Failure) -> NetworkSettings {
        var core = NetworkSettings()
        core.tls = try tls?.core()
        for (text, settings) in tlsByOrigin {
            let origin = try Origin(argument: text, field: "options.network.tlsByOrigin")
            guard core.tlsByOrigin.updateValue(try settings.core(), forKey: origin) == nil else {
                throw Self.wrong(
                    "tlsByOrigin", "options.network.tlsByOrigin has two settings for \(origin)")
            }
        }
        core.proxy = try proxy?.core()
        if let unixSocket {
            if case .server = proxy {
                throw Self.wrong(
                    "unixSocket", "options.network has both a proxy and a Unix-domain socket")
            }
            core.unixSocket = try Failure.explaining { () throws(NetworkSettingError) in
                try UnixSocket(unixSocket)
            }
        }
        core.localInterface = try Self.filled(localInterface, "localInterface")
        core.cookieFile = try Self.filled(cookieFile, "cookieFile")
        core.hstsFile = try Self.filled(hstsFile, "hstsFile")
        core.httpVersion = httpVersion.map(\.core)
        try readNames(into: &core.names)
        return core
    }

    private func readNames(into names: inout NameSettings) throws(Failure) {
        for address in addresses {
            try Failure.explaining { () throws(NetworkSettingError) in
                try names.add(address: address)
            }
        }
        if let dohURL {
            try Failure.explaining { () throws(NetworkSettingError) in
                try names.askOverHTTPS(dohURL)
            }
        }
        names.family = ipVersion.map(\.core) ?? .any
        if let happyEyeballs {
            let milliseconds = happyEyeballs.milliseconds
            try NumberBounds.networkOptionsHappyEyeballsMilliseconds.check(
                milliseconds, "options.network.happyEyeballs")
            names.happyEyeballsMilliseconds = milliseconds
        }
    }

    private static func filled(_ text: String?, _ name: String) throws(Failure) -> String? {
        guard text?.isEmpty != true else {
            throw wrong(name, "options.network.\(name) is empty")
        }
        return text
    }

    private static func wrong(_ name: String, _ message: String) -> Failure {
        Failure(.invalidArgument, message, field: "options.network.\(name)")
    }
}

extension ClientOptions.TLS {
    fileprivate func core() throws(Failure) -> TLSSettings {
        var core = TLSSettings()
        core.caFile = caFile
        core.caFolder = caFolder
        core.certificateFile = certificateFile
        core.keyFile = keyFile
        core.password = password.map { Secret($0) }
        if let pinnedPublicKey {
            try Failure.explaining { () throws(NetworkSettingError) in
                try core.pin(pinnedPublicKey)
            }
        }
        core.minimumVersion = minimumVersion == .tls13 ? .tls13 : .tls12
        core.isVerifying = !insecureNoVerification
        return core
    }
}

extension ClientOptions.ProxyChoice {
    fileprivate func core() throws(Failure) -> RestwayHTTP.ProxyChoice {
        guard case .server(let proxy) = self else { return .direct }
        var core = try Failure.explaining { () throws(NetworkSettingError) in
            try RestwayHTTP.Proxy(url: proxy.url)
        }
        core.user = proxy.user
        core.password = proxy.password.map { Secret($0) }
        core.exceptions = proxy.exceptions.joined(separator: ",")
        return .proxy(core)
    }
}

extension ClientOptions.IPVersion {
    fileprivate var core: NameSettings.Family { self == .ip4 ? .ip4 : .ip6 }
}

extension ClientOptions.HTTPVersion {
    fileprivate var core: RequestedHTTPVersion {
        switch self {
        case .http11: .http11
        case .http2: .http2
        case .http3: .http3
        }
    }
}
