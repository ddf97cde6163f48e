import CRestwayPlugin
import Glibc

/// A loaded plugin. It stays loaded for the life of the process.
package final class Plugin: Sendable {
    package let name: String
    package let version: String
    package let licence: String
    package let description: String
    package let path: String
    /// The options that the plugin was loaded with, as JSON text.
    package let options: String?
    package let mappers: [PluginMapper]
    package let transports: [PluginTransportTable]

    /// Loads the shared object at `path` and starts the plugin.
    init(path: String, options: String?) throws(PluginError) {
        let entry = try Self.entry(path)
        var table = restway_plugin()
        table.struct_size = MemoryLayout<restway_plugin>.size
        var reason = PluginReason()
        let result = entry(PluginHost.shared, &table, &reason.raw)
        guard result == RESTWAY_PLUGIN_OK else {
            throw PluginError(
                .refused, "plugin \(path): does not start: \(reason.text(orFor: result))")
        }
        guard table.abi_major == UInt32(RESTWAY_PLUGIN_ABI_MAJOR) else {
            throw PluginError(
                .refused,
                "plugin \(path): made for version \(table.abi_major).\(table.abi_minor) of the "
                    + "plugin interface; this library takes \(RESTWAY_PLUGIN_ABI_MAJOR).x")
        }
        guard let name = PluginText.name(table.name) else {
            throw PluginError(
                .refused, "plugin \(path): its name is missing or not of letters, digits, - and _")
        }
        let missing = table.required_capabilities & ~PluginHost.capabilities
        guard missing == 0 else {
            throw PluginError(
                .refused,
                "plugin \"\(name)\": needs capabilities that this library does not have (0x"
                    + String(missing, radix: 16) + ")")
        }
        self.name = name
        self.path = path
        self.options = options
        version = PluginText.text(table.version) ?? ""
        licence = PluginText.text(table.licence) ?? ""
        description = PluginText.text(table.description) ?? ""
        mappers = try Self.list(
            table.mappers, table.mapper_count, "mapper", name, PluginMapper.init(_:plugin:))
        transports = try Self.list(
            table.transports, table.transport_count, "transport", name,
            PluginTransportTable.init(_:plugin:))
        try Self.configure(table, name, options)
    }

    private static func entry(_ path: String) throws(PluginError) -> restway_plugin_entry_fn {
        guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            let why = dlerror().map { String(cString: $0) } ?? "unknown error"
            throw PluginError(.notFound, "plugin \(path): \(why)")
        }
        guard let symbol = dlsym(library, "restway_plugin_v1") else {
            throw PluginError(.refused, "plugin \(path): does not export restway_plugin_v1")
        }
        return unsafeBitCast(symbol, to: restway_plugin_entry_fn.self)
    }

    /// The mappers or the transports of a plugin.
    ///
    /// - Parameter noun: The word for one item of the list, for errors.
    private static func list<Table, Item>(
        _ tables: UnsafePointer<UnsafePointer<Table>?>?, _ count: Int, _ noun: String,
        _ name: String, _ make: (UnsafePointer<Table>, String) throws(PluginError) -> Item
    ) throws(PluginError) -> [Item] {
        guard count != 0 else { return [] }
        guard let tables, (1...64).contains(count) else {
            throw PluginError(.refused, "plugin \"\(name)\": its list of \(noun)s makes no sense")
        }
        var items: [Item] = []
        for index in 0..<count {
            guard let table = tables[index] else {
                throw PluginError(.refused, "plugin \"\(name)\": \(noun) \(index) is NULL")
            }
            items.append(try make(table, name))
        }
        return items
    }

    private static func configure(
        _ table: restway_plugin, _ name: String, _ options: String?
    ) throws(PluginError) {
        guard let configure = table.configure else {
            guard let options else { return }
            // The options are an object with at least one member, so the first quoted text is a
            // key.
            let parts = options.split(
                separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
            let key = parts.count > 1 ? parts[1] : ""
            throw PluginError(
                .options,
                "plugin \"\(name)\": options: unknown key \"\(key)\": the plugin takes no options")
        }
        var reason = PluginReason()
        let result = (options ?? "{}").withCString { configure($0, &reason.raw) }
        guard result == RESTWAY_PLUGIN_OK else {
            throw PluginError(
                .options, "plugin \"\(name)\": options: \(reason.text(orFor: result))")
        }
    }
}
