/// The transport that a document, a route or a client's options name.
struct TransportReference: Sendable, Hashable {
    let name: String
    /// A JSON object as text; `nil` for the plugin's own options.
    var options: String?
}
