import Glibc
package import RestwayHTTP
package import RestwayThreads
import Synchronization

/// The built-in transport, on libcurl.
///
/// It has one I/O thread, which starts with the first exchange and ends when the transport is
/// closed or released. Connections are kept and used again, and are shared if the server speaks
/// HTTP/2. libcurl's cost for each exchange grows with their number, so libcurl receives only as
/// many exchanges as may run. The other exchanges wait here, with a fair order among origins.
package final class CurlTransport: Transport {
    /// The limits on connections. At least 1 is used.
    package struct Limits: Sendable {
        package var connectionsMax: Int
        package var connectionsPerHostMax: Int

        package init(connectionsMax: Int = 256, connectionsPerHostMax: Int = 32) {
            self.connectionsMax = max(1, connectionsMax)
            self.connectionsPerHostMax = max(1, min(connectionsPerHostMax, connectionsMax))
        }
    }

    /// Settings that apply to all exchanges.
    struct Settings: Sendable {
        let limits: Limits
        /// The cookies that exchanges share; `nil` if no cookies are kept.
        let cookies: CookieJar?
        /// The hosts that are reached only over TLS; `nil` if the transport remembers no hosts.
        let secureHosts: SecureHostList?
        let network: NetworkSettings
        /// Whether the environment named a proxy when the transport was made.
        let mayUseProxies = ProxyEnvironment.namesOne
        /// The authorities that the system trusted when the transport was made. They are used if
        /// libcurl itself knows no authorities.
        let authorities = SystemAuthorities.find()

        /// Whether a connection to a proxy may use TLS. The TLS messages of the proxy and of the
        /// server then cannot be told apart.
        var proxyMayUseTLS: Bool {
            switch network.proxy {
            case nil: mayUseProxies && ProxyEnvironment.namesSecureOne
            case .direct: false
            case .proxy(let proxy): proxy.isSecure
            }
        }
    }

    private let settings: Settings
    private let clock: any Clock
    private let inbox = Inbox()
    private let lastID = Atomic<UInt64>(0)
    private let generation = ProcessGeneration.current

    /// - Parameters:
    ///   - cookies: The cookies for exchanges that use them; `nil` keeps no cookies.
    ///   - secureHosts: The hosts that are reached only over TLS; `nil` remembers no hosts.
    ///   - network: How connections are made; what `checked` has returned.
    ///   - clock: Measures time in the queue. libcurl's own time limits use the machine's clock.
    package init(
        limits: Limits = Limits(), cookies: CookieJar? = nil,
        secureHosts: SecureHostList? = nil,
        network: NetworkSettings = NetworkSettings(), clock: any Clock = SystemClock()
    ) {
        settings = Settings(
            limits: limits, cookies: cookies, secureHosts: secureHosts, network: network)
        self.clock = clock
    }

    /// Checks that this machine has everything that `network` needs: the files of TLS, and a
    /// libcurl with the version of HTTP. Returns the settings for a transport.
    package static func checked(
        _ network: NetworkSettings
    ) throws(NetworkSettingError) -> NetworkSettings {
        try network.checked()
    }

    deinit {
        close()
    }

    package func start(_ given: Exchange, observer: any ExchangeObserver) -> ExchangeID {
        var exchange = given
        settings.secureHosts?.secure(&exchange)
        let id = ExchangeID(lastID.add(1, ordering: .relaxed).newValue)
        var deliver: (@Sendable (BodyPiece) -> Void)?
        if case .source = exchange.body {
            deliver = { [inbox] piece in inbox.send(.body(id, piece)) }
        }
        let active = ActiveExchange(
            id: id, exchange: exchange, observer: observer, acceptedAt: clock.now(),
            deliver: deliver)
        switch inbox.submit(active) {
        case .accepted: break
        case .acceptedFirst: startThread()
        case .refused(let error): active.end()?.completed(.failure(error))
        }
        return id
    }

    package func cancel(_ id: ExchangeID) {
        inbox.send(.cancel(id))
    }

    package func resume(_ id: ExchangeID) {
        inbox.send(.resume(id))
    }

    package func close() {
        // A forked child has the parent's event descriptor but not its thread.
        guard generation == ProcessGeneration.current else { return }
        inbox.close(TransportError(.closed, "the transport is closed"))
        settings.cookies?.close()
        settings.secureHosts?.close()
    }

    private func startThread() {
        let (inbox, settings, clock) = (inbox, settings, clock)
        // The thread uses libcurl, whose libraries clean up when the process exits. That may happen
        // before the thread has run, so the libraries are set up here.
        guard CurlGlobal.isReady else { return inbox.fail(.noResources("memory", ENOMEM)) }
        let stop = { @Sendable in inbox.abandon() }
        let hasStarted = ExitBarrier.start("restway-io", stop: stop) {
            errno = 0
            let loop = IOLoop(inbox: inbox, settings: settings, clock: clock)
            if let loop { return loop.run() }
            let code = errno == 0 ? ENOMEM : errno
            inbox.fail(.noResources("the descriptors of a transport", code))
        }
        if !hasStarted { inbox.fail(.noResources("a thread", EAGAIN)) }
    }
}
