import CRestwayPlugin
package import RestwayHTTP
package import RestwayThreads

/// A plugin's transport, opened for one client.
///
/// `OpenedTransport` handles everything that a plugin may do wrong. This class is the client's
/// side.
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

    private let host: OpenedTransport
    /// The number of this session. The host may serve other sessions later.
    private let session: UInt64
    private let generation = ProcessGeneration.current

    /// - Parameter options: A JSON object as text.
    package init(
        _ table: PluginTransportTable, options: String, _ surroundings: Surroundings
    ) throws(PluginError) {
        host = table.takeTransport()
        session = try host.open(options, surroundings)
    }

    deinit {
        close()
    }

    package func start(_ exchange: Exchange, observer: any ExchangeObserver) -> ExchangeID {
        host.start(exchange, observer, session)
    }

    package func cancel(_ id: ExchangeID) {
        host.cancel(id.rawValue)
    }

    package func resume(_ id: ExchangeID) {
        host.resume(id.rawValue)
    }

    package func close() {
        // The plugin's threads do not exist in a forked child.
        guard generation == ProcessGeneration.current else { return }
        host.close(session)
    }
}

/// A plugin's table for one kind of transport. It makes a transport for each client.
///
/// `@unchecked Sendable`: the table is never changed, and its functions may run on many threads.
package final class PluginTransportTable: @unchecked Sendable {
    package let name: String
    /// The name of the plugin.
    package let plugin: String
    let functions: restway_plugin_transport

    /// Transports are never freed: see `OpenedTransport`.
    private struct Transports {
        /// All transports, also those whose plugin never ends an exchange.
        var all: [OpenedTransport] = []
        /// The transports that no client uses any more.
        var spare: [OpenedTransport] = []
    }

    private let transports = Lock(Transports())

    init(
        _ pointer: UnsafePointer<restway_plugin_transport>, plugin: String
    ) throws(PluginError) {
        let table = PluginTable.read(pointer, zero: restway_plugin_transport())
        guard let table, let name = PluginText.name(table.name), table.open != nil,
            table.start != nil, table.cancel != nil, table.resume != nil, table.close != nil
        else {
            throw PluginError(
                .refused, "plugin \"\(plugin)\": a transport lacks its name or a function")
        }
        self.name = name
        self.plugin = plugin
        functions = table
    }

    /// The title, in the form `plugin "p": transport "t"`.
    var title: String { "plugin \"\(plugin)\": transport \"\(name)\"" }

    func takeTransport() -> OpenedTransport {
        transports.withLock { transports in
            if let spare = transports.spare.popLast() { return spare }
            let made = OpenedTransport(self)
            transports.all.append(made)
            return made
        }
    }

    func giveBack(_ host: OpenedTransport) {
        transports.withLock { $0.spare.append(host) }
    }
}
