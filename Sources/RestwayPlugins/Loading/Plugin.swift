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
                "plugin \"\(name)\": needs what this library cannot do (capabilities 0x"
                    + String(missing, radix: 16) + ")")
        }
        self.name = name
        self.path = path
        self.options = options
        version = PluginText.text(table.version) ?? ""
        licence = PluginText.text(table.licence) ?? ""
        description = PluginText.text(table.description) ?? ""
        mappers = try Self.mappers(table, name)
        transports = try Self.transports(table, name)
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

    private static func mappers(
        _ table: restway_plugin, _ name: String
    ) throws(PluginError) -> [PluginMapper] {
        var mappers: [PluginMapper] = []
        guard table.mapper_count > 0 else { return [] }
        guard let tables = table.mappers, table.mapper_count <= 64 else {
            throw PluginError(.refused, "plugin \"\(name)\": its list of mappers makes no sense")
        }
        for index in 0..<table.mapper_count {
            guard let mapper = tables[index] else {
                throw PluginError(.refused, "plugin \"\(name)\": mapper \(index) is NULL")
            }
            mappers.append(try PluginMapper(mapper, plugin: name))
        }
        return mappers
    }

    private static func transports(
        _ table: restway_plugin, _ name: String
    ) throws(PluginError) -> [PluginTransportTable] {
        var transports: [PluginTransportTable] = []
        guard table.transport_count > 0 else { return [] }
        guard let tables = table.transports, table.transport_count <= 64 else {
            throw PluginError(
                .refused, "plugin \"\(name)\": its list of transports makes no sense")
        }
        for index in 0..<table.transport_count {
            guard let transport = tables[index] else {
                throw PluginError(.refused, "plugin \"\(name)\": transport \(index) is NULL")
            }
            transports.append(try PluginTransportTable(transport, plugin: name))
        }
        return transports
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
                "plugin \"\(name)\": options: unknown key \"\(key)\": it takes no options")
        }
        var reason = PluginReason()
        let result = (options ?? "{}").withCString { configure($0, &reason.raw) }
        guard result == RESTWAY_PLUGIN_OK else {
            throw PluginError(
                .options, "plugin \"\(name)\": options: \(reason.text(orFor: result))")
        }
    }
}
