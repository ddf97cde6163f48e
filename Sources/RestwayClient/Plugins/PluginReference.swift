/// A plugin that an API document asks for.
struct PluginReference: Sendable {
    /// Its absolute path, or its name.
    let pathOrName: String
    /// JSON text.
    let options: String?
    /// Where the document says so.
    let documentPath: String
}
