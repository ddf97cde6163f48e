/// Why a plugin cannot be had, or what it did against its contract.
package struct PluginError: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// There is no such file, or it is no plugin.
        case notFound
        /// It is there, and refused to start or was refused.
        case refused
        /// Its options are wrong.
        case options
        /// A plugin of that name is loaded already.
        case duplicate
    }

    package let kind: Kind
    /// Names the plugin.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}
