package import RestwayHTTP
package import RestwaySupport
import Synchronization

/// The built-in transport, on libcurl.
///
/// It has one I/O thread, which starts with the first exchange and ends when the transport is
/// closed or released. Connections are kept and used again, shared when the server speaks HTTP/2.
/// Only as many exchanges as may run are given to libcurl, whose cost for each grows with their
/// number; the others wait here, fairly among origins.
package final class CurlTransport: Transport {
    /// How many connections there may be. At least 1 is used.
    package struct Limits: Sendable {
        package var connectionsMax: Int
        package var connectionsPerHostMax: Int

        package init(connectionsMax: Int = 256, connectionsPerHostMax: Int = 32) {
            self.connectionsMax = max(1, connectionsMax)
            self.connectionsPerHostMax = max(1, min(connectionsPerHostMax, connectionsMax))
        }
    }

    /// What holds for all exchanges.
    struct Settings: Sendable {
        let limits: Limits
        let keepsCookies: Bool
        let certificateFile: String?
        let busyPollMicroseconds: Int
        /// Whether the environment named a proxy when the transport was made.
        let mayUseProxies = ProxyEnvironment.namesOne
        let roundEnded: (@Sendable () -> Void)?
    }

    private let settings: Settings
    private let clock: any Clock
    private let inbox = Inbox()
    private let lastID = Atomic<UInt64>(0)
    private let generation = ProcessGeneration.current

    /// - Parameters:
    ///   - keepsCookies: Whether cookies are kept, in memory, for exchanges that use them.
    ///   - certificateFile: Certificates in PEM that may vouch for servers, in place of the
    ///     system's.
    ///   - busyPollMicroseconds: How long a thread that waits looks for its answer before it
    ///     sleeps, where answers come so soon; 0: it sleeps at once.
    ///   - roundEnded: Called on the thread that drives, behind the completions of one look at the
    ///     sockets: what they brought can be taken together.
    ///   - clock: Measures time in the queue. libcurl's own time-outs follow the machine's clock.
    package init(
        limits: Limits = Limits(), keepsCookies: Bool = true, certificateFile: String? = nil,
        busyPollMicroseconds: Int = 0, roundEnded: (@Sendable () -> Void)? = nil,
        clock: any Clock = SystemClock()
    ) {
        settings = Settings(
            limits: limits, keepsCookies: keepsCookies, certificateFile: certificateFile,
            busyPollMicroseconds: busyPollMicroseconds, roundEnded: roundEnded)
        self.clock = clock
    }

    deinit {
        close()
    }

    package var tellsRounds: Bool { settings.roundEnded != nil }

    package func start(_ exchange: Exchange, observer: any ExchangeObserver) -> ExchangeID {
        let id = ExchangeID(lastID.add(1, ordering: .relaxed).newValue)
        var deliver: (@Sendable (BodyPiece) -> Void)?
        if case .source = exchange.body {
            deliver = { [inbox] piece in inbox.deliver(piece, to: id) }
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
        inbox.cancel(id)
    }

    package func resume(_ id: ExchangeID) {
        inbox.resume(id)
    }

    package func drive(while isWanted: () -> Bool) {
        inbox.drive(while: isWanted)
    }

    package func close() {
        // A forked child has the parent's event descriptor, but not its thread.
        guard generation == ProcessGeneration.current else { return }
        inbox.close(TransportError(.closed, "the transport is closed"))
    }

    private func startThread() {
        let (inbox, settings, clock) = (inbox, settings, clock)
        // It uses libcurl, whose libraries take themselves apart when the process exits. That may
        // happen before the thread has done anything, so their set-up is not left to it.
        guard CurlGlobal.isReady else { return inbox.fail(.noResources("memory")) }
        let stop = { @Sendable in inbox.abandon() }
        let hasStarted = ExitBarrier.start("restway-io", stop: stop) {
            let loop = IOLoop(inbox: inbox, settings: settings, clock: clock)
            if let loop { loop.run() } else { inbox.fail(.noResources("descriptors or memory")) }
        }
        if !hasStarted { inbox.fail(.noResources("threads")) }
    }
}
