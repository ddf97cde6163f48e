/// The transport that a document, a route or a client's options name.
struct TransportReference: Sendable, Hashable {
    let name: String
    /// JSON text, an object; `nil`: the plugin's own.
    var options: String?
}
