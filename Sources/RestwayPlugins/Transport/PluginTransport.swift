import CRestwayPlugin
package import RestwayHTTP
package import RestwayThreads

/// A plugin's transport, opened for one client.
///
/// `ExchangeHost` handles everything that a plugin may do wrong. This class is the client's side.
package final class PluginTransport: Transport {
    /// The parts of its client that an opened transport uses.
    package struct Surroundings: Sendable {
        /// The transport that performs the exchanges that the plugin forwards.
        let builtIn: any Transport
        let clock: any Clock
        let timers: any Timers

        package init(builtIn: any Transport, clock: any Clock, timers: any Timers) {
            self.builtIn = builtIn
            self.clock = clock
            self.timers = timers
        }
    }

    private let host: ExchangeHost
    /// The number of this session. The host may serve other sessions later.
    private let session: UInt64
    private let clock: any Clock
    private let generation = ProcessGeneration.current

    /// - Parameter options: A JSON object as text.
    package init(
        _ table: PluginTransportTable, options: String, _ surroundings: Surroundings
    ) throws(PluginError) {
        host = table.takeHost()
        clock = surroundings.clock
        session = try host.open(options, surroundings)
    }

    deinit {
        close()
    }

    package func start(_ exchange: Exchange, observer: any ExchangeObserver) -> ExchangeID {
        host.start(exchange, observer, session, clock)
    }

    package func cancel(_ id: ExchangeID) {
        host.cancel(id.rawValue)
    }

    package func resume(_ id: ExchangeID) {
        host.resume(id.rawValue)
    }

    package func close() {
        // A forked child has none of the plugin's threads.
        guard generation == ProcessGeneration.current else { return }
        host.close(session)
    }
}
