import CRestwayPlugin
package import RestwayHTTP
package import RestwaySupport

/// A transport of a plugin, opened for one client.
///
/// Everything that a plugin may do wrong is met in `ExchangeHost`; this is the client's end of it.
package final class PluginTransport: Transport {
    /// What an opened transport has of its client.
    package struct Surroundings: Sendable {
        /// Performs what the plugin forwards.
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
    /// The host may have others after this one.
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
        // In a forked child none of the plugin's threads is left.
        guard generation == ProcessGeneration.current else { return }
        host.close(session)
    }
}
