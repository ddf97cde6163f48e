import CCurl
import Glibc
import RestwayHTTP
import RestwayRouting
import RestwayThreads

/// The options of one easy handle that follow from the network settings of its transport.
///
/// All exchanges of a transport have the same settings, except that TLS settings may differ between
/// origins. So libcurl never finds a connection that was made with other settings: its connections
/// belong to one transport and one origin.
struct NetworkOptions: ~Copyable {
    private let easy: UnsafeMutableRawPointer
    private let settings: NetworkSettings
    let proxyMayUseTLS: Bool
    /// Whether a proxy may be used.
    let mayUseProxy: Bool
    /// The authorities that are trusted where the settings name no authorities.
    private let systemAuthorities: SystemAuthorities
    /// The origin whose settings the handle has; `nil` for the settings of all other origins.
    private var origin: Origin?
    /// Addresses in place of lookups. libcurl does not copy the list.
    private var addresses: UnsafeMutablePointer<curl_slist>?
    /// Whether the handle is set to HTTP/1.1, whatever the settings say.
    private var avoidsHTTP2 = false
    /// Whether the handle is set to use a new connection.
    private var usesNewConnection = false

    /// Sets all options of `easy`, which must live at least as long as this.
    ///
    init(_ easy: UnsafeMutableRawPointer, _ transport: CurlTransport.Settings) {
        self.easy = easy
        settings = transport.network
        proxyMayUseTLS = transport.proxyMayUseTLS
        mayUseProxy =
            switch transport.network.proxy {
            case nil: transport.mayUseProxies
            case .direct: false
            case .proxy: true
            }
        let builtIn = SystemAuthorities(
            file: Self.text(CURLINFO_CAINFO, of: easy),
            folder: Self.text(CURLINFO_CAPATH, of: easy))
        systemAuthorities = builtIn.areUnknown ? transport.authorities : builtIn
        setProxy(mayUseProxies: transport.mayUseProxies)
        setSocket()
        setNames()
        setVersion(isSecure: true)
        setTLS(settings.tls ?? TLSSettings())
    }

    /// Whether connections without TLS speak HTTP/2.
    var speaksPlainHTTP2: Bool { settings.httpVersion == .http2 }

    /// Whether exchanges share connections without TLS.
    var sharesPlainConnections: Bool { speaksPlainHTTP2 && CurlGlobal.canReusePlainHTTP2 }

    /// Whether the certificate of the server of the current exchange is checked.
    var isVerifying: Bool {
        (origin.flatMap { settings.tlsByOrigin[$0] } ?? settings.tls)?.isVerifying ?? true
    }

    deinit {
        curl_slist_free_all(addresses)
    }

    /// Sets the options for an exchange with `origin`.
    mutating func choose(_ origin: Origin?, avoidsHTTP2: Bool, needsNewConnection: Bool) {
        setNewConnection(needsNewConnection || neverShares(origin))
        if speaksPlainHTTP2 || avoidsHTTP2 != self.avoidsHTTP2 {
            self.avoidsHTTP2 = avoidsHTTP2
            setVersion(isSecure: origin?.scheme == "https")
        }
        guard !settings.tlsByOrigin.isEmpty else { return }
        let chosen = origin.flatMap { settings.tlsByOrigin[$0] == nil ? nil : $0 }
        guard chosen != self.origin else { return }
        self.origin = chosen
        setTLS(chosen.flatMap { settings.tlsByOrigin[$0] } ?? settings.tls ?? TLSSettings())
    }

    private func setTLS(_ tls: TLSSettings) {
        let authorities = authorities(of: tls)
        set(CURLOPT_CAINFO, authorities.file)
        set(CURLOPT_CAPATH, authorities.folder)
        set(CURLOPT_SSLCERTTYPE, tls.isPKCS12 ? "P12" : "PEM")
        set(CURLOPT_SSLCERT, tls.certificateFile)
        set(CURLOPT_SSLKEY, tls.keyFile)
        Secret.lend(tls.password) { _ = rw_easy_set_string(easy, CURLOPT_KEYPASSWD, $0) }
        set(CURLOPT_PINNEDPUBLICKEY, tls.pinnedPublicKey)
        let version =
            switch tls.minimumVersion {
            case .tls12: CURL_SSLVERSION_TLSv1_2
            case .tls13: CURL_SSLVERSION_TLSv1_3
            }
        rw_easy_set_long(easy, CURLOPT_SSLVERSION, Int(version))
        rw_easy_set_long(easy, CURLOPT_SSL_VERIFYPEER, tls.isVerifying ? 1 : 0)
        rw_easy_set_long(easy, CURLOPT_SSL_VERIFYHOST, tls.isVerifying ? 2 : 0)
    }

    /// Returns the authorities of `tls`, or those of the system.
    private func authorities(of tls: TLSSettings) -> SystemAuthorities {
        let given = SystemAuthorities(file: tls.caFile, folder: tls.caFolder)
        return given.areUnknown ? systemAuthorities : given
    }

    private func setProxy(mayUseProxies: Bool) {
        guard settings.unixSocket == nil else { return set(CURLOPT_NOPROXY, "*") }
        trustForProxies(systemAuthorities)
        switch settings.proxy {
        case nil:
            if !mayUseProxies { set(CURLOPT_NOPROXY, "*") }
        case .direct:
            set(CURLOPT_NOPROXY, "*")
        case .proxy(let proxy):
            set(CURLOPT_PROXY, proxy.url)
            // Without a text, libcurl would read the variable no_proxy.
            set(CURLOPT_NOPROXY, proxy.exceptions)
            set(CURLOPT_PROXYUSERNAME, proxy.user)
            Secret.lend(proxy.password) { text in
                _ = rw_easy_set_string(easy, CURLOPT_PROXYPASSWORD, text)
            }
            if let tls = settings.tls { trustForProxies(authorities(of: tls)) }
        }
    }

    /// Sets the authorities for connections to proxies that use TLS.
    private func trustForProxies(_ authorities: SystemAuthorities) {
        set(CURLOPT_PROXY_CAINFO, authorities.file)
        set(CURLOPT_PROXY_CAPATH, authorities.folder)
    }

    private func setSocket() {
        if let socket = settings.unixSocket {
            let option =
                socket.isAbstract ? CURLOPT_ABSTRACT_UNIX_SOCKET : CURLOPT_UNIX_SOCKET_PATH
            set(option, socket.path)
        }
        if let interface = settings.localInterface { set(CURLOPT_INTERFACE, interface) }
    }

    private mutating func setNames() {
        let names = settings.names
        for address in names.addresses { addresses = curl_slist_append(addresses, address) }
        if addresses != nil { rw_easy_set_list(easy, CURLOPT_RESOLVE, addresses) }
        if let url = names.dohURL { set(CURLOPT_DOH_URL, url) }
        let family =
            switch names.family {
            case .any: CURL_IPRESOLVE_WHATEVER
            case .ip4: CURL_IPRESOLVE_V4
            case .ip6: CURL_IPRESOLVE_V6
            }
        rw_easy_set_long(easy, CURLOPT_IPRESOLVE, Int(family))
        if let milliseconds = names.happyEyeballsMilliseconds {
            rw_easy_set_long(easy, CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, Int(milliseconds))
        }
    }

    /// - Parameter isSecure: Whether the origin uses TLS, which finds out by itself whether the
    ///   server speaks HTTP/2 (ALPN).
    /// Sets the version of HTTP. Behind a proxy with TLS, HTTP/2 is used only if the settings ask
    /// for it: libcurl 7.88 then waits for the socket although bytes wait in the TLS of the proxy.
    private func setVersion(isSecure: Bool) {
        let version =
            switch avoidsHTTP2 ? .http11 : settings.httpVersion {
            case nil: proxyMayUseTLS ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS
            case .http11: CURL_HTTP_VERSION_1_1
            case .http2: isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
            case .http3: CURL_HTTP_VERSION_3
            }
        rw_easy_set_long(easy, CURLOPT_HTTP_VERSION, Int(version))
        guard speaksPlainHTTP2, !CurlGlobal.canReusePlainHTTP2 else { return }
        rw_easy_set_long(easy, CURLOPT_FORBID_REUSE, isSecure ? 0 : 1)
    }

    /// Whether each exchange with the origin has a connection of its own.
    private func neverShares(_ origin: Origin?) -> Bool {
        speaksPlainHTTP2 && !CurlGlobal.canReusePlainHTTP2 && origin?.scheme != "https"
    }

    private mutating func setNewConnection(_ isNew: Bool) {
        guard isNew != usesNewConnection else { return }
        usesNewConnection = isNew
        rw_easy_set_long(easy, CURLOPT_FRESH_CONNECT, isNew ? 1 : 0)
    }

    private func set(_ option: CURLoption, _ text: String?) {
        rw_easy_set_string(easy, option, text)
    }

    private static func text(_ info: CURLINFO, of easy: UnsafeMutableRawPointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        rw_easy_get_string(easy, info, &text)
        return text.map { String(cString: $0) }
    }
}

extension NetworkSettings {
    /// Checks the files of TLS, and that libcurl has the version of HTTP. Returns the settings with
    /// what their files say.
    func checked() throws(NetworkSettingError) -> NetworkSettings {
        var checked = self
        if var tls {
            try TLSFiles.check(&tls)
            checked.tls = tls
        }
        for (origin, given) in tlsByOrigin {
            var tls = given
            do {
                try TLSFiles.check(&tls)
            } catch {
                throw NetworkSettingError(error.field, "\(origin): \(error.message)")
            }
            checked.tlsByOrigin[origin] = tls
        }
        if httpVersion == .http3, !CurlGlobal.hasHTTP3 {
            throw NetworkSettingError("http_version", "this system's libcurl has no HTTP/3")
        }
        return checked
    }
}

/// The environment variables that name proxies. libcurl reads them for each exchange
/// (libcurl-env(3)).
enum ProxyEnvironment {
    private static let names = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
    ]

    /// Whether a variable names a proxy. If no variable does, libcurl need not look for a proxy.
    /// This saves five searches of the environment, which another thread of the host may be
    /// changing.
    static var namesOne: Bool { names.contains { getenv($0) != nil } }

    /// Whether a variable names a proxy that is reached over TLS.
    static var namesSecureOne: Bool {
        names.contains { name in
            getenv(name).map { strncasecmp($0, "https:", 6) == 0 } ?? false
        }
    }
}
