/// A plugin that an API document asks for.
struct PluginReference: Sendable {
    /// The absolute path of the plugin, or its name.
    let pathOrName: String
    /// The options as JSON text.
    let options: String?
    /// The place in the document that asks for it.
    let documentPath: String
}
