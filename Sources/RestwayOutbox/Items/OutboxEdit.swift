package import RestwayHTTP

/// What the host changes in a dead letter; nil leaves it as it is.
package struct OutboxEdit: Equatable, Sendable {
    package var path: String?
    package var headers: [HeaderField]?
    /// `.some(nil)` takes the body away.
    package var body: [UInt8]??
    /// Of another request, as far as a server can tell: it needs another key.
    package var idempotencyKey: String

    package init(idempotencyKey: String) {
        self.idempotencyKey = idempotencyKey
    }
}
