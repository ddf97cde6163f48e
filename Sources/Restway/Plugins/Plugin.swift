import RestwayJSON
import RestwayOutcome
import RestwayPlugins

/// A plugin: a shared object with mappers, which read media types, or transports, which perform
/// exchanges.
///
///     try Plugin.load("simdjson")
///     let client = try Client(API(file: "shop.json"))          // may name the plugin's mapper
///
/// Plugins belong to the process, and are never unloaded. Clients that are made afterwards can use
/// what a plugin has. A plugin is a program that runs in this process: load trusted ones only.
public struct Plugin: Sendable, Hashable {
    /// The name of the plugin.
    public let name: String
    /// The version of the plugin; empty if the plugin states no version.
    public let version: String
    /// The licence of the plugin, an SPDX expression; empty if the plugin states no licence.
    public let licence: String
    /// A sentence about the plugin; empty if the plugin gives no description.
    public let description: String
    /// The path of the shared object.
    public let path: String

    /// Loads a plugin.
    ///
    /// - Parameters:
    ///   - pathOrName: An absolute path, or a name that is looked up in the folders of
    ///     `RESTWAY_PLUGIN_PATH` and of the system.
    ///   - options: The options of the plugin, as an object.
    /// - Throws: A `RestwayError` of the kind `plugin` that says why it cannot be loaded.
    public static func load(_ pathOrName: String, options: JSON? = nil) throws(RestwayError) {
        try RestwayError.explaining { () throws(Failure) in
            try PluginLoading.load(pathOrName, options: options?.description)
        }
    }

    /// The plugins that were loaded, in their order.
    public static var loaded: [Plugin] {
        PluginRegistry.shared.plugins.map { plugin in
            Plugin(
                name: plugin.name, version: plugin.version, licence: plugin.licence,
                description: plugin.description, path: plugin.path)
        }
    }
}
