/// Why an exchange has no response.
package struct TransportError: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable, CaseIterable {
        /// Somebody cancelled it.
        case cancelled
        /// The transport was closed.
        case closed
        /// A time-out passed, in a queue or on the wire.
        case timedOut
        /// The host's name has no address.
        case resolve
        /// No connection to the host.
        case connect
        /// The connection is not to be trusted.
        case tls
        /// The connection ended before the response did.
        case connectionLost
        /// What came is not HTTP as it should be.
        case protocolViolation
        /// The response is larger than somebody wants it.
        case tooLarge
        case invalidURL
        /// The transport cannot do what was asked.
        case unsupported
        case tooManyRedirects
        case outOfMemory
        /// A plugin could not do it, or broke its contract.
        case plugin
        /// A bug, or a system without resources.
        case `internal`
    }

    package let kind: Kind
    /// The transport's own code (a CURLcode), or 0.
    package let code: Int32
    /// What happened and where: host and port, never credentials or a query.
    package let message: String

    package init(_ kind: Kind, code: Int32 = 0, _ message: String) {
        self.kind = kind
        self.code = code
        self.message = message
    }

    /// Whether the same exchange may well succeed later.
    package var isTemporary: Bool {
        switch kind {
        case .timedOut, .resolve, .connect, .connectionLost: true
        case .cancelled, .closed, .tls, .protocolViolation, .tooLarge, .invalidURL, .unsupported,
            .tooManyRedirects, .plugin, .outOfMemory, .internal:
            false
        }
    }
}
