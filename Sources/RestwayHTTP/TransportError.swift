/// Why an exchange has no response. `FailureTraits` says what that means for the request.
package struct TransportError: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable, CaseIterable {
        /// The exchange was cancelled.
        case cancelled
        /// The transport was closed.
        case closed
        /// A time limit passed, in a queue or on the wire.
        case timedOut
        /// The host name has no address.
        case resolve
        /// No connection to the host could be made.
        case connect
        /// The connection cannot be trusted.
        case tls
        /// The connection ended before the response did.
        case connectionLost
        /// The response is not valid HTTP.
        case protocolViolation
        /// The response is larger than a limit.
        case tooLarge
        case invalidURL
        /// The transport does not support the request.
        case unsupported
        case tooManyRedirects
        case outOfMemory
        /// The system had no descriptor, thread or memory to give, so that nothing was sent.
        case noResources
        /// A plugin failed, or broke its contract.
        case plugin
        /// The cause is a bug, or a system without resources.
        case `internal`
    }

    package let kind: Kind
    /// The transport's own error code (a CURLcode), or 0.
    package let code: Int32
    /// The error and its place: host and port, never credentials or a query.
    package let message: String
    /// How often the transport sent the request again by itself before it failed.
    package var repetitions = 0

    package init(_ kind: Kind, code: Int32 = 0, _ message: String) {
        self.kind = kind
        self.code = code
        self.message = message
    }
}
