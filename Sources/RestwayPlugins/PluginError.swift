/// Why a plugin cannot be loaded, or how it broke its contract.
package struct PluginError: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// The file does not exist, or it is not a plugin.
        case notFound
        /// The plugin refused to start, or the library refused it.
        case refused
        /// The options of the plugin are wrong.
        case options
        /// A plugin of the same name is already loaded.
        case duplicate
    }

    package let kind: Kind
    /// The message, which names the plugin.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}
