import CRestwayPlugin
import RestwayThreads

/// Builds the table of library functions that plugins call.
enum PluginHost {
    static let capabilities = UInt64(
        RESTWAY_PLUGIN_CAN_MAP | RESTWAY_PLUGIN_CAN_ENCODE | RESTWAY_PLUGIN_CAN_TRANSPORT)

    /// The table that is passed when a plugin starts. It lives as long as the process.
    ///
    /// `nonisolated(unsafe)`: it is written once, before any other code can reach it.
    nonisolated(unsafe) static let shared: UnsafePointer<restway_plugin_host> = {
        let host = UnsafeMutablePointer<restway_plugin_host>.allocate(capacity: 1)
        host.initialize(to: table())
        return UnsafePointer(host)
    }()

    /// The fields that all tables share, including the tables of transports.
    static func table() -> restway_plugin_host {
        var table = restway_plugin_host()
        table.struct_size = MemoryLayout<restway_plugin_host>.size
        table.abi_major = UInt32(RESTWAY_PLUGIN_ABI_MAJOR)
        table.abi_minor = UInt32(RESTWAY_PLUGIN_ABI_MINOR)
        table.capabilities = capabilities
        table.version = version
        table.log = { _, level, text in
            guard let text = text.map({ String(cString: $0) }) else { return }
            Log.shared.write(LogLevel(rawValue: Int(level)) ?? .debug, .plugin, text)
        }
        return table
    }

    nonisolated(unsafe) private static let version: UnsafePointer<CChar> = {
        let text: StaticString = "0.1.0"
        return UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }()
}
