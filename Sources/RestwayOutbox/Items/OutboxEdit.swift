package import RestwayHTTP

/// The changes that the program makes to a dead letter. A property that is `nil` stays as it is.
package struct OutboxEdit: Equatable, Sendable {
    package var path: String?
    package var headers: [HeaderField]?
    /// `.some(nil)` removes the body.
    package var body: [UInt8]??
    /// The new key. To a server, the edited request is another one, so it needs another key.
    package var idempotencyKey: String

    package init(idempotencyKey: String) {
        self.idempotencyKey = idempotencyKey
    }
}
