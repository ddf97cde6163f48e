import CRestwayPlugin
import RestwayThreads

/// A plugin's table for one kind of transport. It makes a transport for each client.
///
/// `@unchecked Sendable`: the table is never changed, and its functions may run on many threads.
package final class PluginTransportTable: @unchecked Sendable {
    package let name: String
    /// The name of the plugin.
    package let plugin: String
    let functions: restway_plugin_transport

    /// Hosts that no plugin uses any more. They are never freed: see `ExchangeHost`.
    private let spareHosts = Lock<[ExchangeHost]>([])

    init(
        _ pointer: UnsafePointer<restway_plugin_transport>, plugin: String
    ) throws(PluginError) {
        let least = MemoryLayout<restway_plugin_transport>.size
        let table = PluginTable.read(pointer, zero: restway_plugin_transport(), least: least)
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

    func takeHost() -> ExchangeHost {
        spareHosts.withLock { $0.popLast() } ?? ExchangeHost(self)
    }

    func giveBack(_ host: ExchangeHost) {
        spareHosts.withLock { $0.append(host) }
    }
}
